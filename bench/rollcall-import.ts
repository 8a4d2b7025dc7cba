/** Contender of import.ts, memory.ts and regions.ts: `rollcall import <file>` in this process, exactly as the command line runs it. */
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ImportSummary } from '../src/api/import-summary.ts';
import { main } from '../src/cli/main.ts';
import type { Io } from '../src/cli/screen/io.ts';
import { report } from './measure.ts';

const [file = '', dataDir = '', callsPerMinute = '10000000'] = process.argv.slice(2);
if (!existsSync(file)) throw new Error(`usage: rollcall-import.ts <file> <data directory> [<calls per minute>]`);

await report(async () => {
  const out = new PassThrough();
  const err = new PassThrough();
  const io: Io = { out, err, live: false, color: false, width: 80 };
  const said = Promise.all([text(out), text(err)]);
  const pace = ['--calls-per-minute', callsPerMinute];
  const code = await main(['import', file, '--json', '--data-dir', dataDir, ...pace], io);
  out.end();
  err.end();
  const [json, messages] = await said;
  if (code !== 0) throw new Error(`rollcall ended with ${code}: ${messages}`);
  const { rows } = JSON.parse(json) as ImportSummary;
  return rows.added + rows.banned;
});
