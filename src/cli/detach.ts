import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDir } from '../pipeline/data-dir.ts';
import { findImport } from './data.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { say } from './io.ts';
import { conclude, type RunOptions, runImport } from './run-import.ts';

/** Reads the input here, so that a bad one is known at once, and leaves the sending to a process of its own. */
export async function detach(options: RunOptions): Promise<ExitCode> {
  const { config, io } = options;
  let id = '';
  const code = await runImport({
    ...options,
    quiet: true,
    begin: async (coordinator) => {
      id = await options.begin(coordinator);
      return id;
    },
  });
  const record = findImport(config.dataDir, id);
  if (record.state !== 'staged' || record.reason.includes('_APP_ID')) return conclude(config, io, id, options.json);
  if (code !== EXIT.ok && code !== EXIT.rowsFailed) return code;
  const log = openSync(join(dataDir(config.dataDir).folder(id), 'output.log'), 'a', 0o600);
  const main = fileURLToPath(new URL('rollcall.js', import.meta.url));
  const pace = ['--calls-per-minute', String(config.callsPerMinute), '--concurrency', String(config.concurrency)];
  const child = spawn(
    process.execPath,
    [...process.execArgv, main, 'resume', id, '--data-dir', config.dataDir, ...pace],
    {
      detached: true,
      stdio: ['ignore', log, log],
    },
  );
  child.unref();
  if (options.json) io.out.write(`${JSON.stringify({ id, pid: child.pid })}\n`);
  else io.out.write(`${id}\n`);
  say(io, `Sending in the background. Look at it with:`, `  ${config.command} watch ${id}`);
  return EXIT.ok;
}
