#!/usr/bin/env node
// Starts rollcall on a Node that can run it. Plain JavaScript, because an older Node must be able to read this much.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

// Node prints warnings about what libraries do, such as a timer below zero: nobody at a terminal can do anything about them.
process.removeAllListeners('warning');

const main = new URL(import.meta.url.includes('/dist/') ? 'main.js' : 'main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  const { start } = await import(main.href);
  await start();
} else {
  const child = spawn(newerNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // From a terminal the child gets a Ctrl-C by itself, and once more from here: it takes the two for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 5 : 4);
  });
}

/** The Node that comes as a dev dependency of a clone. */
function newerNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  } catch {
    process.stderr.write(`rollcall needs Node ${NEEDED} or newer; this is ${process.version}\n`);
    process.exit(2);
  }
}
