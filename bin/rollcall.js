#!/usr/bin/env node
// Starts rollcall on a Node that can run it. Plain JavaScript, because an older Node must be able to read this much.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, NODE_FLAGS } from './process-settings.js';

const NEEDED = 24;

// Node prints warnings about what libraries do, such as a timer below zero: nobody at a terminal can do anything about them.
process.removeAllListeners('warning');

// A clone has the sources; an installed package has what was built from them.
const source = new URL('../src/cli/main.ts', import.meta.url);
const main = existsSync(source) ? source : new URL('../dist/src/cli/main.js', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  // Same process id, same terminal; it takes the 20 ms that Node needs to start.
  if (!startedAsWanted()) process.execve?.(process.execPath, [process.execPath, ...commandLine()], environment());
  // Types stripped and code compiled once are kept beside the packages: later starts take a third of the time. Where that
  // folder cannot be written, rollcall starts without. Threads learn of it from the environment.
  process.env.NODE_COMPILE_CACHE ||= fileURLToPath(new URL('../node_modules/.cache/rollcall', import.meta.url));
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { start } = await import(main.href);
  await start();
} else {
  const node = newerNode();
  if (node === undefined) {
    process.stderr.write(
      `rollcall needs Node ${NEEDED} or newer, and this is ${process.version}. Install a newer one (https://nodejs.org),\n` +
        `or let npm bring one for rollcall alone (about 100 MB, the first time):\n` +
        `  npx --package node@${NEEDED} -- node ${[fileURLToPath(import.meta.url), ...asked()].map(word).join(' ')}\n`,
    );
    process.exit(2);
  }
  const child = spawn(node, commandLine(), { stdio: 'inherit', env: environment() });
  // From a terminal the child gets a Ctrl-C by itself, and once more from here: it takes the two for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 5 : 4);
  });
}

/** Returns the arguments behind the program's name. */
function asked() {
  return process.argv.length > 2 ? process.argv.slice(2) : ['--help'];
}

/** A value as a shell reads it back unchanged, as src/text/terminal-text.ts writes it. @param {string} value */
function word(value) {
  return /^[\w./:@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** Windows cannot replace a process: there rollcall runs as it was started, and takes more memory. */
function startedAsWanted() {
  return process.platform === 'win32' || NODE_FLAGS.every((flag) => process.execArgv.includes(flag));
}

/** The same command line with Node's flags; flags that the user set come after them and win. */
function commandLine() {
  return [...NODE_FLAGS, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
}

function environment() {
  return { ...ALLOCATOR, ...process.env };
}

/** The Node of the npm package `node`: a clone has it, and a folder where it was installed beside rollcall. */
function newerNode() {
  try {
    const folder = dirname(module.createRequire(import.meta.url).resolve('node/package.json'));
    const program = join(folder, 'bin', 'node');
    // Its install script makes the program, and may have been left out.
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
