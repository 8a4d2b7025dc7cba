import { text } from 'node:stream/consumers';
import { summaryIn } from '../../../api/import-summary.ts';
import type { Planning, SyncEntry } from '../../../api/sync-entry.ts';
import { entriesOf } from '../../../cli/client/operation-client.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../../../cli/exit-codes.ts';
import { withCode } from '../../../cli/refusal.ts';
import { conclude, nextSteps } from '../../../cli/screen/conclude.ts';
import { type Io, print, printJson, say, writeOut } from '../../../cli/screen/io.ts';
import type { ReasonCode } from '../../../imports/reason-codes.ts';
import { planningWords } from '../../../membership/plan-words.ts';
import { writeWhole } from '../../../platform/files.ts';
import { shellWord } from '../../../text/terminal-text.ts';
import { asSentence, counted, grouped, printable } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { resultMarkdown } from '../plan/plan-print.ts';
import type { Syncs } from './sync-client.ts';

const IMPORT_WAITS = 'Its import waits for you:';

export function inputOf({ file, undoOf }: SyncEntry) {
  return undoOf === null ? printable(file) : `reverses ${undoOf}`;
}

export interface ShownFlags {
  /** Whether plan and result are printed as Markdown, in place of text. */
  readonly markdown?: boolean | undefined;
  /** The path at which the plan is written as CSV; undefined: it is not written. */
  readonly planCsv?: string | undefined;
}

/** The way in which a command shows a sync. */
export interface Shown extends ShownFlags {
  readonly io: Io;
  readonly syncs: Syncs;
  readonly json: boolean;
}

/** Returns the progress line of a sync's planning; its price, before the first answer. */
export function planningLine(planning: Planning) {
  const { step, done, groups } = planning;
  const price = step === 'members' && done === 0 ? `, at least ${counted(groups, 'call')}` : '';
  return `${planningWords(planning)}${price}`;
}

export async function printPlan({ client }: Syncs, io: Io, { id, totals }: SyncView) {
  if (totals === null) return;
  const color = io.color ? 'true' : 'false';
  const plan = await client.download(syncOperations.plan, { id, format: 'text', width: io.width, color });
  print(io, `\n${await text(plan)}`);
}

/** Prints a plan as Markdown, if there is one, and what became of it. */
export async function printMarkdown(syncs: Syncs, io: Io, sync: SyncView) {
  if (sync.totals !== null) {
    const plan = await syncs.client.download(syncOperations.plan, { id: sync.id, format: 'markdown' });
    await writeOut(io, plan);
  }
  const { importId } = sync;
  io.out.write(resultMarkdown(sync, importId === null ? undefined : (await syncs.imports.find(importId)).rows));
}

/** Prints the result of a sync and the next steps; returns its exit code. Its plan is printed already, unless as a document. */
export async function concludeSync({ io, syncs, json, markdown, planCsv }: Shown, id: string) {
  const { imports, client } = syncs;
  const sync = await syncs.find(id);
  if (planCsv !== undefined && sync.totals !== null) {
    const plan = await client.download(syncOperations.plan, { id, format: 'csv' });
    await writeWhole(planCsv, plan, { mode: 0o666 });
  }
  if (json) printJson(io, await documentOf(syncs, sync));
  if (markdown) await printMarkdown(syncs, io, sync);
  say(io, '', ...unknownToService(sync), ...(await whatNext(syncs, sync)), ...wayBack(sync));
  const code = await exitOf(syncs, io, sync, json || markdown === true);
  const { leftInPlace: left, undoOf } = sync;
  if (left === null) return code;
  say(io, '', `${left.sentence} See each (action report):`, `  ${imports.command('sync', 'show', id)} --format csv`);
  if (left.uncertain > 0 && undoOf !== null) {
    const again = imports.command('undo', undoOf, '--include-uncertain', '--apply');
    say(io, `Reverse the ${grouped(left.uncertain)} that are uncertain too:`, `  ${again}`);
  }
  return code === EXIT.ok ? EXIT.rowsFailed : code;
}

