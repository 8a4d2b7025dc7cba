import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../temp-dir.ts';

const RECEIVE = `
import { Readable } from 'node:stream';
const [path, module] = process.argv.slice(1);
const { receive } = await import(module);
const options = { maxBytes: 10_000, idleMs: 5_000, signal: new AbortController().signal };
const result = receive(Readable.from([Buffer.alloc(1_500, 'a')]), path, options);
console.log(await result.then(() => 'received', (error) => error.code));
`;

test('an upload whose last bytes find no room on the disk is refused', async () => {
  const path = join(tempDir(), 'upload');
  const module = new URL('../../src/server/uploads/receive.ts', import.meta.url).href;
  // The system writes as much of a piece as it can: here, files end after 1,024 bytes.
  const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'bash'];
  const node = [process.execPath, '--input-type=module', '-e', RECEIVE, path, module];
  const { stdout } = await promisify(execFile)('bash', [...limited, ...node]);
  expect(stdout.trim()).toBe('EFBIG');
});
