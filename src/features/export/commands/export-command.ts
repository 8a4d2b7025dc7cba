import { extname } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { refuseExisting } from '../../../cli/flags/output-flags.ts';
import { ownImports } from '../../../cli/owner.ts';
import { openRunning, type Running, run, type Work } from '../../../cli/run.ts';
import { followSteps } from '../../../cli/screen/follow.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import type { Config } from '../../../platform/config.ts';
import { handled } from '../../../server/perform.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { listsOf, outputFiles } from '../export-files.ts';
import { EXPORT_FORMATS, type ExportView, exportOperations } from '../operations.ts';
import { exportHandlers } from '../routes.ts';
import { Exports } from '../running-exports.ts';
import { type ExportFlags, groupsOf, type Resumed, resumeCommand, toResume, withExport } from './export-flags.ts';
import { concludeExport, type Wanted } from './export-outcome.ts';
import { outputPlace } from './output-place.ts';

interface Flags extends RunningFlags, ExportFlags {
  /** An id; true: the latest that can be continued. */
  readonly resume?: string | true;
}

/** `rollcall export`: writes who is in which group now, as a file that `import` and `sync` read back. */
export function exportCommand(action: Action) {
  const command = withExport(new Command('export')).option(
    '--resume [id]',
    'continue an export that was interrupted (default: the latest)',
  );
  withRunning(command);
  return command.action(action(exportGroups));
}

async function exportGroups(io: Io, flags: Flags) {
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const { resume } = flags;
  if (resume !== undefined) refuseChoices(flags);
  const resumed = resume === undefined ? undefined : await toResume(config, imports, flags.sandbox === true, resume);
  const format = formatOf(flags);
  const groups = await groupsOf(flags);
  const output = await checkedOutput(config, resumed ?? flags, flags);
  return run(
    running,
    exportWork(running, { flags, format, output }, async (client) => begin(client, flags, groups, resumed)),
  );
}

function formatOf({ format, output = '' }: Flags) {
  const ending = extname(output).slice(1).toLowerCase();
  if (format === undefined && ending === 'xlsx') {
    throw badUsage('an export is CSV or NDJSON, and no workbook: let --output end in .csv or .ndjson');
  }
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/**
 * Returns the place of the output; undefined for standard output.
 * @param has the lists of the export: of one that is continued, not what the flags say
 * @throws BAD_USAGE, BAD_SOURCE
 */
async function checkedOutput(config: Config, has: Omit<Resumed, 'id'>, flags: Flags) {
  const needed = has.users ? '--users' : flags.json ? '--json' : undefined;
  if (flags.output === undefined && needed !== undefined) {
    throw badUsage(`${needed} needs --output: standard output has room for one list`);
  }
  const output = await outputPlace(config, flags);
  if (output === undefined) refuseExisting([], flags);
  await output?.refuseExisting(outputFiles(listsOf(has), output.path).map(({ path }) => path));
  return output;
}

/** @throws BAD_USAGE */
function refuseChoices({ groups, groupsFile, region, users, groupsOnly }: Flags) {
  if ([groups, groupsFile, region, users, groupsOnly].some((flag) => flag !== undefined)) {
    throw badUsage('an export that is continued has its groups, regions and lists already; leave those flags out');
  }
}

/** An export that is read, with its progress, and written. */
function exportWork({ io, imports }: Running, wanted: Wanted, begin: (client: Client) => Promise<ExportView>): Work {
  let fault: unknown;
  // Both can be continued: one that is not read to its end, and one whose files are not written yet.
  const continued = (id: string) => `  ${resumeCommand(imports.command('export'), id, wanted.flags)}`;
  const begins = 'the export to begin';
  return {
    open: (here) => {
      const { coordinator, dir, service, events, onStop } = here;
      const exports = new Exports({
        dir,
        pages: (region) => coordinator.pages(region),
        ...coordinator.sendsTo,
        onError: (_, error) => {
          fault = error;
        },
        onProgress: events.progressed('export'),
        onEnd: (id) => events.tell('export', { id }),
      });
      onStop(() => exports.stop());
      return ownImports(here, [handled(exportOperations, exportHandlers(exports, service.apps))]);
    },
    begins,
    begin: ({ client }) => begin(client),
    follow: async ({ client, imports, signal }, id) => {
      const { underWay } = await followSteps({
        id,
        io,
        imports,
        signal,
        begins,
        look: () => client.call(exportOperations.one, { id }),
        goesOn: ({ underWay }) => underWay,
        linesOf: ({ progress }) => progressLines(progress),
      });
      if (fault !== undefined) throw fault;
      return underWay ? 'left' : 'over';
    },
    howToContinue: (id) => ['Continue with:', `  ${imports.command('export', '--resume', id)}`],
    howToFollow: (id, where) => [`The export continues ${where}. Follow it with:`, continued(id)],
    conclude: async ({ id, client }) => {
      const view = await client.call(exportOperations.one, { id });
      const isHere = imports.server === undefined;
      const howToContinue = `${continued(id)}${isHere && view.sandbox ? ' --sandbox' : ''}`;
      return concludeExport({ io, imports, ...wanted, client, howToContinue }, view);
    },
  };
}

/** Starts an export or continues one; if it has been read already, only downloads it. */
async function begin(
  client: Client,
  { region, users, groupsOnly, maxCalls }: ExportFlags,
  groups: string[] | undefined,
  resumed: Resumed | undefined,
) {
  if (resumed === undefined) {
    const asked = { groups, regions: region && [...region], users, groupsOnly, maxCalls };
    return client.call(exportOperations.begin, asked);
  }
  let { id } = resumed;
  if (id === true) {
    const { exports } = await client.call(exportOperations.list, {});
    const latest = exports.find(({ state }) => state !== 'unreadable');
    if (latest === undefined) throw badUsage('there is no export to continue');
    id = latest.id;
  }
  const view = await client.call(exportOperations.one, { id });
  if (view.underWay || view.state === 'completed') return view;
  return client.call(exportOperations.resume, { id, ...(maxCalls !== undefined && { maxCalls: `${maxCalls}` }) });
}

function progressLines(progress: ExportView['progress']) {
  if (progress === null) return [];
  const { step, done, of } = progress;
  if (step === 'members') return [`reading members  ${grouped(done)} of ${counted(of ?? done, 'group')}`];
  return [`listing ${step}  ${counted(done, step === 'users' ? 'user' : 'group')}`];
}
