import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { importOperations } from '../api/imports.ts';
import { aimOf } from '../app/open-service.ts';
import { flagOf } from '../errors/named-options.ts';
import { reserveImport } from '../imports/import-id.ts';
import { chosenOptions, type ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/byte-source.ts';
import { mapLookups } from '../options/lookups.ts';
import { BANS, SENDING } from '../options/sending-options.ts';
import { shapeOf } from '../options/shape-flags.ts';
import type { Config } from '../platform/config.ts';
import { defined } from '../platform/defined.ts';
import { PACKAGE_FOLDER } from '../platform/packages.ts';
import { fileOperations } from '../server/import-handlers.ts';
import type { Server } from './client/server-client.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { type FileFlags, type ImportFlags, maxCallsOf } from './flags/file-flags.ts';
import { type RunningFlags, tagsOf } from './flags/flags.ts';
import { inputFiles, recipeFor } from './input-files.ts';
import { IMPORT_BEGINS, importWork, type Running, run, sayNothingBegan, type Work } from './run.ts';
import { followSteps } from './screen/follow.ts';
import { say, shortest } from './screen/io.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. Of a file that cannot be used, it says what it is. */
export async function importInput(running: Running, file: string, flags: ImportFlags) {
  const { config, io, imports } = running;
  const options = importOptionsOf(config, flags);
  const tags = tagsOf(flags.tag);
  const begin =
    imports.server === undefined
      ? await beginHere(running, file, flags, options, tags)
      : beginThere(running, imports.server, file, flags, tags);
  const code = await work(running, begin, flags);
  if (code === EXIT.usage) {
    const { sayWhatItIs } = await import('../features/inspect/commands/inspect-file.ts');
    await sayWhatItIs(io, config, file, options, {
      lookups: mapLookups(flags, (name) => name),
      recipe: flags.recipe,
      typed: (...words) => `${imports.command(...words)}${flags.sandbox ? ' --sandbox' : ''}`,
    });
  }
  return code;
}

async function work(running: Running, begin: Begin, flags: ImportFlags) {
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-command.ts');
    return run(running, checkWork(running, { ...begin, maxCalls: maxCallsOf(flags) }));
  }
  const importing = importWork(running, begin);
  return flags.detach === true ? detached(running, importing, flags) : run(running, importing);
}

function beginThere(
  running: Running,
  server: Server,
  file: string,
  flags: ImportFlags,
  tags: readonly string[],
): Begin {
  return {
    begins: IMPORT_BEGINS,
    begin: async ({ signal }) => {
      const { sendFile } = await import('./client/send-file.ts');
      return sendFile(running, {
        signal,
        server,
        file,
        flags: { ...flags, dryRun: flags.check ?? flags.dryRun },
        operation: importOperations.create,
        // Its regions and budgets are the server's.
        options: { ...BANS, ...SENDING },
        more: tags.length > 0 ? [['tags', tags.join(',')]] : [],
        howToSee: running.imports.command('list'),
      });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(
  running: Running,
  given: string,
  flags: ImportFlags,
  chosen: ImportOptions,
  tags: readonly string[],
): Promise<Begin> {
  const { config, io } = running;
  const { dir } = config;
  const { lines, obtain } = await givenFile(running, given, flags, { chosen, check: checkInput, mustBeWhole: false });
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ client, signal, here }) => {
      const id = await reserveImport(dir);
      const found = await obtain(dir.folder(id), signal);
      if (found === undefined) return { code: sayNothingBegan(io) };
      const { name: file, source, options, lookups } = found;
      const aimed = { ...options, ...aimOf(config, options) };
      // Another process of this command sends what this one only reads.
      const start = flags.detach !== true || here === undefined;
      return client.call(fileOperations.create, { id, file, source, options: aimed, tags, lookups, start });
    },
  };
}

interface GivenFile {
  /** The options that the flags say. */
  readonly chosen: ImportOptions;
  /** Refuses a path, before anything is opened. */
  readonly check: (path: string) => Promise<unknown>;
  /** Standard input must say that it is. */
  readonly mustBeWhole: boolean;
}

