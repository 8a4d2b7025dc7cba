import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openWorkplace } from './workplace.ts';

/** Makes the process throw, where nothing catches it, as soon as its control socket listens. */
function throwing(how: string): Readonly<Record<string, string>> {
  const script = `
    import net from 'node:net';
    const listen = net.Server.prototype.listen;
    net.Server.prototype.listen = function (...given) {
      if (typeof given[0] === 'string') this.once('listening', () => setImmediate(() => { ${how} }));
      return listen.apply(this, given);
    };`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
}

test.each([
  ['an exception', 'throw new Error("out of order")'],
  ['a rejection', 'Promise.reject(new Error("out of order"))'],
])('%s that nothing catches ends with exit code 4 and a sentence, and its stack is in the log', async (_, how) => {
  const place = await openWorkplace();
  const { ended } = place.start(['serve', '--sandbox', '--port', '0'], { env: throwing(how) });
  const { code, stderr } = await ended;
  expect(stderr).toContain('out of order');
  expect(stderr).toContain('[UNEXPECTED_ERROR]');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(EXIT.fatal);
  expect(readFileSync(join(place.dataDir, 'rollcall.log'), 'utf8')).toMatch(/\\n\s+at /);
});
