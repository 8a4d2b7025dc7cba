import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { duration } from '../../text/wording.ts';

/**
 * "the service has not answered since 02:14, next try in 30 s"; empty where it answers.
 * @param countsDown whether the time to the next try is shown; in a pipe, each second of it would be a line
 */
export function serviceAway({ state, since, nextTryAt }: CircuitStatus, countsDown: boolean): string {
  if (state === 'closed' || since === null) return '';
  const leftMs = nextTryAt === null ? 0 : Date.parse(nextTryAt) - Date.now();
  const next = leftMs > 0 ? `, next try in ${wholeSeconds(leftMs)}` : ', trying now';
  return `the service has not answered since ${clock(since)}${countsDown ? next : ''}`;
}

export const REGION_REFUSED = 'stopped: the service refused the key or plan';
export const noWorker = (region: Region): string => `no worker: start one with rollcall worker --region ${region}`;

function wholeSeconds(ms: number): string {
  return duration(Math.ceil(ms / 1_000) * 1_000);
}

/** "02:14", in local time. @param time ISO 8601, or ms since 1970 */
export function clock(time: string | number): string {
  return new Date(time).toTimeString().slice(0, 5);
}
