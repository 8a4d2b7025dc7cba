import type { z } from 'zod';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { noAnswerSince } from '../../text/no-answer.ts';
import { utcTime } from '../../text/wording.ts';
import { type Delivery, noteText } from './note.ts';
import type { regionNote } from './operations.ts';

/** An outage that is shorter is not notified, in ms: it is over before anyone could act. */
const NOTABLE_MS = 60_000;

/**
 * Tells of outages of the service that last: once when that is known, and once when they are over.
 * @returns a function that takes each change of a region's circuit
 */
export function watchOutages(tell: (note: Delivery) => void, notableMs = NOTABLE_MS) {
  const outages = new Map<Region, { since: string; last: CircuitStatus; isTold: boolean; timer: NodeJS.Timeout }>();
  return (region: Region, status: CircuitStatus): void => {
    const known = outages.get(region);
    if (status.state === 'closed') {
      clearTimeout(known?.timer);
      outages.delete(region);
      if (known?.isTold) tell(noteOf(region, status, known.since));
    } else if (known !== undefined) known.last = status;
    else {
      const since = status.since ?? new Date().toISOString();
      const announce = () => {
        outage.isTold = true;
        tell(noteOf(region, outage.last, since));
      };
      const timer = setTimeout(announce, Date.parse(since) + notableMs - Date.now()).unref();
      const outage = { since, last: status, isTold: false, timer };
      outages.set(region, outage);
    }
  };
}

/** A server that is started again tells the begin under the same id. */
function noteOf(region: Region, { state: circuit, code, message }: CircuitStatus, since: string): Delivery {
  const at = Date.now();
  const state = circuit === 'closed' ? 'back' : 'away';
  const reason =
    state === 'back'
      ? `the chat service answers again in ${region}; it had not since ${utcTime(since)}`
      : `in ${region}, ${noAnswerSince({ code, message }, utcTime(since))}${message === '' ? '' : `: ${message}`}; rows wait and use no attempts`;
  const data: z.infer<typeof regionNote> = { region, state, since, reason };
  const body = noteText(`region.${state}`, at, data);
  return { id: `${region}-${state}-${Date.parse(since)}`, kind: 'region', subject: region, state, reason, at, body };
}
