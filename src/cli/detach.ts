import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../platform/package-folder.ts';
import { localImports } from './client/data-directory.ts';
import { findImport } from './client/kept-imports.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { WorkersFlags } from './flags/flags.ts';
import { type RunOptions, runImport } from './run-import.ts';
import { conclude } from './screen/conclude.ts';
import { say } from './screen/io.ts';
import { shortest, typedCommand } from './typed-command.ts';

/** Reads the input here, so that a bad file is reported at once, and starts another process to send it. */
export async function detach(options: RunOptions, flags: WorkersFlags): Promise<ExitCode> {
  const { config, io } = options;
  let id: string | undefined;
  const code = await runImport({
    ...options,
    quiet: true,
    begin: async (coordinator, signal) => {
      id = await options.begin(coordinator, signal);
      return id;
    },
  });
  if (id === undefined) return code;
  const record = findImport(config.dataDir, id);
  // With a code, it waits for a person: no app for a region, no names to create users with, too many removals.
  if (record.state !== 'staged' || record.code !== null) return conclude(localImports(config), io, id, options.json);
  if (code !== EXIT.ok && code !== EXIT.rowsFailed) return code;
  const output = join(dataDir(config.dataDir).folder(id), 'output.log');
  const child = startSending(sendingArguments(config, flags, id), openSync(output, 'a', 0o600));
  // The next command must see it running: `watch` would take a staged import for a dry run.
  const waits = () => findImport(config.dataDir, record.id).state === 'staged';
  while (waits() && child.exitCode === null && child.signalCode === null) await sleep(LOOK_MS);
  if (waits()) {
    say(io, `Nothing was sent: its process has ended, and ${shortest(output)} says why. Then:`);
    say(io, `  ${typedCommand(config, 'resume', id)}`);
    return EXIT.fatal;
  }
  child.unref();
  if (options.json) io.out.write(`${JSON.stringify({ id, pid: child.pid })}\n`);
  else io.out.write(`${id}\n`);
  say(io, 'Sending in the background. Watch it with:', `  ${typedCommand(config, 'watch', id)}`);
  return EXIT.ok;
}

const LOOK_MS = 50;

/**
 * The command that sends an import as this process would: `resume` with its flags. Other settings come from the inherited
 * environment; how the file is read is kept with the import.
 */
export function sendingArguments(
  {
    profile,
    dataDir,
    callsPerMinute,
    budgetShare,
    concurrency,
    perGroup,
  }: Pick<Config, 'profile' | 'dataDir' | 'callsPerMinute' | 'budgetShare' | 'concurrency' | 'perGroup'>,
  { queue, withWorkers }: WorkersFlags,
  id: string,
): readonly string[] {
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

function startSending(args: readonly string[], log: number): ChildProcess {
  const main = fileURLToPath(new URL('bin/rollcall.js', PACKAGE_FOLDER));
  return spawn(process.execPath, [...process.execArgv, main, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
}
