import { extname } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type RunningFlags, refuseExisting, withRunning } from '../../../cli/flags/flags.ts';
import { ownImports } from '../../../cli/owner.ts';
import { openRunning, type Running, run, type Work } from '../../../cli/run.ts';
import { followSurvey } from '../../../cli/screen/follow.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { handled } from '../../../server/perform.ts';
import { listsOf, outputFiles } from '../export-store.ts';
import { EXPORT_FORMATS, type ExportList, type ExportView, exportOperations } from '../operations.ts';
import { exportHandlers } from '../routes.ts';
import { Exports } from '../running-exports.ts';
import { type ExportFlags, groupsOf, resumeCommand, withExport } from './export-flags.ts';
import { concludeExport, type OutputPlace, outputPlace, type Wanted } from './export-output.ts';

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
  if (flags.resume !== undefined) refuseChoices(flags);
  const format = formatOf(flags);
  const groups = await groupsOf(flags);
  const output = await outputPlace(running.config, flags);
  if (output === undefined) refuseExisting([], flags);
  if (flags.resume === undefined) await checkOutput(listsOf(flags), output, flags);
  return run(
    running,
    exportWork(running, { flags, format, output }, (client) => begin(client, flags, groups, output)),
  );
}

function formatOf({ format, output = '' }: Flags) {
  const ending = extname(output).slice(1).toLowerCase();
  if (format === undefined && ending === 'xlsx') {
    throw badUsage('an export is CSV or NDJSON, and no workbook: let --output end in .csv or .ndjson');
  }
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/** @throws BAD_USAGE where there is no room for the lists, or one is there already */
async function checkOutput(lists: readonly ExportList[], output: OutputPlace | undefined, flags: Flags) {
  const needed = lists.includes('users') ? '--users' : flags.json ? '--json' : undefined;
  if (output === undefined && needed !== undefined) {
    throw badUsage(`${needed} needs --output: standard output has room for one list`);
  }
  await output?.refuseExisting(outputFiles(lists, output.path).map(({ path }) => path));
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
      const { underWay } = await followSurvey({
        id,
        io,
        imports,
        signal,
        begins,
        look: () => client.call(exportOperations.one, { id }),
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
async function begin(client: Client, flags: Flags, groups: string[] | undefined, output: OutputPlace | undefined) {
  const { region, users, groupsOnly, maxCalls, resume } = flags;
  if (resume === undefined) {
    const asked = { groups, regions: region && [...region], users, groupsOnly, maxCalls };
    return client.call(exportOperations.begin, asked);
  }
  const id = resume === true ? await latest(client) : resume;
  if (id === undefined) throw badUsage('there is no export to continue');
  const view = await client.call(exportOperations.one, { id });
  await checkOutput(view.lists, output, flags);
  if (view.underWay || view.state === 'completed') return view;
  return client.call(exportOperations.resume, { id, ...(maxCalls !== undefined && { maxCalls: `${maxCalls}` }) });
}

async function latest(client: Client) {
  const { exports } = await client.call(exportOperations.list, {});
  return exports.find(({ state }) => state !== 'unreadable')?.id;
}
