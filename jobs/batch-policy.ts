import { backoffMs, isRefusedForNow, isTooMany, MIN_WAIT_MS, type Verdict } from '../src/chat/error-policy.ts';
import { CALL_ENDED_BY_ENTITY } from '../src/chat/service/codes.ts';
import type { Answered, RowOutcome, Standing } from '../src/imports/record/batch-result.ts';

/**
 * The policy of one batch: what follows a call of it. Pure; send-batch.ts carries it out.
 *
 * A call without a usable answer is repeated. It counts against the batch only where other calls of the region are answered,
 * so that an outage uses nothing up. A batch that keeps failing among others is cut in two, because the service may
 * fail for one of its UIDs. The rest is given up when its calls and its time are over. That time is short where the service
 * fails for this batch alone, and long where repeats of other calls were answered: half of it may be away for minutes.
 */

/** A batch that is given up has had so many calls, at least. */
export const ATTEMPTS = 8;
/** Its first call was so long ago, in ms, at least: longer than a service needs to restart. */
export const PATIENCE_MS = 60_000;
/** The same where the service fails now and then. */
export const LONG_PATIENCE_MS = 5 * 60_000;
/** After so many calls without an answer a batch of several UIDs is cut in two. */
const CALLS_BEFORE_HALVES = 4;
/** Replies that say nothing of a user, after which the group has the last word. */
const UNSAID_REPLIES = 2;

/** Whether one entity in a call may be why the service ended it. An outage may say the same: so not after the first call. */
export function isByEntity(standing: Standing | undefined, code: string): boolean {
  return code === CALL_ENDED_BY_ENTITY && (standing?.tries ?? 0) > 0;
}

/** The region when a call was not answered. */
export interface Unanswered {
  /** The service is away: the wait in ms, which counts as no call. */
  readonly waitMs?: number;
  /** The time at which another call of the region was last answered, in ms since 1970. */
  readonly answeredAt?: number | null;
  /** The time at which the repeat of a call was last answered, in ms since 1970: failures are not of one batch. */
  readonly recoveredAt?: number | null;
}

export interface Ended {
  /** Absent for a batch that was not tried before. */
  readonly standing: Standing | undefined;
  /** Start of the call, and now, in ms since 1970. */
  readonly at: number;
  readonly now: number;
  /** UIDs in the call: more than one can be cut in two. */
  readonly size: number;
  /** Whether its group can be asked what became of it. */
  readonly asks: boolean;
  /** Whether a repeat does no harm, and says of each row whether it was carried out before. */
  readonly repeatsSay?: boolean | undefined;
}

/** The step after a call that was refused, or not answered. */
export type Step =
  /** The whole region waits, and nothing counts. */
  | { readonly step: 'wait'; readonly waitMs: number; readonly standing: Standing | undefined }
  | { readonly step: 'again'; readonly standing: Standing }
  | { readonly step: 'halve'; readonly standing: Standing }
  /** Nothing more is sent. */
  | { readonly step: 'end'; readonly standing: Standing }
  | { readonly step: 'stop-region' }
  /** It is a refusal of the rows. */
  | { readonly step: 'refused' };

type Refusal = Pick<Verdict, 'waitMs' | 'maybeCarriedOut'> & { readonly kind: Verdict['kind'] | 'in-place' };

export function afterRefusal(verdict: Refusal, ended: Ended, region: Unanswered): Step {
  const { size, asks, standing: before } = ended;
  switch (verdict.kind) {
    case 'slow-down':
      return { step: 'wait', waitMs: verdict.waitMs ?? MIN_WAIT_MS, standing: before };
    case 'stop-region':
      return { step: 'stop-region' };
    case 'again': {
      if (region.waitMs !== undefined) return { step: 'wait', waitMs: region.waitMs, standing: undefined };
      const standing = triedAgain(ended);
      const othersAnswered = typeof region.answeredAt === 'number' && region.answeredAt >= standing.since;
      if (size > 1 && othersAnswered && standing.tries >= CALLS_BEFORE_HALVES) {
        return { step: 'halve', standing: { ...standing, tries: 0 } };
      }
      return { step: isOver(standing, ended, (region.recoveredAt ?? 0) >= standing.since) ? 'end' : 'again', standing };
    }
    default: {
      if (!verdict.maybeCarriedOut) return { step: 'refused' };
      if (verdict.kind === 'halve' && ended.repeatsSay) {
        return { step: 'halve', standing: { ...triedAgain(ended), tries: 0 } };
      }
      // A success that says it is none. A repeat tells, where the group cannot be asked.
      const standing = triedAgain(ended);
      return { step: asks || standing.tries >= UNSAID_REPLIES ? 'end' : 'again', standing };
    }
  }
}

