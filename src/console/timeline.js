/** Rates over time with a bounded number of points, for the chart. Pure. */

import { inPlace, needAttention } from './words.js';

/** @import { CallCounts, Progress } from './answers.d.ts' */

/**
 * Rates per second at a moment; null where they are not known.
 * @typedef {object} Point
 * @property {number} at seconds since 1970
 * @property {number} calls
 * @property {number} limited calls answered with 429
 * @property {number | null} good rows that came to be in place
 * @property {number | null} wrong rows that failed or were left unconfirmed
 */

/** Points that a wide screen can show. */
const MOST_POINTS = 600;
/** A rate over less time than this says nothing. */
const LEAST_WIDTH_MS = 1000;

/**
 * Points in the order of time, at most so many: when they become too many, the time that each stands for is doubled, and
 * the whole run stays in view.
 */
export class Timeline {
  /** @type {Point[]} */
  points = [];
  #most;
  /** Seconds that a point stands for at least. */
  #step = 1;
  /** Points that were merged into the last one. */
  #merged = 1;

  constructor(most = MOST_POINTS) {
    this.#most = most;
  }

  /** One from before the last is left out. @param {Point} point */
  add(point) {
    const last = this.points.at(-1);
    if (last !== undefined && point.at <= last.at) return;
    if (last !== undefined && Math.floor(point.at / this.#step) === Math.floor(last.at / this.#step)) {
      this.points[this.points.length - 1] = average(last, this.#merged, point);
      this.#merged += 1;
      return;
    }
    this.points.push(point);
    this.#merged = 1;
    if (this.points.length <= this.#most) return;
    const { points } = this;
    this.points = [];
    this.#step *= 2;
    for (const each of points) this.add(each);
  }
}

/**
 * @param {Point} one that stands for `count` points
 * @param {number} count
 * @param {Point} other
 * @returns {Point}
 */
function average(one, count, other) {
  const mean = (/** @type {number} */ a, /** @type {number} */ b) => (a * count + b) / (count + 1);
  return {
    at: mean(one.at, other.at),
    calls: mean(one.calls, other.calls),
    limited: mean(one.limited, other.limited),
    good: one.good === null ? other.good : other.good === null ? one.good : mean(one.good, other.good),
    wrong: one.wrong === null ? other.wrong : other.wrong === null ? one.wrong : mean(one.wrong, other.wrong),
  };
}

/**
 * Calls of all regions together, one point for each bucket, those without calls included.
 * @param {readonly CallCounts[]} buckets
 * @returns {Point[]}
 */
export function pointsOf(buckets) {
  const first = buckets[0];
  if (first === undefined) return [];
  const width = first.widthMs * Math.ceil(LEAST_WIDTH_MS / first.widthMs);
  /** @type {Map<number, { calls: number, limited: number }>} */
  const sums = new Map();
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const bucket of buckets) {
    const place = Math.floor(new Date(bucket.at).getTime() / width);
    const sum = sums.get(place) ?? { calls: 0, limited: 0 };
    sums.set(place, { calls: sum.calls + bucket.calls, limited: sum.limited + bucket.rateLimited });
    from = Math.min(from, place);
    to = Math.max(to, place);
  }
  const perSecond = 1000 / width;
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const { calls, limited } = sums.get(from + index) ?? { calls: 0, limited: 0 };
    const at = ((from + index + 0.5) * width) / 1000;
    return { at, calls: calls * perSecond, limited: limited * perSecond, good: null, wrong: null };
  });
}

/**
 * The rates between two events.
 * @param {Progress} now
 * @param {Progress | undefined} before
 * @returns {Point}
 */
export function pointOf(now, before) {
  const at = Date.parse(now.at) / 1000;
  const calls = Object.values(now.regions).reduce((sum, region) => sum + region.callsPerSecond, 0);
  const seconds = before === undefined ? 0 : at - Date.parse(before.at) / 1000;
  if (before === undefined || seconds <= 0) return { at, calls, limited: 0, good: null, wrong: null };
  const perSecond = (/** @type {(progress: Progress) => number} */ count) =>
    Math.max(0, count(now) - count(before)) / seconds;
  return {
    at,
    calls,
    limited: perSecond(({ regions }) => Object.values(regions).reduce((sum, region) => sum + region.rateLimited, 0)),
    good: perSecond(({ rows }) => inPlace(rows)),
    wrong: perSecond(({ rows }) => needAttention(rows)),
  };
}
