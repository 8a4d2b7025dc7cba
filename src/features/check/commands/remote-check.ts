import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { followImport } from '../../../cli/screen/follow.ts';
import { say } from '../../../cli/screen/io.ts';
import type { RemoteOptions } from '../../../cli/target/imports.ts';
import { unless } from '../../../cli/target/operation-client.ts';
import { sendForImport } from '../../../cli/target/send-file.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { untilSettled } from '../../../cli/target/settled.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import type { CheckView } from '../api.ts';
import { checkOperations } from '../operations.ts';
import { askToPay, checkLines, concludeCheck } from './check-outcome.ts';
import type { Checked } from './checked.ts';

/** Checks that a server makes: begun there, and followed to their end. */

/** More than any check takes; the most that the API reads. */
const ANY_NUMBER = 999_999_999;

/** Sends a file to a server that reads it and sends nothing, and has it checked there. */
export async function sendAndCheck(
  options: RemoteOptions,
  file: string,
  flags: Parameters<typeof sendForImport>[2],
  maxCalls: number,
): Promise<ExitCode> {
  const { io, imports, json } = options;
  const sent = await sendForImport(options, file, { ...flags, dryRun: true });
  if ('code' in sent) return sent.code;
  const { id } = sent;
  const signal = firstSignal(EXIT.stillRunning);
  try {
    if ((await followImport(io, imports, id, { signal: signal.signal })) === 'left') {
      say(io, '', 'The server reads the file and sends nothing. Check it with:', `  ${imports.command('check', id)}`);
      return EXIT.stillRunning;
    }
  } finally {
    signal.ignore();
  }
  if ((await imports.find(id)).state !== 'staged') return conclude(imports, io, id, json);
  return checkRemotely(options, id, maxCalls);
}

/** Has a server check an import, or continue its check, and shows what it finds. Ctrl-C only stops watching. */
export async function checkRemotely(options: RemoteOptions, id: string, maxCalls: number): Promise<ExitCode> {
  const { io, imports, server, json } = options;
  const begin = (calls: number) =>
    server.call(checkOperations.begin, { id, maxCalls: `${Math.min(calls, ANY_NUMBER)}` });
  const signal = firstSignal(EXIT.stillRunning);
  const settled = () =>
    untilSettled({
      ...{ io, server, signal: signal.signal },
      look: () => server.call(checkOperations.one, { id }),
      goesOn: ({ underWay }) => underWay,
      linesOf: ({ progress }) => checkLines(progress ?? undefined),
      begins: 'the check to begin',
    });
  let view: CheckView | undefined;
  try {
    view = await begin(maxCalls);
    view = await settled();
    const calls = Object.values(view.price ?? {}).reduce((sum, n) => sum + n, 0);
    if (view.state === 'priced' && calls > 0 && (await askToPay(io, calls, undefined, signal.signal))) {
      await begin(ANY_NUMBER);
      view = await settled();
    }
  } catch (error) {
    if (!signal.signal.aborted) throw error;
  } finally {
    signal.ignore();
  }
  const checked = view && (await checkedRemotely(server, id));
  if (checked === undefined || checked.underWay) {
    say(io, '', `The check continues at ${server.url}. Follow it with:`, `  ${imports.command('check', id)}`);
    return EXIT.stillRunning;
  }
  return concludeCheck({ io, imports, id, json, sandbox: false, checked });
}

/** Fetches a server's check of an import; returns undefined if there is none. */
export async function checkedRemotely(server: Server, id: string): Promise<Checked | undefined> {
  const record = await unless('NO_CHECK_YET', server.call(checkOperations.one, { id }));
  if (record === undefined) return undefined;
  const { summary, underWay } = record;
  const files = ['rows', 'groups'].map((list) => `${server.url}/v1/imports/${encodeURIComponent(id)}/check/${list}`);
  return { record, summary: summary ?? undefined, files, underWay };
}
