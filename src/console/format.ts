/** Rates, sizes, spans and times as people read them; src/text/wording.ts has numbers and durations. */

import { computed, effect, signal } from '@preact/signals';
import { counted, duration, grouped } from '../text/wording.ts';
import { tried } from './storage.ts';

const RATE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const BYTES = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const DAY_AND_TIME: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
};
const DAY_S = 86_400;

/** The form of a time by the clock that the person has chosen. */
function clockOf(options: Intl.DateTimeFormatOptions) {
  return computed(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: shownZone() }));
}

const TO_THE_MINUTE = clockOf(DAY_AND_TIME);
const TO_THE_SECOND = clockOf({ ...DAY_AND_TIME, second: '2-digit' });
const TIME_OF_DAY = clockOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** A rate with one decimal where it is small: 0.53 → "0.5", 1312.4 → "1,312". */
export function rate(perSecond: number) {
  return perSecond < 10 ? RATE.format(perSecond) : grouped(Math.round(perSecond));
}

/** 1536 → "1.5 KB": a unit is 1,024 of the one before, as in settings such as `--max-upload 2gb`. */
export function size(bytes: number) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${BYTES.format(bytes / 1024 ** power)} ${units[power]}`;
}

/** Describes the least duration of calls, without waits. @param callMs of one call of late; null where that is not known */
export function atLeast(ms: number, callMs: number | null = null) {
  const time = ms < 1000 ? 'less than a second' : `at least ${duration(ms)}`;
  return callMs === null
    ? `${time}, if the service answers fast enough`
    : `${time}, with calls that take ${duration(callMs)} each`;
}

/** An estimate of the time that is left, no more exact than it can be: "less than 10 s", "about 40 s", "about 3 min". */
export function estimate(seconds: number) {
  if (seconds < 10) return 'less than 10 s left';
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10} s left`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
  return `about ${RATE.format(seconds / 3600)} h left`;
}

export function dayAndTime(iso: string) {
  return TO_THE_MINUTE.value.format(new Date(iso));
}

/** The time of day. @param ms since 1970 */
export function timeOfDay(ms: number) {
  return TIME_OF_DAY.value.format(ms);
}

/** @param time ISO, or ms since 1970 */
export function timeToTheSecond(time: string | number) {
  return TO_THE_SECOND.value.format(new Date(time));
}

/** A time to the second by the visitor's clock, with the time zone by its name. */
export function exactTime(iso: string) {
  return `${timeToTheSecond(iso)} (${shownZone()})`;
}

/** The distance of a time from now: "3 min ago", "in 2 h"; the day if it is more than a week. @param now ms since 1970 */
export function ago(iso: string, now: number) {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  const span = Math.abs(seconds);
  if (span < 10) return 'just now';
  if (span >= 7 * DAY_S) return dayAndTime(iso);
  const text =
    span < 60
      ? `${span} s`
      : span < 3600
        ? `${Math.floor(span / 60)} min`
        : span < DAY_S
          ? `${Math.floor(span / 3600)} h`
          : counted(Math.floor(span / DAY_S), 'day');
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** A time by the clocks of a time zone, which is named where the page has another clock. */
export function dayAndTimeIn(iso: string, tz: string) {
  const named = tz === shownZone() ? {} : { timeZoneName: 'short' as const };
  const format = new Intl.DateTimeFormat('en-GB', { ...DAY_AND_TIME, ...named, weekday: 'short', timeZone: tz });
  return format.format(new Date(iso));
}

/** "choir, term 1" → its parts. */
export function listIn(text: string) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** `uid=Member ID,guid=Team`, as the server takes it. */
export function pairsText(values: Readonly<Record<string, string>>) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The reverse. */
export function pairsIn(text: string): Record<string, string> {
  const parts = text.split(/,(?=[^,]*=)/).filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...value] = part.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** "Members of the choir" → "members-of-the-choir"; '' where it has no letter or digit. */
export function nameOf(title: string) {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
}

const KEY = 'rollcall.clock';

/** The clock by which times are shown. A choice that is not kept counts until the page is closed. */
export const clock = signal<'local' | 'utc'>(tried(() => localStorage.getItem(KEY)) === 'utc' ? 'utc' : 'local');

effect(() => {
  const chosen = clock.value;
  tried(() => localStorage.setItem(KEY, chosen));
});

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function shownZone() {
  return clock.value === 'utc' ? 'UTC' : OWN_ZONE;
}
