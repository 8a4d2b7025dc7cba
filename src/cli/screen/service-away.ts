import type { CircuitStatus, RegionStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { addressAdvice, noAnswerSince } from '../../text/no-answer.ts';
import { duration, utcTime } from '../../text/wording.ts';

/**
 * "the service has not answered since 02:14 (CONNECTION_LOST), next try in 30 s"; empty where it answers.
 * @param countsDown whether the time to the next try is shown, which is another text each second
 */
export function serviceAway(circuit: CircuitStatus, countsDown: boolean): string {
  const { state, since, nextTryAt } = circuit;
  if (state === 'closed' || since === null) return '';
  const advice = addressAdvice(circuit);
  const leftMs = nextTryAt === null ? 0 : Date.parse(nextTryAt) - Date.now();
  const next = leftMs > 0 ? `, next try in ${wholeSeconds(leftMs)}` : ', trying now';
  return `${noAnswerSince(circuit, clock(since))}${countsDown ? next : ''}${advice === '' ? '' : `; ${advice}`}`;
}

/** "waiting 9 min 30 s for the rate limit", with what the service asks for where that is longer. */
export function rateLimitWait({ limitedForMs, circuit }: RegionStatus, countsDown: boolean): string {
  const left = countsDown ? `${wholeSeconds(limitedForMs)} ` : '';
  const asked =
    circuit.waitsUntil === null
      ? ''
      : `: the service asks to wait until ${utcTime(circuit.waitsUntil)}, and is asked again before`;
  return `waiting ${left}for the rate limit${asked}`;
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
