/**
 * Reads the reply headers of the rate limit. Pure. None of it is contract (docs/chat-service.md, 41 and 42); the
 * sources are two pages of public documentation that spell the same thing differently:
 *
 * - `X-Rate-Limit`, `X-Rate-Limit-Remaining`; with status 429 also `X-Rate-Limit-Reset` (Unix seconds; some gateways
 *   give milliseconds) and `Retry-After` (seconds; RFC 9110 also allows an HTTP date in three forms);
 * - `X-RateLimit-Limit` and its siblings.
 */

/** Longest wait that a header can ask for: 10 minutes, in milliseconds. */
export const MAX_WAIT_MS = 10 * 60_000;

/** A time that is longer, in ms, is no time that a service means: a year. */
const MAX_ASKED_MS = 366 * 24 * 3_600_000;

/** Reply headers by their names in lower case. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Rate {
  /** Calls allowed in the current window. */
  readonly limit?: number | undefined;
  /** Calls left in the current window. */
  readonly remaining?: number | undefined;
  /** The end of the window, in ms since 1970. */
  readonly resetAtMs?: number | undefined;
  /** The time in which nothing is sent, 0 to MAX_WAIT_MS: `Retry-After`, else until the reset if no call is left. */
  readonly waitMs?: number | undefined;
  /** The time that the service asks for, where it is longer than MAX_WAIT_MS: it is asked again after that. */
  readonly askedMs?: number | undefined;
}

/**
 * Reads both spellings; what is not understood is left out, never an error. Times in headers are times of the service's
 * clock, as the reply's own `Date` gives it.
 * @param nowMs the time of the reply by our clock, in milliseconds since 1970
 * @param limited whether the reply is a 429: then no call is left, whether or not a header says so
 */
export function readRate(headers: ReplyHeaders, nowMs: number, limited = false): Rate {
  const number = (name: string, inOtherSpelling = name) =>
    wholeNumber(firstValue(headers[`x-rate-limit${name}`])) ??
    wholeNumber(firstValue(headers[`x-ratelimit${inOtherSpelling}`]));
  const remaining = number('-remaining');
  const reset = number('-reset');
  const serverNow = () => httpDate(firstValue(headers['date'])) ?? nowMs;
  const untilReset = reset === undefined ? undefined : msUntilReset(reset, serverNow);
  const untilNext = limited || remaining === 0 ? untilReset : undefined;
  const waitMs = msToWait(firstValue(headers['retry-after']), serverNow) ?? untilNext;
  return {
    // A limit of none says nothing: calls are answered.
    limit: number('', '-limit') || undefined,
    remaining,
    resetAtMs: untilReset === undefined ? undefined : nowMs + untilReset,
    waitMs: waitMs === undefined ? undefined : Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    askedMs: waitMs !== undefined && waitMs > MAX_WAIT_MS && waitMs < MAX_ASKED_MS ? waitMs : undefined,
  };
}

/** Headers in which a service, or a proxy before it, names the request: its support can look it up. */
const REQUEST_ID = ['x-request-id', 'cf-ray', 'x-amzn-requestid'] as const;

/** The id of a request as its reply gives it; undefined where it gives none that can be shown. */
export function requestIdOf(headers: ReplyHeaders) {
  return REQUEST_ID.map((name) => firstValue(headers[name])).find((id) => /^[\w.:+/=-]{1,100}$/.test(id));
}

function firstValue(value: ReplyHeaders[string]) {
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
}

function wholeNumber(text: string) {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The year 5000 in seconds: a later instant is in milliseconds. */
const LAST_SECONDS = 95_617_584_000;

/** Documented are Unix seconds; a number too small for a present date can only mean "seconds from now". */
function msUntilReset(reset: number, serverNow: () => number) {
  if (reset < 1_000_000_000) return reset * 1000;
  return (reset > LAST_SECONDS ? reset : reset * 1000) - serverNow();
}

/** `Retry-After`: whole seconds, or an HTTP date (RFC 9110, section 10.2.3). */
function msToWait(text: string, serverNow: () => number) {
  const seconds = wholeNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = httpDate(text);
  return date === undefined ? undefined : date - serverNow();
}

/** An HTTP date in one of the three forms of RFC 9110, section 5.6.7; all are in UTC. */
function httpDate(text: string) {
  // Date.parse alone would take "soon 1" for a date; every HTTP date names a weekday and a time of day.
  if (!/^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(text)) return undefined;
  // The form of asctime names no zone, and Date.parse would take it for local time.
  const date = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : date;
}
