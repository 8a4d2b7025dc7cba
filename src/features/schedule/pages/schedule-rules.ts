/** The times and the name of a schedule, as its form has them. Pure. */
import type { Values } from '../../../console/answers.ts';
import { nameOf } from '../../../console/format.ts';

/** Simple times, by the rest of a cron expression behind minute and hour; `cron`: the expression itself is given. */
export const EVERY_CHOICES: (readonly [days: string, label: string])[] = [
  ['* * *', 'every day'],
  ['* * 1-5', 'Monday to Friday'],
  ['* * 0', 'every Sunday'],
  ['1 * *', 'on the first of every month'],
  ['cron', 'as a cron expression says'],
];

/** The cron expression that the fields stand for. */
export function cronOf({ every = '', at = '', cron = '' }: Values) {
  if (every === 'cron') return cron.trim();
  const [hour = '', minute = ''] = at.split(':');
  return hour === '' || minute === '' ? '' : `${Number(minute)} ${Number(hour)} ${every}`;
}

/** The reverse. */
export function timeFields(cron: string) {
  const [, minute = '', hour = '', days = ''] = /^(\d{1,2}) (\d{1,2}) (.+)$/.exec(cron.trim()) ?? [];
  return EVERY_CHOICES.some(([every]) => every === days)
    ? { every: days, at: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
    : { every: 'cron', cron };
}

/** "Nightly Roster" → "nightly-roster"; a name stays as it is. */
export function scheduleName(text: string) {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) ? text : nameOf(text);
}
