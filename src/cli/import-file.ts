import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { importOperations } from '../api/imports.ts';
import { aimOf } from '../app/open-service.ts';
import { reserveImport } from '../imports/import-id.ts';
import { chosenOptions, type ImportOptions } from '../imports/import-options.ts';
import { checkInput } from '../imports/read/byte-source.ts';
import { textsOf } from '../options/option.ts';
import { BANS, SENDING } from '../options/sending-options.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../platform/packages.ts';
import { fileOperations } from '../server/import-handlers.ts';
import type { Server } from './client/server-client.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { type ImportFlags, maxCallsOf, shapeOf } from './flags/file-flags.ts';
import { type RunningFlags, tagsOf } from './flags/flags.ts';
import { expectedRows, inputFiles, optionsWithRecipe, requireCount } from './input-files.ts';
import { IMPORT_BEGINS, importWork, type Running, run, sayNothingBegan, type Work } from './run.ts';
import { followSteps } from './screen/follow.ts';
import { say, shortest } from './screen/io.ts';

type Begin = Pick<Work, 'begin' | 'begins' | 'beginLines'>;

/** Imports a file, or what is at an address or on standard input. */
export async function importInput(running: Running, file: string, flags: ImportFlags) {
  const { server } = running.imports;
  const tags = tagsOf(flags.tag);
  const begin =
    server === undefined ? await beginHere(running, file, flags, tags) : beginThere(running, server, file, flags, tags);
  if (flags.check) {
    const { checkWork } = await import('../features/check/commands/check-command.ts');
    return run(running, checkWork(running, { ...begin, maxCalls: maxCallsOf(flags) }));
  }
  const work = importWork(running, begin);
  return flags.detach === true ? detached(running, work, flags) : run(running, work);
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
      // Its regions and budgets are the server's.
      const more = textsOf({ ...BANS, ...SENDING }, { ...flags, dryRun: flags.check ?? flags.dryRun });
      if (tags.length > 0) more.push(['tags', tags.join(',')]);
      const howToSee = running.imports.command('list');
      const operation = importOperations.create;
      return sendFile(running, { signal, server, file, flags, operation, more, howToSee });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function beginHere(running: Running, given: string, flags: ImportFlags, tags: readonly string[]): Promise<Begin> {
  const { config, io } = running;
  const { lines, obtain } = await givenFile(running, given, flags, { check: checkInput, mustBeWhole: false });
  const dir = dataDir(config.dataDir);
  return {
    begins: given === '-' ? 'standard input to end' : IMPORT_BEGINS,
    beginLines: lines,
    begin: async ({ client, signal, here }) => {
      const id = await reserveImport(dir);
      const found = await obtain(dir.folder(id), signal);
      if (found === undefined) return { code: sayNothingBegan(io) };
      const { name: file, source, options, lookups } = found;
      const aimed = { ...options, ...aimOf(config, flags) };
      // Another process of this command sends what this one only reads.
      const start = flags.detach !== true || here === undefined;
      return client.call(fileOperations.create, { id, file, source, options: aimed, tags, lookups, start });
    },
  };
}

/**
 * The file of which this machine makes an import or a sync, with the options of its flags and recipe.
 * @param check refuses a path, before anything is opened @param mustBeWhole standard input must say so
 */
export async function givenFile(
  running: Pick<Running, 'config' | 'io'>,
  file: string,
  flags: ImportFlags,
  { check, mustBeWhole }: { readonly check: (path: string) => Promise<unknown>; readonly mustBeWhole: boolean },
) {
  const { config } = running;
  const chosen = importOptionsOf(config, flags);
  const { fetched, lines, obtain } = await inputFiles(running, file, flags);
  if (fetched === undefined) await check(file);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, chosen, file) : chosen;
  return {
    lines,
    /** Fetches it into a folder, which goes where it is not had. Undefined where the signal came first. */
    obtain: async (folder: string, signal: AbortSignal) => {
      const input = join(folder, 'input');
      const found = await obtain(input, signal);
      if (found === undefined) return undefined;
      const { name, lookups } = found;
      if (fetched === undefined) return { name, source: resolve(file), from: resolve(file), options: ofPath, lookups };
      try {
        const whole = { ...chosen, ...expectedRows(chosen, found) };
        if (file === '-' && mustBeWhole) requireCount(whole);
        const options = await optionsWithRecipe(config, flags.recipe, whole, input, name);
        return { name: file === '-' ? file : name, source: input, from: fetched.name, options, lookups };
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
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
    const output = join(dataDir(config.dataDir).folder(id), 'output.log');
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
  { profile, dataDir, callsPerMinute, budgetShare, concurrency, perGroup }: Config,
  { queue, withWorkers }: RunningFlags,
  id: string,
) {
  return [
    'resume',
    id,
    ...['--data-dir', dataDir],
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(budgetShare === undefined ? ['--calls-per-minute', String(callsPerMinute)] : []),
    ...['--concurrency', String(concurrency)],
    ...['--per-group', String(perGroup)],
    ...(queue === undefined ? [] : ['--queue', queue]),
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
