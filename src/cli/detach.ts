import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { flagOf } from '../errors/named-options.ts';
import type { Config } from '../platform/config.ts';
import { defined } from '../platform/defined.ts';
import { PACKAGE_FOLDER } from '../platform/packages.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { RunningFlags } from './flags/flags.ts';
import { type Running, run, type Work } from './run.ts';
import { followSteps } from './screen/follow.ts';
import { say, shortest } from './screen/io.ts';

/**
 * Runs an import in the background: a server or the owner of the data directory continues it, or another process sends
 * it when its input is read here, so that a bad file is reported at once.
 */
export function detached(running: Running, work: Work, flags: RunningFlags) {
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
    const found = await imports.find(id);
    const { state, code } = found;
    if (isElsewhere && state !== 'rejected') return end({ id }, `The ${by} continues it.`);
    // With a code, it waits for a person: no app for a region, no names to create users with, too many removals.
    if (state !== 'staged' || code !== undefined) return work.conclude(ended);
    const read = exitCodeOf(found);
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

/** `resume` with the flags of this process. Other settings are inherited; the import has those for its file. */
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
