/** Part of fleet.ts: `rollcall worker` in this process, exactly as the command line runs it, until SIGTERM. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../src/cli/main.ts';
import type { Io } from '../src/cli/screen/io.ts';
import { report } from './measure.ts';

await report(async () => {
  const err = new PassThrough();
  const io: Io = { out: err, err, live: false, color: false, width: 80 };
  const said = text(err);
  const code = await main(['worker', '--region', 'us,eu,in'], io);
  err.end();
  if (code !== 0) throw new Error(`the worker ended with ${code}: ${await said}`);
  return 0;
});