/** The file of which this machine makes an import or a sync, with the options of its flags and recipe. */
export async function givenFile(
  running: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: FileFlags,
  { chosen, check, mustBeWhole }: GivenFile,
) {
  const optionsFor = await recipeFor(running.config, flags.recipe, chosen);
  const { fetched, lines, obtain } = await inputFiles(running, file, flags, mustBeWhole ? 'whole' : 'stored');
  if (fetched === undefined) await check(file);
  const ofPath = fetched === undefined ? await optionsFor(file) : undefined;
  return {
    lines,
    /** Fetches it into a folder, which goes where it is not had. Undefined where the signal came first. */
    obtain: async (folder: string, signal: AbortSignal) => {
      const input = join(folder, 'input');
      let isHad = false;
      try {
        const found = await obtain(input, signal);
        if (found === undefined) return undefined;
        const { name, lookups, expectRows } = found;
        const options = ofPath ?? (await optionsFor(input, name));
        isHad = true;
        const path = resolve(file);
        if (fetched === undefined) return { name, source: path, from: path, options, lookups };
        return {
          name: file === '-' ? file : name,
          source: input,
          from: fetched.name,
          options: { ...options, ...(expectRows !== undefined && { expectRows }) },
          lookups,
        };
      } finally {
        if (!isHad) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The options of an import, as its flags and the settings say. */
export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  return chosenOptions(
    { ...flags, shape: shapeOf(flags), dryRun: flags.dryRun === true || flags.check === true },
    { region: config.defaultRegion, sandbox: flags.sandbox === true },
  );
}

/**
 * Runs an import in the background: a server, or the process that owns the data directory, continues it, or the input is read here, so that a bad file is reported at once, and
 * another process sends it.
 */
function detached(running: Running, work: Work, flags: ImportFlags) {
  const { config, io, imports, json } = running;
  const { server } = imports;
  const end = (facts: { readonly id: string; readonly pid?: number | undefined }, how: string): ExitCode => {
    io.out.write(json ? `${JSON.stringify(facts)}\n` : `${facts.id}\n`);
    say(io, `${how} Watch it with:`, `  ${imports.command('watch', facts.id)}`);
    return EXIT.ok;
  };
  let isElsewhere = false;
  const follow: Work['follow'] = async (doing, id) => {
    isElsewhere = doing.here === undefined;
    if (!isElsewhere) return work.follow(doing, id);
    // A bad file is reported at once. A server that was sent it reads it later.
    if (server === undefined) {
      await followSteps({
        id,
        io,
        imports,
        signal: doing.signal,
        look: () => imports.one(id),
        goesOn: ({ state }, before, isHeard) => state === 'staging' && (isHeard || before === undefined),
        linesOf: () => [],
        begins: 'the file to be read',
      });
    }
    return 'over';
  };
  const conclude: Work['conclude'] = async (ended) => {
    const { id } = ended;
    const by = server === undefined ? 'process that uses the data directory' : `server at ${server.url}`;
    const { state, code, rows } = await imports.find(id);
    if (isElsewhere && state !== 'rejected') return end({ id }, `The ${by} continues it.`);
    // With a code, it waits for a person: no app for a region, no names to create users with, too many removals.
    if (state !== 'staged' || code !== undefined) return work.conclude(ended);
    const read = exitCodeOf({ state, code }, rows);
    if (read !== EXIT.ok && read !== EXIT.rowsFailed) return read;
    const output = join(config.dir.folder(id), 'output.log');
    const child = startSending(sendingArguments(config, flags, id), openSync(output, 'a', 0o600));
    // The next command must see it running: `watch` would take a staged import for a dry run.
    const waits = async () => (await imports.find(id)).state === 'staged';
    while ((await waits()) && child.exitCode === null && child.signalCode === null) await sleep(LOOK_MS);
    if (await waits()) {
      say(io, `Nothing was sent: its process has ended, and ${shortest(output)} says why. Then:`);
      say(io, `  ${imports.command('resume', id)}`);
      return EXIT.fatal;
    }
    child.unref();
    return end({ id, pid: child.pid }, 'Sending in the background.');
  };
  const { named: _, ...rest } = work;
  return run(running, { ...rest, follow, conclude });
}

const LOOK_MS = 50;

/**
 * The command that sends an import as this process would: `resume` with its flags. Other settings come from the inherited
 * environment; how the file is read is kept with the import.
 */
export function sendingArguments(
  { profile, dataDir, callsPerMinute: calls, budgetShare, concurrency, perGroup }: Config,
  { queue, withWorkers }: RunningFlags,
  id: string,
) {
  const callsPerMinute = budgetShare === undefined ? calls : undefined;
  const flags = defined({ dataDir, profile, callsPerMinute, concurrency, perGroup, queue });
  return [
    'resume',
    id,
    ...Object.entries(flags).flatMap(([name, value]) => [flagOf(name), String(value)]),
    ...(withWorkers === true ? ['--with-workers'] : []),
  ];
}

function startSending(args: readonly string[], log: number) {
  const main = fileURLToPath(new URL('bin/rollcall.js', PACKAGE_FOLDER));
  return spawn(process.execPath, [...process.execArgv, main, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
}
