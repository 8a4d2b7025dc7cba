/**
 * Reads the reply headers of the rate limit. Pure. None of it is contract (docs/chat-service.md, 41 and 42); the
 * sources are two pages of public documentation that spell the same thing differently:
 *
 * - `X-Rate-Limit`, `X-Rate-Limit-Remaining`; with status 429 also `X-Rate-Limit-Reset` (Unix seconds) and
 *   `Retry-After` (seconds; RFC 9110 also allows an HTTP date);
 * - `X-RateLimit-Limit` and its siblings.
 */

/** Longest wait that a header can ask for: 10 minutes, in milliseconds. */
export const MAX_WAIT_MS = 10 * 60_000;

/** Reply headers by name; the case of the names does not matter. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Rate {
  /** Calls allowed in the current window. */
  readonly limit?: number;
  /** Calls left in the current window. */
  readonly remaining?: number;
  /** The end of the window, in ms since 1970. */
  readonly resetAtMs?: number;
  /**
   * The time in which nothing is sent, 0 to MAX_WAIT_MS: from `Retry-After`, else until the reset if no call is left.
   */
  readonly waitMs?: number;
}

/**
 * Reads both spellings; what is not understood is left out, never an error.
 * @param nowMs the time of the reply, in milliseconds since 1970
 * @param limited whether the reply is a 429: then no call is left, whether or not a header says so
 */
export function readRate(headers: ReplyHeaders, nowMs: number, limited = false): Rate {
  let limit: number | undefined;
  let remaining: number | undefined;
  let resetAtMs: number | undefined;
  let retryAfterMs: number | undefined;
  for (const name in headers) {
    // All names of interest are short and begin with x- or r; the rest need not be lowercased for every reply.
    const first = name.charCodeAt(0) | 0x20;
    if (first !== 0x78 && first !== 0x72) continue;
    switch (name.toLowerCase()) {
      case 'x-rate-limit':
      case 'x-ratelimit-limit':
        limit ??= wholeNumber(headers[name]);
        break;
      case 'x-rate-limit-remaining':
      case 'x-ratelimit-remaining':
        remaining ??= wholeNumber(headers[name]);
        break;
      case 'x-rate-limit-reset':
      case 'x-ratelimit-reset':
        resetAtMs ??= instant(wholeNumber(headers[name]), nowMs);
        break;
      case 'retry-after':
        retryAfterMs ??= wait(headers[name], nowMs);
        break;
    }
  }
  const untilReset = resetAtMs === undefined || (!limited && remaining !== 0) ? undefined : resetAtMs - nowMs;
  const waitMs = retryAfterMs ?? untilReset;
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetAtMs !== undefined && { resetAtMs }),
    ...(waitMs !== undefined && { waitMs: Math.min(Math.max(waitMs, 0), MAX_WAIT_MS) }),
  };
}

/** Headers in which a service, or a proxy before it, names the request: its support can look it up. */
const REQUEST_ID = ['x-request-id', 'cf-ray', 'x-amzn-requestid'] as const;

/** The id of a request as its reply gives it; undefined where it gives none that can be shown. */
export function requestIdOf(headers: ReplyHeaders): string | undefined {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), firstValue(value)]));
  const ids = REQUEST_ID.flatMap((name) => named.get(name) ?? []);
  return ids.find((id) => /^[\w.:+/=-]{1,100}$/.test(id));
}

function firstValue(value: ReplyHeaders[string]): string {
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
}

function wholeNumber(value: ReplyHeaders[string]): number | undefined {
  const text = firstValue(value);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Documented are Unix seconds; a number too small for a present date can only mean "seconds from now". */
function instant(seconds: number | undefined, nowMs: number): number | undefined {
  if (seconds === undefined) return undefined;
  return seconds < 1_000_000_000 ? nowMs + seconds * 1000 : seconds * 1000;
}

/** `Retry-After`: whole seconds, or an HTTP date (RFC 9110, section 10.2.3). */
function wait(value: ReplyHeaders[string], nowMs: number): number | undefined {
  const seconds = wholeNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const text = firstValue(value);
  // Date.parse alone would take "soon 1" for a date; every HTTP date names a weekday and a time of day.
  const date = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - nowMs;
}
