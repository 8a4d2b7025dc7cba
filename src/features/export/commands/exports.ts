import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { askedHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { type Here, type Running, run, type Work } from '../../../cli/run.ts';
import { followSteps } from '../../../cli/screen/follow.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { Region } from '../../../membership/membership.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ExportFormat, ExportOptions, ExportView } from '../api.ts';
import { openExportReader } from '../export-store.ts';
import { exportOperations } from '../operations.ts';
import { exportHandlers } from '../routes/export-handlers.ts';
import { createExports } from '../running-exports.ts';
import { type ExportFlags, resumeCommand } from './export-flags.ts';
import { concludeExport } from './export-outcome.ts';
import type { OutputPlace } from './output-place.ts';

/** Exports that this process or a server reads: begun, followed to their end, written, and then deleted. */
export interface Exports {
  /** The export that `--resume` names (true: the latest that can be continued), as far as it is known without a server. */
  toResume(resume: string | true): Promise<Resumed>;
  run(wanted: WantedExport): Promise<ExitCode>;
}

interface Resumed extends Pick<ExportOptions, 'users' | 'groupsOnly'> {
  readonly id: string | true;
}

interface WantedExport {
  readonly format: ExportFormat;
  readonly groups: readonly string[] | undefined;
  /** Undefined for standard output. */
  readonly output: OutputPlace | undefined;
  /** The export to continue. */
  readonly resumed: Resumed | undefined;
}

interface Options extends Running {
  readonly flags: ExportFlags & RunningFlags;
}

/** Exports of a data directory, or of a server. */
export function openExports(options: Options): Exports {
  return {
    toResume: (resume) => toResume(options, resume),
    run: (wanted) => run(options, exportWork(options, wanted)),
  };
}

async function toResume({ config, imports, flags }: Options, resume: string | true): Promise<Resumed> {
  if (imports.server !== undefined) return { id: resume, users: false, groupsOnly: false };
  const dir = dataDir(config.dataDir);
  const names = await readdir(join(dir.root, 'exports')).catch((): string[] => []);
  const id = resume === true ? names.toSorted().at(-1) : resume;
  if (id === undefined) throw new UsageError(`there is no export to continue in ${dir.root}`);
  if (!names.includes(id)) throw new RollcallError('UNKNOWN_EXPORT', { id: id });
  const reader = openExportReader(dir.export(id), id);
  try {
    const { users, groupsOnly, sandbox } = reader.record().options;
    checkTarget(imports.command('export', '--resume', id), id, sandbox, flags.sandbox === true);
    return { id, users, groupsOnly };
  } finally {
    reader.close();
  }
}

/** An export that is read, with its progress, and written. */
function exportWork({ io, imports, flags }: Options, wanted: WantedExport): Work {
  let fault: unknown;
  const open = ({ coordinator, dir, service, onStop }: Here) => {
    const exports = createExports({
      dir,
      pages: (...which) => coordinator.pages(...which),
      ...coordinator.sendsTo,
      onError: (_, error) => {
        fault = error;
      },
    });
    onStop(() => exports.stop());
    const having = Object.keys(service.apps) as Region[];
    const handlers = exportHandlers({ exports, dir, having, unread: () => {} });
    return handledLocally(exportOperations, handlers, askedHere(dir, coordinator.sendsTo));
  };
  // Both can be continued: one that is not read to its end, and one whose files are not written yet.
  const continued = (id: string) => `  ${resumeCommand(imports.command('export'), id, flags)}`;
  return {
    open,
    begins: BEGINS,
    begin: async ({ client }) => begin(client, flags, wanted),
    follow: async ({ client, imports, signal }, id) => {
      const { underWay } = await followSteps({
        io,
        imports,
        signal,
        begins: BEGINS,
        look: () => client.call(exportOperations.one, { id }),
        goesOn: ({ underWay }) => underWay,
        linesOf: ({ progress }) => progressLines(progress),
      });
      if (fault !== undefined) throw fault;
      return underWay ? 'left' : 'over';
    },
    howToContinue: (id) => ['Continue with:', `  ${imports.command('export', '--resume', id)}`],
    howToFollow: (id, { url }) => [`The export continues at ${url}. Follow it with:`, continued(id)],
    conclude: async ({ id, client }) => {
      const view = await client.call(exportOperations.one, { id });
      const isHere = imports.server === undefined;
      const howToContinue = `${continued(id)}${isHere && view.sandbox ? ' --sandbox' : ''}`;
      return concludeExport({ io, imports, flags, ...wanted, client, howToContinue }, view);
    },
  };
}

const BEGINS = 'the export to begin';

/** Starts an export or continues one; if it has been read already, only downloads it. */
async function begin(
  client: Client,
  { region, users, groupsOnly, maxCalls }: ExportFlags,
  { groups, resumed }: WantedExport,
): Promise<ExportView> {
  if (resumed === undefined) {
    const asked = { groups: groups && [...groups], regions: region && [...region], users, groupsOnly, maxCalls };
    return client.call(exportOperations.begin, asked);
  }
  let { id } = resumed;
  if (id === true) {
    const { exports } = await client.call(exportOperations.list, {});
    const latest = exports.find(({ state }) => state !== 'unreadable');
    if (latest === undefined) throw new UsageError('there is no export to continue');
    id = latest.id;
  }
  const view = await client.call(exportOperations.one, { id });
  if (view.underWay || view.state === 'completed') return view;
  return client.call(exportOperations.resume, { id, ...(maxCalls !== undefined && { maxCalls: `${maxCalls}` }) });
}

function progressLines(progress: ExportView['progress'] | undefined): string[] {
  if (progress === null || progress === undefined) return [];
  const { step, done, of } = progress;
  if (step === 'members') return [`reading members  ${grouped(done)} of ${counted(of ?? done, 'group')}`];
  return [`listing ${step}  ${counted(done, step === 'users' ? 'user' : 'group')}`];
}
