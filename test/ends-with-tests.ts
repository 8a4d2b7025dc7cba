import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Ctrl-C in a terminal reaches every process of a test run. A run that is stopped in another way, such as by an editor or
 * a time limit, ends without a chance to end what it has started: the server of a test would stay.
 */

/** Notes `+ pid` and `- pid`, and ends what is left when its input closes, which it does however the run ends. */
const WATCHER = `
trap '' INT TERM
left=
while read -r sign pid; do
  if [ "$sign" = + ]; then left="$left $pid"; continue; fi
  others=
  for one in $left; do [ "$one" = "$pid" ] || others="$others $one"; done
  left=$others
done
[ -z "$left" ] || kill -9 $left 2>/dev/null
`;

let watcher: Writable | undefined;

/** Has a process end with this one, however this one ends. */
export function endsWithTests(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  watcher ??= startWatcher();
  watcher.write(`+ ${pid}\n`);
  child.once('exit', () => watcher?.write(`- ${pid}\n`));
}

function startWatcher(): Writable {
  const shell = spawn('sh', ['-c', WATCHER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Neither keeps this process running.
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  shell.stdin.on('error', () => {});
  return shell.stdin;
}
