#!/usr/bin/env node
// Starts rollcall on a Node that can run it. Plain JavaScript, because an older Node must be able to read this much.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, NODE_FLAGS } from './process-settings.js';

const NEEDED = 24;

// Node prints warnings about what libraries do, such as a timer below zero: nobody at a terminal can do anything about them.
process.removeAllListeners('warning');

const main = new URL(import.meta.url.includes('/dist/') ? 'main.js' : 'main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  // Same process id, same terminal; it takes the 20 ms that Node needs to start.
  if (!startedAsWanted()) process.execve?.(process.execPath, [process.execPath, ...commandLine()], environment());
  // Types stripped and code compiled once are kept beside the packages: later starts take a third of the time. Where that
  // folder cannot be written, rollcall starts without. Threads learn of it from the environment.
  process.env.NODE_COMPILE_CACHE ||= fileURLToPath(new URL('../../node_modules/.cache/rollcall', import.meta.url));
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { start } = await import(main.href);
  await start();
} else {
  const child = spawn(newerNode(), commandLine(), { stdio: 'inherit', env: environment() });
  // From a terminal the child gets a Ctrl-C by itself, and once more from here: it takes the two for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 5 : 4);
  });
}

/** Windows cannot replace a process: there rollcall runs as it was started, and takes more memory. */
function startedAsWanted() {
  return process.platform === 'win32' || NODE_FLAGS.every((flag) => process.execArgv.includes(flag));
}

/** Of this process once more; a setting that somebody made is kept. */
function commandLine() {
  return [...NODE_FLAGS, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
}

function environment() {
  return { ...ALLOCATOR, ...process.env };
}

/** The Node that comes as a dev dependency of a clone. */
function newerNode() {
  try {
    return join(dirname(module.createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  } catch {
    process.stderr.write(`rollcall needs Node ${NEEDED} or newer; this is ${process.version}\n`);
    process.exit(2);
  }
}
