import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sourceContextOf } from '../../../app/ca-file.ts';
import type { Imports } from '../../../cli/client/imports.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import { addressFlagOf, sourceSettingsOf } from '../../../cli/flags/file-flags.ts';
import { existsAlready, refuseExisting } from '../../../cli/flags/flags.ts';
import { type Io, printJson, say, writeOut } from '../../../cli/screen/io.ts';
import { badUsage, isError } from '../../../errors/rollcall-error.ts';
import type { Config } from '../../../platform/config.ts';
import { temporaryFolder, writeWhole } from '../../../platform/files.ts';
import { isAddress, sourceName } from '../../../text/address-text.ts';
import { counted, printable } from '../../../text/wording.ts';
import { outputFiles, type WrittenFile } from '../export-store.ts';
import {
  type ExportDocument,
  type ExportFormat,
  type ExportTotals,
  type ExportView,
  exportOperations,
} from '../operations.ts';
import type { ExportFlags } from './export-flags.ts';

/** The place of an export's files. */
export interface OutputPlace {
  /** The place of the main file: a whole path or an address. */
  readonly path: string;
  /** Writes one, whole or not at all. */
  put(path: string, bytes: AsyncIterable<Uint8Array | string>): Promise<void>;
  /** @throws BAD_USAGE where one is there, unless it may be replaced */
  refuseExisting(paths: readonly string[]): Promise<void>;
}

/** Undefined for standard output. @throws BAD_USAGE, BAD_SOURCE */
export async function outputPlace(config: Config, flags: ExportFlags): Promise<OutputPlace | undefined> {
  const { output } = flags;
  const remote = output === undefined ? undefined : await placeAtAddress(config, output, flags);
  if (remote !== undefined) return remote;
  const flag = addressFlagOf(flags);
  if (flag !== undefined) throw badUsage(`${flag} is for addresses, and --output is not one; leave it out`);
  if (output === undefined) return undefined;
  return { path: resolve(output), put: writeWhole, refuseExisting: async (paths) => refuseExisting(paths, flags) };
}

async function placeAtAddress(config: Config, output: string, flags: ExportFlags): Promise<OutputPlace | undefined> {
  if (!isAddress(output) && sourceName(output) === undefined) return undefined;
  // Loaded for those alone who need them.
  const [{ isAddressOrName, requestOf }, { writerTo }, { sourceAt }] = await Promise.all([
    import('../../../sources/named.ts'),
    import('../../../sources/spool.ts'),
    import('../../../sources/schemes.ts'),
  ]);
  if (!isAddressOrName(output, config.namedSources)) return undefined;
  const settings = await sourceSettingsOf(flags);
  const context = sourceContextOf(config);
  const { signal } = new AbortController();
  const at = (place: string) => sourceAt(requestOf(place, settings, context));
  const path = output.trim();
  // Refuses what can never be written, before anything is read.
  writerTo(await at(path));
  const isThere = async (place: string) => {
    const source = await at(place);
    const opened = await source.open(signal).catch(() => undefined);
    await opened?.close();
    return opened !== undefined;
  };
  return {
    path,
    put: async (place, bytes) => {
      // A file first: its size must be known, and a part of it may have to be sent again.
      await using folder = await temporaryFolder('export');
      const whole = join(folder.path, 'whole');
      await pipeline(bytes, createWriteStream(whole, { mode: 0o600 }));
      await writerTo(await at(place))(whole, signal);
    },
    refuseExisting: async (places) => {
      if (flags.overwrite) return;
      for (const place of places) {
        if (await isThere(place)) throw existsAlready(place);
      }
    },
  };
}

/** The way in which a command writes an export. */
export interface Wanted {
  readonly flags: ExportFlags & { readonly json?: boolean };
  readonly format: ExportFormat;
  /** The place of its files; undefined for standard output. */
  readonly output: OutputPlace | undefined;
}

interface Concluding extends Wanted {
  readonly io: Io;
  readonly imports: Pick<Imports, 'command' | 'server'>;
  /** Has the export. */
  readonly client: Client;
  readonly howToContinue: string;
}

/** Writes what was read, says what it is, and deletes the export, unless it can be continued. */
export async function concludeExport(options: Concluding, view: ExportView) {
  const { io, imports, client, flags, howToContinue } = options;
  const { id, state, reason, calls, createdAt, finishedAt, totals } = view;
  if (state === 'running' || state === 'stopped' || state === 'priced') {
    const why = state === 'running' ? 'Interrupted: nothing was written.' : `Stopped: ${reason}.`;
    say(io, '', why, 'What has been read is kept. Continue with:', howToContinue);
    if (state === 'priced') say(io, 'Add a larger --max-calls, or leave it out.');
    return state === 'running' ? EXIT.interrupted : EXIT.stopped;
  }
  const files = await write(options, view);
  if (totals !== null) {
    const document: ExportDocument = { id, state, reason, calls, createdAt, finishedAt, totals, files };
    if (flags.json) printJson(io, document);
    else sayExport(io, imports, view, totals, files);
  }
  await client.call(exportOperations.remove, { id });
  return state === 'completed' ? EXIT.ok : EXIT.rowsFailed;
}

async function write(options: Concluding, view: ExportView) {
  const { io, imports, client, format, output } = options;
  const { id, lists } = view;
  const bytesOf = (list: ExportView['lists'][number]) =>
    client.download(exportOperations.download, { id, list, format });
  const files = output === undefined ? [] : outputFiles(lists, output.path);
  try {
    for (const { list, path } of files) await output?.put(path, await bytesOf(list));
    const [main] = lists;
    if (output === undefined && main !== undefined) await writeOut(io, await bytesOf(main));
    return files;
  } catch (error) {
    if (isError(error, 'BAD_SOURCE')) say(io, '', 'What has been read is kept. Continue with:', options.howToContinue);
    if (output === undefined || !(error instanceof Error && 'syscall' in error)) throw error;
    const how = imports.server
      ? `name another file with --output, and --resume ${id}`
      : `name another file: rollcall export --resume ${id} --output <file>`;
    throw badUsage(`the export cannot be written: ${error.message}; ${how}`);
  }
}

/** Groups that are named one by one; more are counted. */
const NAMED = 10;

/** Says what an export has, what it lacks, and how it is read back. */
function sayExport(
  io: Io,
  imports: Pick<Imports, 'command'>,
  { lists, calls }: ExportView,
  totals: ExportTotals,
  files: readonly WrittenFile[],
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
  say(io, `  ${imports.command('sync', file.path)} --mode mirror --missing remove --allow-demotion`);
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
