import { createWriteStream } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import type { Imports } from '../../../cli/client/imports.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { type Action, EXIT } from '../../../cli/exit-codes.ts';
import { isFileThere, type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { sourceNamed } from '../../../cli/input-files.ts';
import { ownImports } from '../../../cli/owner.ts';
import { openRunning, type Running, run, type Work } from '../../../cli/run.ts';
import { followSurvey } from '../../../cli/screen/follow.ts';
import { type Io, outputError, printJson, say, writeOut } from '../../../cli/screen/io.ts';
import { badUsage, isError, RollcallError } from '../../../errors/rollcall-error.ts';
import { temporaryFolder, writeWhole } from '../../../platform/files.ts';
import { handled } from '../../../server/perform.ts';
import { shellWord } from '../../../text/terminal-text.ts';
import { counted, printable } from '../../../text/wording.ts';
import { listsOf, outputFiles } from '../export-store.ts';
import {
  EXPORT_FORMATS,
  type ExportDocument,
  type ExportFormat,
  type ExportList,
  type ExportTotals,
  type ExportView,
  exportOperations,
} from '../operations.ts';
import { exportHandlers } from '../routes.ts';
import { openExports } from '../running-exports.ts';
import { type ExportFlags, groupsOf, resumeCommand, withExport } from './export-flags.ts';

interface Flags extends RunningFlags, ExportFlags {
  /** An id; true: the latest that can be continued. */
  readonly resume?: string | true;
}

/** `rollcall export`: writes who is in which group now, as a file that `import` and `sync` read back. */
export function exportCommand(action: Action) {
  const resume = new Option(
    '--resume [id]',
    'continue an export that was interrupted, with its groups, regions and lists (default: the latest)',
  );
  resume.conflicts(['groups', 'groupsFile', 'region', 'users', 'groupsOnly']);
  return withRunning(withExport(new Command('export')).addOption(resume)).action(action(exportGroups));
}

/** An export that is begun or continued, and then written. */
interface Exporting extends Pick<Running, 'config' | 'io' | 'imports'> {
  readonly flags: Flags;
  readonly groups: string[] | undefined;
  readonly format: ExportFormat;
  /** The place of the main file: a whole path or an address; undefined for standard output. */
  readonly output: string | undefined;
}

async function exportGroups(io: Io, flags: Flags) {
  const running = await openRunning(io, flags);
  const exporting = {
    ...running,
    flags,
    format: formatOf(flags),
    groups: await groupsOf(flags),
    output: await outputOf(running.config, flags),
  };
  if (flags.resume === undefined) await checkOutput(listsOf(flags), exporting);
  return run(running, exportWork(exporting));
}

function formatOf({ format, output = '' }: Flags) {
  const ending = extname(output).slice(1).toLowerCase();
  if (format === undefined && ending === 'xlsx') {
    throw badUsage('an export is CSV or NDJSON, and no workbook: let --output end in .csv or .ndjson');
  }
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/** @throws BAD_USAGE where there is no room for the lists, or one is there already */
async function checkOutput(lists: readonly ExportList[], exporting: Exporting) {
  const { output, flags } = exporting;
  const needed = lists.includes('users') ? '--users' : flags.json ? '--json' : undefined;
  if (output === undefined && needed !== undefined) {
    throw badUsage(`${needed} needs --output: standard output has room for one list`);
  }
  if (output === undefined || flags.overwrite) return;
  for (const { path } of outputFiles(lists, output)) {
    if (await isThere(exporting, path)) throw new RollcallError('OUTPUT_EXISTS', { place: path });
  }
}

function exportWork(exporting: Exporting): Work {
  const { io } = exporting;
  let fault: unknown;
  const begins = 'the export to begin';
  return {
    open: (here) => {
      const onError = (error: unknown) => {
        fault = error;
      };
      const exports = openExports({ ...here, onError });
      here.onStop(() => exports.stop());
      return ownImports(here, [handled(exportOperations, exportHandlers(exports, here.service.apps))]);
    },
    begins,
    begin: ({ client }) => begin(client, exporting),
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
    howToContinue: (id, sandbox) => ['Continue with:', continued(exporting, id, sandbox)],
    howToFollow: (id, where) => [`The export continues ${where}. Follow it with:`, continued(exporting, id)],
    conclude: async ({ id, client }) => conclude(exporting, client, await client.call(exportOperations.one, { id })),
  };
}

/** The command that continues an export that is not read to its end, or whose files are not written yet. */
function continued({ imports, flags }: Exporting, id: string, sandbox = false) {
  return `  ${resumeCommand(imports.command('export'), id, flags)}${sandbox ? ' --sandbox' : ''}`;
}

/** Starts an export or continues one; if it has been read already, only downloads it. */
async function begin(client: Client, exporting: Exporting) {
  const { flags, groups } = exporting;
  const { region, users, groupsOnly, maxCalls, resume } = flags;
  if (resume === undefined) {
    const asked = { groups, regions: region && [...region], users, groupsOnly, maxCalls };
    return client.call(exportOperations.begin, asked);
  }
  const id = resume === true ? await latest(client) : resume;
  if (id === undefined) throw badUsage('there is no export to continue');
  const view = await client.call(exportOperations.one, { id });
  await checkOutput(view.lists, exporting);
  // One that cannot be read has no next step either, but is asked for: the refusal says why.
  if (view.underWay || view.state === 'completed') return view;
  return client.call(exportOperations.resume, { id, ...(maxCalls !== undefined && { maxCalls: `${maxCalls}` }) });
}

async function latest(client: Client) {
  const { exports } = await client.call(exportOperations.list, {});
  return exports.find(({ state }) => state !== 'unreadable')?.id;
}

/** @throws BAD_USAGE, BAD_SOURCE where nothing can be written there, FLAG_FOR_ADDRESS */
async function outputOf(config: Running['config'], flags: Flags) {
  const { output = '' } = flags;
  const source = await sourceNamed(config, output, flags, '--output');
  if (source === undefined) return output === '' ? undefined : resolve(output);
  const { writerTo } = await import('../../../sources/spool.ts');
  writerTo(source);
  return output.trim();
}

/** A place beside an address is an address too. */
async function isThere({ config, flags }: Exporting, place: string) {
  const source = await sourceNamed(config, place, flags, '--output');
  if (source === undefined) return isFileThere(place);
  const opened = await source.open(new AbortController().signal).catch(() => undefined);
  await opened?.close();
  return opened !== undefined;
}

/** Writes a file there, whole or not at all. */
async function put({ config, flags }: Exporting, place: string, bytes: AsyncIterable<Uint8Array | string>) {
  const source = await sourceNamed(config, place, flags, '--output');
  if (source === undefined) return writeWhole(place, bytes);
  // A file first: its size must be known, and a part of it may have to be sent again.
  await using folder = await temporaryFolder('export');
  const whole = join(folder.path, 'whole');
  await pipeline(bytes, createWriteStream(whole, { mode: 0o600 }));
  const { writerTo } = await import('../../../sources/spool.ts');
  await writerTo(source)(whole, new AbortController().signal);
}

/** Writes what was read, says what it is, and deletes the export, unless it can be continued. */
async function conclude(exporting: Exporting, client: Client, view: ExportView) {
  const { io, imports, flags } = exporting;
  const { id, state, reason, calls, createdAt, finishedAt, totals, next } = view;
  const sandbox = imports.server === undefined && view.sandbox;
  const howToContinue = continued(exporting, id, sandbox);
  const [step] = next;
  // What some groups lack is said with the files.
  if (step !== undefined && state !== 'incomplete') {
    const isInterrupted = state === 'running';
    const why = isInterrupted ? 'Interrupted: nothing was written.' : `Stopped: ${reason}.`;
    say(io, '', why, `${step.why}:`, howToContinue);
    if (state === 'priced') say(io, 'Add a larger --max-calls, or leave it out.');
    return isInterrupted ? EXIT.interrupted : EXIT.stopped;
  }
  const command: Imports['command'] = (...words) => `${imports.command(...words)}${sandbox ? ' --sandbox' : ''}`;
  const files = await write(exporting, client, view).catch((error: unknown) => {
    if (isError(error, 'BAD_SOURCE')) say(io, '', 'What has been read is kept. Continue with:', howToContinue);
    if (exporting.output === undefined) throw error;
    const remedy = `name another file: ${command('export', '--resume', id, '--output', '<file>')}`;
    throw outputError('the export', error, remedy);
  });
  if (totals !== null) {
    const document: ExportDocument = { id, state, reason, calls, createdAt, finishedAt, totals, files };
    if (flags.json) printJson(io, document);
    else sayExport(io, command, view, totals, files);
  }
  await client.call(exportOperations.remove, { id });
  return state === 'completed' ? EXIT.ok : EXIT.rowsFailed;
}

async function write(exporting: Exporting, client: Client, { id, lists }: ExportView) {
  const { io, format, output } = exporting;
  const bytesOf = (list: ExportList) => client.download(exportOperations.download, { id, list, format });
  const files = output === undefined ? [] : outputFiles(lists, output);
  for (const { list, path } of files) await put(exporting, path, await bytesOf(list));
  const [main] = lists;
  if (output === undefined && main !== undefined) await writeOut(io, await bytesOf(main));
  return files;
}

/** Groups that are named one by one; more are counted. */
const NAMED = 10;

function sayExport(
  io: Io,
  command: Imports['command'],
  { lists, calls }: ExportView,
  totals: ExportTotals,
  files: ExportDocument['files'],
) {
  const { groups, pending, members, banned, users } = totals;
  const parts =
    lists[0] === 'groups'
      ? [counted(groups + pending, 'group')]
      : [counted(groups, 'group'), counted(members, 'member'), counted(banned, 'banned user')];
  if (lists.includes('users')) parts.push(counted(users, 'user'));
  say(io, '', `Exported ${parts.join(', ')} in ${counted(calls, 'call')}.`, ...problemLines(totals));
  if (files.length === 0) return;
  say(io, '', ...files.map(({ list, path }) => `  ${list.padEnd(7)}  ${path}`));
  const file = files.find(({ list }) => list === 'members');
  if (file === undefined) return;
  say(io, '', 'To bring the groups back to this state later, look at the plan first:');
  say(io, `  ${command('sync', shellWord(file.path), '--mode mirror --missing remove --allow-demotion')}`);
}

function problemLines({ failed, missing, unknownScopes }: ExportTotals) {
  const problem = (what: string, count: number, noun: string, lines: readonly string[] = []) => [
    ...(count === 0 ? [] : [`${what}: ${counted(count, noun)}`]),
    ...lines.slice(0, NAMED).map((line) => `  ${printable(line)}`),
    ...(lines.length > NAMED ? [`  and ${lines.length - NAMED} more`] : []),
  ];
  return [
    ...problem(
      'Could not be read, so not in the files',
      failed.length,
      'group',
      failed.map(({ region, guid, code, message }) => `${guid} (${region}): ${code}: ${message}`),
    ),
    ...problem(
      'Not found, or deleted while the export ran',
      missing.length,
      'group',
      missing.map(({ guid, code }) => `${guid}: ${code}`),
    ),
    ...problem('With a scope that rollcall does not know, so that no import can read the row', unknownScopes, 'member'),
  ];
}