async function exitOf({ imports }: Syncs, io: Io, { importId, state, code }: SyncView, isTold: boolean) {
  if (importId === null && code === 'CALLS_USED_UP') return EXIT.stopped;
  if (importId === null) return EXIT_OF[state] ?? EXIT.interrupted;
  if (!isTold) return conclude(imports, io, importId, false);
  return exitCodeOf(await imports.find(importId));
}

/** Exit codes of a sync without an import. */
const EXIT_OF: Readonly<Partial<Record<SyncView['state'], ExitCode>>> = {
  planned: EXIT.ok,
  unchanged: EXIT.ok,
  tried: EXIT.ok,
  held: EXIT.stopped,
  stale: EXIT.stopped,
  rejected: EXIT.stopped,
  cancelled: EXIT.stopped,
  failed: EXIT.usage,
};

/** `--json` of the sync commands: the sync, all that guards object to, and the import that carries it out. */
export async function documentOf({ client, imports }: Pick<Syncs, 'client' | 'imports'>, sync: SyncView) {
  const { id, importId } = sync;
  const findings = sync.guards.map(async ({ guard, remedy }) => {
    const found = await entriesOf('findings', (page) => client.call(syncOperations.findings, { id, guard, ...page }));
    // A list of one guard's objections says its remedy once.
    return found.map(({ members: _, ...one }) => ({ ...one, sentence: `${one.sentence} ${remedy}` }));
  });
  return {
    ...sync,
    findings: (await Promise.all(findings)).flat(),
    import: importId === null ? null : summaryIn(await imports.find(importId)),
  };
}

/** Groups that the service does not know, where nothing creates them. */
function unknownToService({ mode, unknownGroups }: SyncView) {
  if (mode === 'undo' || unknownGroups === 0) return [];
  return [
    `The service does not know ${counted(unknownGroups, 'group')}. To have them created, sync with --create-groups.`,
    '',
  ];
}

/** Returns the reason why the import of a sync waits for a person, and how to continue. */
export async function waitingImport({ imports }: Syncs, { importId }: SyncView) {
  if (importId === null) return [];
  const found = await imports.find(importId);
  if (found.state !== 'blocked') return [];
  return [IMPORT_WAITS, ...nextSteps(imports, found)];
}

function wayBack({ before }: SyncView) {
  if (before === null) return [];
  return ['Who was in the groups that this sync takes something from, ready to import:', `  ${before}`];
}

async function whatNext({ imports }: Syncs, sync: SyncView) {
  const { id, state, mode, undoOf, file, importId } = sync;
  const sandbox = sync.sandbox ? ' --sandbox' : '';
  const command = (verb: string, rest = '') => `  ${imports.command('sync', verb, id)}${rest}`;
  const own = mode === 'expiry' ? imports.command('expire') : imports.command('sync', shellWord(file));
  const again = ['Plan again, with the same flags:', `  ${undoOf === null ? own : imports.command('undo', undoOf)}`];
  if (state === 'planning') return ['Interrupted while planning: nothing was sent.', ...again];
  if (state === 'applying') {
    if (importId === null) return ['Interrupted before anything was sent. Continue with:', command('apply', sandbox)];
    if ((await imports.find(importId)).code === ('CREATE_LIMIT' satisfies ReasonCode)) return [IMPORT_WAITS];
    return imports.server
      ? ['Its import has stopped; continue it as shown below.']
      : ['Its import has stopped; continue it as shown below, or with:', command('apply', sandbox)];
  }
  // Its import says the rest.
  if (state === 'applied') return [];
  const saysAll = sync.next.length > 0 || state === 'tried' || state === 'unchanged' || state === 'cancelled';
  return [
    withCode(saysAll ? sync.sentence : `${sync.sentence} ${asSentence(sync.reason)}`, sync.code),
    ...(sync.next.length > 0 ? ['See every change:', command('show', ' --format csv')] : []),
    ...sync.next.flatMap(({ operation, why }) => [
      `${why}:`,
      command(operation, `${operation === 'apply' ? '' : ' --reason "…"'}${operation === 'reject' ? '' : sandbox}`),
    ]),
    ...(state === 'cancelled' || state === 'stale' ? again : []),
  ];
}
