/** Times as elements. */
import { h } from './element.js';
import { dayAndTimeIn, exactTime, timeToTheSecond } from './format.js';
import { RelativeTime } from './relative-time.js';

/** How long ago a time was, or the time to the second; the other one on hovering. @param {{ iso: string | null, seconds?: boolean }} properties */
export function Time({ iso, seconds = false }) {
  if (iso === null) return '–';
  if (!seconds) return h(RelativeTime, { iso });
  return h('time', { dateTime: iso, title: exactTime(iso) }, timeToTheSecond(iso));
}

/** A time by the clocks of a time zone. @param {{ iso: string, tz: string }} properties */
export function TimeIn({ iso, tz }) {
  return h('time', { dateTime: iso, title: exactTime(iso) }, dayAndTimeIn(iso, tz));
}
