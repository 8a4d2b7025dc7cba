import type { CallContext } from '../../../jobs/send-batch.ts';
import type { RegionStatus } from '../../api/regions.ts';
import type { CallRecord } from '../record/batch-result.ts';

/** So many calls in a row must have had no answer: a single one is nothing to speak of. */
const CALLS = 3;

/** Watches whether the service answers the calls of a region. */
export function watchSilence(): {
  called(call: CallRecord, about: Pick<CallContext, 'message'>): void;
  /** Null where one of the last calls was answered. */
  now(): RegionStatus['unanswered'];
} {
  let calls = 0;
  let since = 0;
  let last = { code: '', message: '' };
  return {
    called: ({ at, kind, code, httpStatus }, { message }) => {
      if (kind !== 'again') {
        calls = 0;
        return;
      }
      calls += 1;
      if (calls === 1) since = at;
      // Without a reply the message comes from the network and names no user.
      last = { code, message: httpStatus === null ? message : '' };
    },
    now: () => (calls < CALLS ? null : { since: new Date(since).toISOString(), ...last }),
  };
}
