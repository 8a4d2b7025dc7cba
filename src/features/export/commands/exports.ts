import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceOpener } from '../../../app/open-service.ts';
import { askedHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
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
import type { ExportFormat, ExportOptions, ExportView } from '../api.ts';
import { openExportReader, UnknownExport } from '../export-store.ts';
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
  const dir = dataDir(config.dataDir);
  let begun: { readonly id: string; readonly client: Client } | undefined;
  let fault: unknown;
  const howToContinue = () =>
    begun === undefined ? [] : ['Continue with:', `  ${imports.command('export', '--resume', begun.id)}`];
  const openService = serviceOpener(config, flags);
  const failure = await coordinate({ config, io, openService, howToContinue }, async (here) => {
    const { coordinator, service } = here;
    const exports = createExports({
      dir,
      pages: (...which) => coordinator.pages(...which),
      ...coordinator.sendsTo,
      onError: (_, error) => {
        fault = error;
      },
    });
    here.onStop(() => exports.stop());
    const having = Object.keys(service.apps) as Region[];
    const handlers = exportHandlers({ exports, dir, having, unread: () => {} });
    const client = handledLocally(exportOperations, handlers, askedHere(dir, coordinator.sendsTo));
    const { id } = await begin(client, flags, wanted);
    begun = { id, client };
    await here.until(
      exports.over(id),
      showSteps(io, () => progressLines(exports.progress(id)), {
        begins: BEGINS,
        regions: () => coordinator.regions.status(),
      }),
    );
  });
  if (failure !== undefined || begun === undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  const { id, client } = begun;
  const view = await client.call(exportOperations.one, { id });
  const sandbox = view.sandbox ? ' --sandbox' : '';
  const continued = `  ${resumeCommand(imports.command('export'), id, flags)}${sandbox}`;
  return concludeExport({ ...options, ...wanted, client, howToContinue: continued }, view);
}

const BEGINS = 'the export to begin';

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
