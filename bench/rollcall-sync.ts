/** Contender of sync.ts: `rollcall sync <file>` with these flags in this process, exactly as the command line runs it. */
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../src/cli/main.ts';
import type { Io } from '../src/cli/screen/io.ts';
import { report } from './measure.ts';

const [file = '', dataDir = '', ...flags] = process.argv.slice(2);
if (!existsSync(file)) throw new Error('usage: rollcall-sync.ts <file> <data directory> [flags]');

await report(async () => {
  const out = new PassThrough();
  const err = new PassThrough();
  const io: Io = { out, err, live: false, color: false, width: 80 };
  const said = Promise.all([text(out), text(err)]);
  const code = await main(['sync', file, '--json', '--data-dir', dataDir, ...flags], io);
  out.end();
  err.end();
  const [json, messages] = await said;
  if (code !== 0) throw new Error(`rollcall ended with ${code}: ${messages}${json}`);
  const { totals } = JSON.parse(json) as { totals: { changes: number } };
  return totals.changes;
});
