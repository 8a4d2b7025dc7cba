import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import pLimit from 'p-limit';

/** `npm run check`: the scripts `check:…` of package.json, side by side on all cores. Says what those say that object. */

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const inTurn = pLimit(availableParallelism());
await Promise.all(names.map((name) => inTurn(check, name)));

async function check(name: string): Promise<void> {
  const child = spawn(`npm run --silent ${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code === 0) return;
  process.stderr.write(`${name} objects:\n${out}${err}\n`);
  process.exitCode = 1;
}
