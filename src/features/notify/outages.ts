import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { utcTime } from '../../text/wording.ts';
import { noteText } from './note.ts';

/** An outage that is shorter is not notified, in ms: it is over before anyone could act. */
const NOTABLE_MS = 60_000;

/** The begin or the end of an outage. A server that is started again tells the begin under the same id. */
export type OutageNote = ReturnType<typeof noteOf>;

export interface Outages {
  /** To be called with each change of a region's circuit. */
  changed(region: Region, status: CircuitStatus): void;
  close(): void;
}

/** Tells of outages of the service that last: once when that is known, and once when they are over. */
export function watchOutages(tell: (note: OutageNote) => void, notableMs = NOTABLE_MS): Outages {
  const outages = new Map<Region, { readonly since: string; last: CircuitStatus; timer?: NodeJS.Timeout }>();
  return {
    changed: (region, status) => {
      const known = outages.get(region);
      if (status.state === 'closed') {
        outages.delete(region);
        if (known?.timer !== undefined) clearTimeout(known.timer);
        else if (known !== undefined) tell(noteOf(region, status, known.since));
      } else if (known !== undefined) known.last = status;
      else {
        const since = status.since ?? new Date().toISOString();
        const begun: ReturnType<(typeof outages)['get']> = { since, last: status };
        const announce = () => {
          delete begun.timer;
          tell(noteOf(region, begun.last, since));
        };
        const leftMs = Date.parse(since) + notableMs - Date.now();
        outages.set(region, begun);
        if (leftMs <= 0) announce();
        else begun.timer = setTimeout(announce, leftMs).unref();
      }
    },
    close: () => {
      for (const { timer } of outages.values()) clearTimeout(timer);
    },
  };
}

function noteOf(region: Region, { state: circuit, code, message }: CircuitStatus, since: string) {
  const at = Date.now();
  const state = circuit === 'closed' ? 'back' : 'away';
  const reason =
    state === 'back'
      ? `the chat service answers again in ${region}; it had not since ${utcTime(since)}`
      : `the chat service has not answered in ${region} since ${utcTime(since)} (${message === '' ? code : message}); rows wait and use no attempts`;
  const body = noteText(`region.${state}`, at, { region, state, since, reason });
  return {
    id: `${region}-${state}-${Date.parse(since)}`,
    kind: 'region',
    subject: region,
    state,
    reason,
    at,
    body,
  } as const;
}
