import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/main.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

let isRunning = false;

/**
 * Runs a command line in this process, in a folder and with an environment of its own: in a tenth of the time that a
 * process takes. Undefined when one runs already: a process has one folder and one environment.
 */
export function runHere(args: readonly string[], { cwd, env }: Surroundings): Promise<Ended> | undefined {
  if (isRunning) return undefined;
  isRunning = true;
  const before = { cwd: process.cwd(), env: process.env };
  process.chdir(cwd);
  process.env = { ...env };
  const [out, err] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(out), text(err)]);
  return main(args, { out, err, live: false, color: false, width: 80 })
    .finally(() => {
      process.chdir(before.cwd);
      process.env = before.env;
      isRunning = false;
    })
    .then(async (code) => {
      out.end();
      err.end();
      const [stdout, stderr] = await said;
      return { code, stdout, stderr };
    });
}
