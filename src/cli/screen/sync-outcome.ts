import { existsSync } from 'node:fs';
import type { ImportSummary } from '../../api/import-summary.ts';
import type { Finding, PlanTotals } from '../../api/plan.ts';
import type { ReasonCode } from '../../imports/reason-codes.ts';
import type { Config } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { planText } from '../../syncs/plan/plan-text.ts';
import { readTotals } from '../../syncs/plan/plan-totals.ts';
import { planFiles } from '../../syncs/plan/prepare.ts';
import type { SyncRecord } from '../../syncs/sync-catalog.ts';
import { readSyncOptions } from '../../syncs/sync-options.ts';
import { asClause, counted } from '../../text/wording.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { findImport, summaryIn } from '../target/data.ts';
import { localImports } from '../target/local-imports.ts';
import { findSync, withPlan } from '../target/sync-data.ts';
import { conclude } from './conclude.ts';
import { type Io, say } from './io.ts';
import { nextSteps } from './next-steps.ts';

const IMPORT_WAITS = 'Its import waits for you:';

/** `--json` of the sync commands. Times are ISO 8601. */
interface SyncDocument extends Pick<SyncRecord, 'id' | 'state' | 'reason' | 'file' | 'undoOf' | 'importId'> {
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly approved: { readonly by: string; readonly at: string; readonly reason: string } | null;
  /** Null while there is no plan. */
  readonly totals: PlanTotals | null;
  readonly findings: readonly Finding[];
  /** Path of the file with the members, before the sync, of groups that lost members; null where none did. */
  readonly before: string | null;
  /** Of the import that carries it out; null until there is one. */
  readonly import: ImportSummary | null;
}

/** Prints a plan, if there is one. */
export function printPlan(config: Config, io: Io, id: string): void {
  const { color, width } = io;
  const text = withPlan(dataDir(config.dataDir), findSync(config.dataDir, id), (plan) =>
    planText(plan, { color, width }),
  );
  if (text !== undefined) io.out.write(`\n${text}`);
}

/** Prints the result of a sync and the next steps; returns its exit code. printPlan prints the plan. */
export async function concludeSync(config: Config, io: Io, id: string, json: boolean): Promise<ExitCode> {
  const record = findSync(config.dataDir, id);
  if (json) io.out.write(`${JSON.stringify(documentOf(config, record))}\n`);
  say(io, '', ...notThere(config, record), ...whatNext(config, record), ...wayBack(config, record));
  if (record.importId === null) return EXIT_OF[record.state] ?? EXIT.interrupted;
  if (!json) return conclude(localImports(config), io, record.importId, false);
  const carried = findImport(config.dataDir, record.importId);
  return exitCodeOf(carried, summaryIn(dataDir(config.dataDir), carried).rows);
}

/** Where no import says it. */
const EXIT_OF: Readonly<Partial<Record<SyncRecord['state'], ExitCode>>> = {
  planned: EXIT.ok,
  unchanged: EXIT.ok,
  held: EXIT.stopped,
  stale: EXIT.stopped,
  rejected: EXIT.stopped,
  failed: EXIT.usage,
};

export function documentOf(config: Config, record: SyncRecord): SyncDocument {
  const { id, state, reason, file, undoOf, importId, approvedBy, approvedAt, approval, createdAt, finishedAt } = record;
  const dir = dataDir(config.dataDir);
  return {
    id,
    state,
    reason,
    file,
    undoOf,
    importId,
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    approved:
      approvedBy === null
        ? null
        : { by: approvedBy, at: new Date(approvedAt ?? 0).toISOString(), reason: approval ?? '' },
    totals: readTotals(record),
    findings: withPlan(dir, record, (plan) => plan.findings()) ?? [],
    before: beforeFile(config, id) ?? null,
    import: importId === null ? null : summaryIn(dir, findImport(config.dataDir, importId)),
  };
}

/** The file with the previous members of groups that lose members, once a plan is carried out. */
export function beforeFile(config: Config, id: string): string | undefined {
  const { before } = planFiles(dataDir(config.dataDir).sync(id));
  return existsSync(before) ? before : undefined;
}

/** Groups that the service does not know, where nothing creates them. */
function notThere(config: Config, record: SyncRecord): string[] {
  if (record.undoOf !== null || readSyncOptions(record).create?.groups) return [];
  const groups = withPlan(dataDir(config.dataDir), record, (plan) => plan.groups()) ?? [];
  const missing = groups.filter(({ listing }) => listing === 'not_found').length;
  if (missing === 0) return [];
  return [
    `The service does not know ${counted(missing, 'group')}. To have them created, sync with --create-groups.`,
    '',
  ];
}

/** What the import of a sync waits for, where it waits for a person, and how to continue. */
export async function waitingImport(config: Config, { importId }: SyncRecord): Promise<string[]> {
  if (importId === null) return [];
  const imports = localImports(config);
  const found = await imports.find(importId);
  if (found.state !== 'blocked') return [];
  const { summary } = await imports.findings(found);
  return [IMPORT_WAITS, ...nextSteps(imports, found, summary)];
}

function wayBack(config: Config, { id, importId }: SyncRecord): string[] {
  const before = importId === null ? undefined : beforeFile(config, id);
  if (before === undefined) return [];
  return ['Who was in the groups that this sync takes something from, ready to import:', `  ${before}`];
}

function whatNext(config: Config, record: SyncRecord): string[] {
  const { command } = config;
  const { id, state, undoOf, file } = record;
  const reason = asClause(record.reason);
  const sandbox = readSyncOptions(record).sandbox ? ' --sandbox' : '';
  const sync = (verb: string, rest = '') => `  ${command} sync ${verb} ${id}${rest}`;
  const again = undoOf === null ? `  ${command} sync ${file} …` : `  ${command} undo ${undoOf}`;
  switch (state) {
    case 'planned':
      return [
        'Nothing was sent: this is the plan. Look at every change, then carry it out:',
        sync('show', ' --format csv'),
        sync('apply', sandbox),
      ];
    case 'held':
      return [
        'Held: nothing was sent. Look at every change, then approve this plan or reject it:',
        sync('show', ' --format csv'),
        sync('approve', ` --reason "…"${sandbox}`),
        sync('reject', ' --reason "…"'),
      ];
    case 'unchanged':
      return ['Nothing was sent: there is nothing to do.'];
    case 'failed':
      return [`Nothing was sent: ${reason}.`];
    case 'stale':
      return [`Nothing was sent: ${reason}.`, 'Plan again with:', again];
    case 'rejected':
      return [`Rejected: ${reason}.`];
    case 'planning':
      return ['Interrupted while planning: nothing was sent. Plan again with:', again];
    case 'applying':
      if (record.importId === null)
        return ['Interrupted before anything was sent. Continue with:', sync('apply', sandbox)];
      return findImport(config.dataDir, record.importId).code === ('CREATE_LIMIT' satisfies ReasonCode)
        ? [IMPORT_WAITS]
        : ['Its import has stopped; continue it as shown below, or with:', sync('apply', sandbox)];
    case 'applied':
      return [];
    case 'incomplete':
      return [`Not carried out completely: ${reason}.`];
  }
}
