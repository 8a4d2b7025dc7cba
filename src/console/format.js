/** Numbers, spans and times as people read them. */
import { shownZone } from './preferences.js';

const NUMBER = new Intl.NumberFormat('en-US');
const RATE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const BYTES = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
/** @type {Intl.DateTimeFormatOptions} */
const DAY_AND_TIME = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' };
/** @type {Intl.DateTimeFormatOptions} */
const TO_THE_SECOND = { ...DAY_AND_TIME, second: '2-digit' };
/** @type {Intl.DateTimeFormatOptions} */
const TIME_OF_DAY = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
/** Seconds of a day. */
const DAY_S = 86_400;

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/** The form of a time by the clock that the person has chosen. @param {Intl.DateTimeFormatOptions} options */
function clockOf(options) {
  const zone = shownZone();
  const key = `${zone} ${options.day ?? ''} ${options.second ?? ''}`;
  const known = clocks.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  clocks.set(key, known);
  return known;
}

/**
 * 1234567 → "1,234,567".
 * @param {number} value
 */
export function grouped(value) {
  return NUMBER.format(value);
}

/**
 * 1, "row" → "1 row"; 2000, "row" → "2,000 rows".
 * @param {number} value
 * @param {string} noun
 */
export function counted(value, noun) {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/**
 * A rate with one decimal where it is small: 0.53 → "0.5", 1312.4 → "1,312".
 * @param {number} perSecond
 */
export function rate(perSecond) {
  return perSecond < 10 ? RATE.format(perSecond) : grouped(Math.round(perSecond));
}

/**
 * 1536 → "1.5 KB": a unit is 1,024 of the one before, as in settings such as `--max-upload 2gb`.
 * @param {number} bytes
 */
export function size(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${BYTES.format(bytes / 1024 ** power)} ${units[power]}`;
}

/**
 * A span of milliseconds: "850 ms", "12.4 s", "3 min 20 s", "1 h 05 min".
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${grouped(Math.floor(minutes / 60))} h ${twoDigits(minutes % 60)} min`;
}

/**
 * An estimate of the time that is left, no more exact than it can be: "less than 10 s", "about 40 s", "about 3 min".
 * @param {number} seconds
 */
export function estimate(seconds) {
  if (seconds < 10) return 'less than 10 s left';
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10} s left`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
  return `about ${RATE.format(seconds / 3600)} h left`;
}

/** An ISO time by the clock that the person has chosen. @param {string} iso */
export function dayAndTime(iso) {
  return clockOf(DAY_AND_TIME).format(new Date(iso));
}

/** The time of day. @param {number} ms since 1970 */
export function timeOfDay(ms) {
  return clockOf(TIME_OF_DAY).format(ms);
}

/** @param {string} iso */
export function timeToTheSecond(iso) {
  return clockOf(TO_THE_SECOND).format(new Date(iso));
}

/**
 * A time to the second by the visitor's clock, with the time zone by its name.
 * @param {string} iso
 */
export function exactTime(iso) {
  return `${timeToTheSecond(iso)} (${shownZone()})`;
}

/**
 * How long ago a time was, or how soon it is: "just now", "3 min ago", "in 2 h"; the day where it is more than a week.
 * @param {string} iso
 * @param {number} now in ms since 1970
 */
export function ago(iso, now) {
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

/**
 * An ISO time by the clocks of a time zone.
 * @param {string} iso
 * @param {string} tz
 */
export function dayAndTimeIn(iso, tz) {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: tz,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(iso));
}

/** @param {number} value */
function twoDigits(value) {
  return String(value).padStart(2, '0');
}

/** "choir, term 1" → its parts. @param {string} text */
export function listIn(text) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** "Members of the choir" → "members-of-the-choir"; '' where it has no letter or digit. @param {string} title */
export function nameOf(title) {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
}