/** The rows of a call by its reply. */
export interface Read extends Omit<Answered, 'missing' | 'again'> {
  /** Neither done nor refused: each with its outcome if nothing more is learnt of it. */
  readonly unsaid: readonly RowOutcome[];
}

/** Sorts the rows of a reply: those that it does not settle are sent again, in a batch of their own. */
export function afterReply({ unsaid, others, ...read }: Read, ended: Ended, random = Math.random()): Answered {
  const forNow = others.filter(({ outcome, code }) => outcome === 'failed' && isRefusedForNow(code));
  const [first] = [...forNow, ...unsaid];
  if (first === undefined) return { ...read, others, missing: [] };
  const replies = (ended.standing?.unsaid ?? 0) + (unsaid.length > 0 ? 1 : 0);
  const standing = { ...triedAgain(ended), unsaid: replies };
  const { code, message } = first;
  const slowsDown = forNow.some((refused) => isTooMany(refused.code));
  if (isOver(standing, ended, slowsDown) || (forNow.length === 0 && replies >= UNSAID_REPLIES)) {
    const [lost] = unsaid;
    if (lost === undefined || !ended.asks) return { ...read, others: [...others, ...unsaid], missing: [] };
    const reason = { code: lost.code, message: `sent ${replies} times, and ${lost.message}` };
    return {
      ...read,
      others,
      missing: unsaid.map(({ row }) => row),
      again: { why: reason.message, standing: { ...standing, ended: reason } },
    };
  }
  const waitMs = forNow.length === 0 ? 0 : backoffMs(standing.tries, random);
  return {
    ...read,
    others: others.filter((other) => !forNow.includes(other)),
    missing: [...forNow, ...unsaid].map(({ row }) => row),
    again: {
      why:
        forNow.length === 0
          ? `an earlier call was made, and ${message}`
          : `an earlier reply refused this user with ${code}`,
      standing: { ...standing, notBefore: ended.now + waitMs },
      slowsDown,
    },
  };
}

/** @param ended a call that counts against its batch */
function triedAgain({ standing, at }: Pick<Ended, 'standing' | 'at'>): Standing {
  return { ...standing, tries: (standing?.tries ?? 0) + 1, since: standing?.since ?? at };
}

function isOver({ tries, since }: Standing, { now }: Pick<Ended, 'now'>, isLong: boolean): boolean {
  return tries >= ATTEMPTS && now - since >= (isLong ? LONG_PATIENCE_MS : PATIENCE_MS);
}

interface Starts {
  /** Calls whose end is known. */
  readonly calls: readonly unknown[];
  /** Starts without a call. */
  readonly handedBack: number;
}

/**
 * Returns the reason why an earlier call for a batch may have been carried out; null when none can have been.
 * @param starts of its job, without the one that runs now
 */
export function uncertaintyOf(batch: Starts & { readonly uncertainty: string | null }, starts: number): string | null {
  return batch.uncertainty ?? (unexplainedStarts(batch, starts) > 0 ? 'a worker or the queue ended meanwhile' : null);
}

/** Explains why an outcome may not be that of the last call. */
export function maybeEarlier(uncertainty: string | null): string {
  return `it may be by an earlier call: ${uncertainty}`;
}

/** After this many starts that left neither a recorded call nor a result, a batch is not tried any more. */
export const MAX_DEATHS = 10;

/** Whether it keeps ending its workers. @param starts with the one that runs now */
export function endsWorkers(batch: Starts, starts: number): boolean {
  return unexplainedStarts(batch, starts) > MAX_DEATHS;
}

function unexplainedStarts({ calls, handedBack }: Starts, starts: number): number {
  return starts - calls.length - handedBack;
}
