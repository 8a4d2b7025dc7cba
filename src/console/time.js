/** Times as elements. */
import { h } from './element.js';
import { dayAndTime, dayAndTimeIn, timeToTheSecond } from './format.js';

/** A time by the visitor's clock, with the whole of it on hovering. @param {{ iso: string | null, seconds?: boolean }} properties */
export function Time({ iso, seconds = false }) {
  if (iso === null) return '–';
  return h('time', { dateTime: iso, title: iso }, seconds ? timeToTheSecond(iso) : dayAndTime(iso));
}

/** A time by the clocks of a time zone. @param {{ iso: string, tz: string }} properties */
export function TimeIn({ iso, tz }) {
  return h('time', { dateTime: iso, title: iso }, dayAndTimeIn(iso, tz));
}
