/** Numbers, spans and times as people read them. Pure. */
const NUMBER = new Intl.NumberFormat('en-US');
const RATE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const BYTES = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const TO_THE_SECOND = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

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
 * 1536 → "1.54 kB".
 * @param {number} bytes
 */
export function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${BYTES.format(bytes / 1000 ** power)} ${units[power]}`;
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

/** An ISO time by the visitor's clock. @param {string} iso */
export function dayAndTime(iso) {
  return DAY_AND_TIME.format(new Date(iso));
}

/** @param {string} iso */
export function timeToTheSecond(iso) {
  return TO_THE_SECOND.format(new Date(iso));
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
