import { duration } from '../../platform/allowed-values.ts';

const DAY_MS = 86_400_000;
const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The times that `timeOf` reads, for messages. */
export const TIMES = '2024-05-01, 2024-05-01T12:00:00Z, and seconds or milliseconds since 1970';

/** The time that a text means, in ms since 1970: of a date its beginning, and without a zone in UTC. Undefined where it is none. */
export function timeOf(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) * 1_000;
  if (MILLISECONDS.test(text)) return Number(text);
  const [, day = '', time = '00:00', zone = 'Z'] = WRITTEN.exec(text) ?? [];
  const date = new Date(`${day}T00:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) return undefined;
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const at = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(at) ? undefined : at;
}

/** The ends that `endOf` reads, for messages. */
export const ENDS = '2027-03-31, 2027-03-31T18:00:00+02:00, and 90d, 12h or 2w from now';

/** The end of a membership: a time as `timeOf` reads it, of a date the end of the day, or `90d` from `now`, in ms since 1970. */
export function endOf(text: string, now: number): number | undefined {
  const wait = duration.parse(text, '');
  if (wait !== undefined) return now + wait;
  const at = timeOf(text);
  return at !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? at + DAY_MS : at;
}
