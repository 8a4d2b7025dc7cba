import { counted, duration, grouped } from './wording.ts';

interface Pace {
  readonly limitedBy: 'nothing' | 'rate' | 'concurrency' | 'group' | 'service' | null;
  readonly group: string | null;
  readonly atOnce: number | null;
  readonly callMs: number | null;
}

/** "at the rate limit"; empty where nothing limits a region, or something else that is said already. */
export function limitWords({ limitedBy, group, atOnce, callMs }: Pace) {
  const each = callMs === null ? '' : `, ${duration(callMs)} each`;
  const calls = `${counted(atOnce ?? 0, 'call')} at once${each}`;
  switch (limitedBy) {
    case 'rate':
      return 'at the rate limit';
    case 'concurrency':
      return `at the maximum of ${calls}`;
    case 'service':
      return `the service takes no more than ${calls}`;
    case 'group':
      return `at the maximum of calls at once to one group, ${group ?? ''}${each}`;
    default:
      return '';
  }
}

interface BanQuestions {
  readonly asked: number;
  readonly of: number;
}

/** "asking 12 groups who is banned: 3 of 12"; empty when all were asked. */
export function bansAsked({ asked, of }: BanQuestions = { asked: 0, of: 0 }) {
  return asked < of ? `asking ${counted(of, 'group')} who is banned: ${grouped(asked)} of ${grouped(of)}` : '';
}

/** A region that sends nothing any more. */
export const REGION_REFUSED = 'stopped: the service refused the key or plan';

interface Limited {
  readonly limitedForMs: number;
  readonly circuit: { readonly waitsUntil: string | null };
}

/**
 * "waiting 9 min 30 s for the rate limit", with what the service asks for where that is longer.
 * @param timeOf formats a time  @param countsDown whether the seconds that are left are said
 */
export function rateLimitWait(
  { limitedForMs, circuit: { waitsUntil } }: Limited,
  timeOf: (iso: string) => string,
  countsDown = true,
) {
  const left = countsDown ? `${wholeSeconds(limitedForMs)} ` : '';
  const asked =
    waitsUntil === null ? '' : `: the service asks to wait until ${timeOf(waitsUntil)}, and is asked again before`;
  return `waiting ${left}for the rate limit${asked}`;
}

export function wholeSeconds(ms: number) {
  return duration(Math.ceil(ms / 1_000) * 1_000);
}
