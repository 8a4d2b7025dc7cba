import type { Imports } from '../../../cli/client/import-place.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { confirm } from '../../../cli/screen/confirm.ts';
import { followSteps } from '../../../cli/screen/follow.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { counted, grouped, roughly } from '../../../text/wording.ts';
import type { CheckView } from '../api.ts';
import { checkOperations } from '../operations.ts';

/** More than any check takes; the most that the API reads. */
const ANY_NUMBER = 999_999_999;

interface MakeCheck {
  readonly io: Io;
  /** Does the check. */
  readonly client: Client;
  readonly imports: Pick<Imports, 'server' | 'regions'>;
  readonly id: string;
  /** Calls that may be made without asking. */
  readonly maxCalls: number;
  /** Rate limit of each region, where it is known. */
  readonly callsPerMinute?: number;
  /** Ends the looking, not what the client does. */
  readonly signal: AbortSignal;
}

/** Has an import checked, or its check continued, and shows the progress; asks where it takes more calls than it may make. */
export async function makeCheck(options: MakeCheck): Promise<CheckView> {
  const { io, client, imports, id, maxCalls, signal } = options;
  const run = async (calls: number) => {
    await client.call(checkOperations.begin, { id, maxCalls: `${Math.min(calls, ANY_NUMBER)}` });
    return followSteps({
      io,
      imports,
      signal,
      look: () => client.call(checkOperations.one, { id }),
      goesOn: ({ underWay }) => underWay,
      linesOf: ({ progress }) => checkLines(progress),
      begins: 'the check to begin',
    });
  };
  const view = await run(maxCalls);
  const price = view.state === 'priced' ? Object.values(view.price ?? {}) : [];
  return price.length > 0 && (await askToPay(options, price)) ? run(ANY_NUMBER) : view;
}

/** A line of progress; none where nothing is known. */
function checkLines(progress: CheckView['progress']): string[] {
  if (progress === null) return [];
  const { step, done, of } = progress;
  const known = of === null ? grouped(done) : `${grouped(done)} of ${counted(of, step === 'users' ? 'user' : 'group')}`;
  return [`asking for ${step}  ${known}`];
}

/**
 * Says how many calls a check needs, and asks whether to make them. Without a terminal, the answer is no.
 * @param price calls by region
 */
function askToPay({ io, callsPerMinute, signal }: MakeCheck, price: readonly number[]): Promise<boolean> {
  const calls = price.reduce((sum, n) => sum + n, 0);
  const time =
    callsPerMinute === undefined ? '' : `, which take ${roughly((Math.max(...price) / callsPerMinute) * 60_000)}`;
  say(io, '', `The check needs up to ${counted(calls, 'more call')}${time}.`);
  return confirm(io, 'Continue?', signal);
}
