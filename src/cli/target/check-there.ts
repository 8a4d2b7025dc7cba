import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckView, checkView } from '../../api/checks.ts';
import { firstSignal } from '../../platform/lifecycle.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { askToPay, checkLines } from '../run-check.ts';
import { concludeCheck } from '../screen/check-outcome.ts';
import { conclude } from '../screen/conclude.ts';
import { followImport } from '../screen/follow.ts';
import { say } from '../screen/io.ts';
import { showSteps } from '../screen/progress.ts';
import { type ThereOptions, uploadThere } from './import-there.ts';
import { importAddress } from './imports.ts';
import { regionsThere } from './remote-imports.ts';

/** Checks that a server makes: begun there, and followed to their end. */

const LOOK_MS = 250;
/** More than any check takes; the most that the API reads. */
const ANY_NUMBER = 999_999_999;

/** Sends a file to a server that reads it and sends nothing, and has it checked there. */
export async function importAndCheckThere(
  options: ThereOptions,
  file: string,
  flags: Parameters<typeof uploadThere>[2],
  maxCalls: number,
): Promise<ExitCode> {
  const { io, imports, json } = options;
  const sent = await uploadThere(options, file, { ...flags, dryRun: true });
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
  return checkThere(options, id, maxCalls);
}

/** Has a server check an import, or continue its check, and shows what it finds. Ctrl-C only stops watching. */
export async function checkThere(options: ThereOptions, id: string, maxCalls: number): Promise<ExitCode> {
  const { io, imports, server, json } = options;
  const address = `${importAddress(id)}/check`;
  const begin = (calls: number) => server.begin(`${address}?maxCalls=${Math.min(calls, ANY_NUMBER)}`, checkView);
  const signal = firstSignal(EXIT.stillRunning);
  let view: CheckView | undefined;
  try {
    view = await begin(maxCalls);
    view = await followCheck(options, address, view, signal.signal);
    const calls = Object.values(view.price ?? {}).reduce((sum, n) => sum + n, 0);
    if (view.state === 'priced' && calls > 0 && (await askToPay(io, calls, undefined, signal.signal))) {
      await begin(ANY_NUMBER);
      view = await followCheck(options, address, view, signal.signal);
    }
  } catch (error) {
    if (!signal.signal.aborted) throw error;
  } finally {
    signal.ignore();
  }
  const checked = view && (await imports.check(id));
  if (checked === undefined || checked.underWay) {
    say(io, '', `The check continues at ${server.url}. Follow it with:`, `  ${imports.command('check', id)}`);
    return EXIT.stillRunning;
  }
  return concludeCheck({ io, imports, id, json, sandbox: false, checked });
}

/** Polls until nothing more happens by itself, or the signal comes. */
async function followCheck(
  { io, server }: ThereOptions,
  address: string,
  begun: CheckView,
  signal: AbortSignal,
): Promise<CheckView> {
  let view = begun;
  const progress = showSteps(io, () => checkLines(view.progress ?? undefined), {
    begins: 'the check to begin',
    regions: () => regionsThere(server),
  });
  try {
    while (!signal.aborted) {
      view = await server.get(address, checkView);
      if (!view.underWay) break;
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return view;
  } finally {
    progress.stop();
  }
}
