/** Contender of check.ts: `rollcall import <file> --check --yes` in this process, exactly as the command line runs it. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../src/cli/main.ts';
import type { Io } from '../src/cli/screen/io.ts';
import type { CheckSummary } from '../src/features/check/operations.ts';
import { report } from './measure.ts';

const [file = '', dataDir = ''] = process.argv.slice(2);

await report(async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const io: Io = { out, err, live: false, color: false, width: 80 };
  const said = Promise.all([text(out), text(err)]);
  const flags = ['--yes', '--json', '--data-dir', dataDir, '--calls-per-minute', '10000000'];
  await main(['import', file, '--check', ...flags], io);
  out.end();
  err.end();
  const [json, messages] = await said;
  if (json === '') throw new Error(messages);
  const { rows, calls } = JSON.parse(json) as CheckSummary;
  process.stderr.write(`${JSON.stringify({ rows, calls })}\n`);
  return rows.add + rows.ban;
});
