import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteCommand } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { handledLocally } from '../../../cli/client/operation-client.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { untilSettled } from '../../../cli/client/settled.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { showSteps } from '../../../cli/screen/show-progress.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { Region } from '../../../membership/membership.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ExportView } from '../api.ts';
import { type ExportFormat, exportBytes } from '../export-files.ts';
import { type ExportOptions, openExportReader, UnknownExport } from '../export-store.ts';
import { exportView } from '../export-view.ts';
import { exportOperations } from '../operations.ts';
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

interface Options {
  readonly io: Io;
  readonly imports: Imports;
  readonly flags: ExportFlags & RunningFlags;
}

/** Exports of a data directory. */
export function localExports(config: Config, options: Options): Exports {
  const { imports, flags } = options;
  const dir = dataDir(config.dataDir);
  return {
    toResume: async (resume) => {
      const names = await readdir(join(dir.root, 'exports')).catch((): string[] => []);
      const id = resume === true ? names.toSorted().at(-1) : resume;
      if (id === undefined) throw new UsageError(`there is no export to continue in ${dir.root}`);
      if (!names.includes(id)) throw new UnknownExport(id);
      const reader = openExportReader(dir.export(id), id);
      try {
        const { users, groupsOnly, sandbox } = reader.record().options;
        checkTarget(imports.command('export', '--resume', id), id, sandbox, flags.sandbox === true);
        return { id, users, groupsOnly };
      } finally {
        reader.close();
      }
    },
    run: (wanted) => runLocally(config, options, wanted),
  };
}

/** Reads an export in this process, with its progress, and writes it. */
async function runLocally(config: Config, options: Options, wanted: WantedExport): Promise<ExitCode> {
  const { io, imports, flags } = options;
  const { groups, resumed } = wanted;
  const dir = dataDir(config.dataDir);
  const known = resumed && String(resumed.id);
  let id = known;
  let fault: unknown;
  const howToContinue = () =>
    id === undefined ? [] : ['Continue with:', `  ${imports.command('export', '--resume', id)}`];
  const openService = serviceOpener(config, flags);
  const failure = await coordinate({ config, io, openService, howToContinue }, async (coordinating) => {
    const { coordinator, service } = coordinating;
    const onError = (_: string, error: unknown) => {
      fault = error;
    };
    const exports = createExports({
      dir,
      pages: (...which) => coordinator.pages(...which),
      ...coordinator.sendsTo,
      onError,
    });
    coordinating.onStop(() => exports.stop());
    const begin = () => {
      const { users = false, groupsOnly = false } = flags;
      const regions = [...regionsOf(flags, Object.keys(service.apps) as Region[])];
      const wanted = { regions, users, groupsOnly, ...(groups !== undefined && { groups: [...groups] }) };
      return exports.begin(wanted, flags.maxCalls);
    };
    if (known !== undefined) exports.resume(known, flags.maxCalls);
    const begun = known ?? begin();
    id = begun;
    noteCommand<typeof exportOperations>(dir, 'export.create', begun, '', coordinator.sendsTo);
    const lines = () => progressLines(exports.progress(begun));
    await coordinating.until(
      exports.over(begun),
      showSteps(io, lines, { begins: BEGINS, regions: () => coordinator.regions() }),
    );
  });
  if (failure !== undefined || id === undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  const folder = dir.export(id);
  const reader = openExportReader(folder, id);
  try {
    const client = handledLocally(exportOperations, {
      download: async ({ list, format = 'csv' }) => exportBytes(reader, list, format),
      remove: async () => {
        reader.close();
        await rm(folder, { recursive: true, force: true });
      },
    });
    const sandbox = reader.record().options.sandbox ? ' --sandbox' : '';
    const continued = `  ${resumeCommand(imports.command('export'), id, flags)}${sandbox}`;
    const view = exportView(id, reader, false, undefined);
    return await concludeExport({ ...options, ...wanted, client, howToContinue: continued }, view);
  } finally {
    reader.close();
  }
}

const BEGINS = 'the export to begin';

/** @throws UsageError for a region without an app */
function regionsOf({ region }: ExportFlags, having: readonly Region[]): readonly Region[] {
  const without = region?.filter((one) => !having.includes(one)) ?? [];
  if (without.length === 0) return region ?? having;
  throw new UsageError(`region ${without.join(', ')} has no app; those with an app: ${having.join(', ')}`);
}

/** Exports of a server. */
export function remoteExports(server: Server, options: Options): Exports {
  return {
    toResume: async (id) => ({ id, users: false, groupsOnly: false }),
    run: async (wanted) => {
      const { io, imports, flags } = options;
      const begun = await begin(server, flags, wanted);
      const { id } = begun;
      // Both can be continued: one that is not read to its end, and one whose files are not written yet.
      const howToContinue = `  ${resumeCommand(imports.command('export'), id, flags)}`;
      const signal = firstSignal(EXIT.stillRunning);
      const view = await untilSettled({
        io,
        imports,
        signal: signal.signal,
        begins: BEGINS,
        look: () => server.call(exportOperations.one, { id }),
        goesOn: ({ underWay }) => underWay,
        linesOf: ({ progress }) => progressLines(progress),
      }).finally(signal.ignore);
      if (view.underWay) {
        say(io, '', `The export continues at ${server.url}. Follow it with:`, howToContinue);
        return EXIT.stillRunning;
      }
      return concludeExport({ ...options, ...wanted, client: server, howToContinue }, view);
    },
  };
}

/** Starts an export or continues one; if it has been read already, only downloads it. */
async function begin(
  server: Server,
  { region, users, groupsOnly, maxCalls }: ExportFlags,
  { groups, resumed }: WantedExport,
): Promise<ExportView> {
  if (resumed === undefined) {
    const asked = { groups: groups && [...groups], regions: region && [...region], users, groupsOnly, maxCalls };
    return server.call(exportOperations.begin, asked);
  }
  let { id } = resumed;
  if (id === true) {
    const { exports } = await server.call(exportOperations.list, {});
    const latest = exports.find(({ state }) => state !== 'unreadable');
    if (latest === undefined) throw new UsageError(`there is no export to continue at ${server.url}`);
    id = latest.id;
  }
  const view = await server.call(exportOperations.one, { id });
  return view.underWay || view.state === 'completed'
    ? view
    : server.call(exportOperations.resume, { id, ...(maxCalls !== undefined && { maxCalls: `${maxCalls}` }) });
}

function progressLines(progress: ExportView['progress'] | undefined): string[] {
  if (progress === null || progress === undefined) return [];
  const { step, done, of } = progress;
  if (step === 'members') return [`reading members  ${grouped(done)} of ${counted(of ?? done, 'group')}`];
  return [`listing ${step}  ${counted(done, step === 'users' ? 'user' : 'group')}`];
}
