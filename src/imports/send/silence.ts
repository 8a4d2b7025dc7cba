import type { CallContext } from '../../../jobs/send-batch.ts';
import type { CircuitStatus, RegionStatus } from '../../api/regions.ts';
import type { CallRecord } from '../record/batch-result.ts';

/** So many calls in a row must have had no answer: a single one is nothing to speak of. */
const CALLS = 3;

/** Watches whether the service answers the calls of a region. */
export function watchSilence(): {
  called(call: CallRecord, about: Pick<CallContext, 'message'>): void;
  /** Null where one of the last calls was answered. */
  now(): RegionStatus['unanswered'];
  circuit(): CircuitStatus;
} {
  let calls = 0;
  let since = 0;
  let answeredAt: number | undefined;
  let last = { code: '', message: '' };
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    called: ({ at, kind, code, httpStatus }, { message }) => {
      if (kind !== 'again') {
        calls = 0;
        answeredAt = at;
        return;
      }
      calls += 1;
      if (calls === 1) since = at;
      // Without a reply the message comes from the network and names no user.
      last = { code, message: httpStatus === null ? message : '' };
    },
    now: () => (calls < CALLS ? null : { since: new Date(since).toISOString(), ...last }),
    circuit: () => ({
      state: calls < CALLS ? 'closed' : 'open',
      since: calls === 0 ? null : iso(since),
      nextTryAt: null,
      calls,
      lastAnswerAt: iso(answeredAt),
      ...(calls === 0 ? { code: '', message: '' } : last),
    }),
  };
}
