import type { RemoteOptions } from '../../../cli/client/import-place.ts';
import { sendForImport } from '../../../cli/client/send-file.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { followImport } from '../../../cli/screen/follow.ts';
import { say } from '../../../cli/screen/io.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import { concludeCheck } from './check-outcome.ts';
import { checkedAt } from './checked.ts';
import { makeCheck } from './make-check.ts';

/** Checks that a server makes: begun there, and followed to their end. */

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
  const { signal, ignore } = firstSignal(EXIT.stillRunning);
  let hasBegun = true;
  try {
    await makeCheck({ io, client: server, imports, id, maxCalls, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    hasBegun = false;
  } finally {
    ignore();
  }
  const checked = hasBegun ? await checkedAt(server, id) : undefined;
  if (checked === undefined || checked.underWay) {
    say(io, '', `The check continues at ${server.url}. Follow it with:`, `  ${imports.command('check', id)}`);
    return EXIT.stillRunning;
  }
  return concludeCheck({ io, imports, id, json, sandbox: false, checked });
}
