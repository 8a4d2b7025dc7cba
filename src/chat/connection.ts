import type { Dispatcher } from 'undici';
import type { Words } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { connectTimes } from '../platform/hosts.ts';
import { callAborted, invalidCall, malformedReply, type TransportCode } from './call-errors.ts';
import type { ReplyHeaders } from './rate-headers.ts';
import { lookupHost } from './service-address.ts';
import { errors, openPool, type ProxySettings, trusting } from './sockets.ts';

/** All in milliseconds. Above one second they are kept to within about half a second. */
export interface Timeouts {
  /** Until a connection is open, TLS included. Default 10,000. */
  readonly connectMs: number;
  /** From the request to the first line of the reply; a call adds its members one after another. Default 30,000. */
  readonly headersMs: number;
  /** Between two pieces of the reply's body. Default 15,000. */
  readonly bodyMs: number;
}

/** Connections to a host of the service. */
export interface ConnectionOptions {
  /** Names under `.localhost` are never asked for through it. */
  readonly proxy?: ProxySettings | undefined;
  /** PEM of a certificate authority to trust in addition to the default ones. */
  readonly ca?: string | undefined;
  /** Most connections at a time, and so most calls in flight; further calls wait for one. Default 64. */
  readonly connections?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Longest reply body that is read, in bytes, unless a request allows more. Default 1 MiB. */
  readonly maxReplyBytes?: number | undefined;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute path, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  /** Longest reply body that is read, in bytes, where it is more than that of the connection. */
  readonly maxReplyBytes?: number | undefined;
}

export interface Reply {
  readonly httpStatus: number;
  readonly headers: ReplyHeaders;
  /** UTF-8, in memory that is used again when it has been read. Null: longer than the limit; the rest was not read. */
  readonly body: Buffer | null;
  /** From the call to the last byte, in milliseconds, waiting for a free connection included. */
  readonly ms: number;
}

/** Kept-alive HTTPS connections to one origin. */
export type Connection = ReturnType<typeof openConnection>;

const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 15_000 };

/** @param origin `https://<host>[:<port>]` as service-address.ts builds it, which is where plain http is refused */
export function openConnection(
  origin: string,
  { ca, connections = 64, maxReplyBytes = 1024 ** 2, proxy, ...options }: ConnectionOptions,
) {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  /** Ends the sockets that are still connecting; the pool knows only open ones. */
  const ending = new AbortController();
  const connect = {
    ...connectTimes(new URL(origin).hostname, timeouts.connectMs),
    lookup: lookupHost,
    signal: ending.signal,
    // Given here, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
    rejectUnauthorized: true,
    ...(ca !== undefined && { secureContext: trusting(ca) }),
  };
  const pool = openPool(origin, proxy, {
    connections,
    pipelining: 1,
    // One call per connection at a time, so that a lost connection makes only one call uncertain; HTTP/2 would share it.
    allowH2: false,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    connect,
  });
  // Counted: a set of their promises would keep the replies in memory, long after they were read.
  let underWay = 0;
  const lastEnded = Promise.withResolvers<void>();
  let closed: Promise<void> | undefined;

  async function closeAfterCalls() {
    if (underWay > 0) await lastEnded.promise;
    // Not pool.close(): it would wait for connections that no call uses any more.
    await pool.destroy();
    ending.abort();
  }

  return {
    /** Gives what `read` makes of a reply of any status. @throws as call-errors.ts lists, and what `read` throws */
    async exchange<Read>(request: Request, signal: AbortSignal | undefined, read: (reply: Reply) => Read) {
      if (closed) throw callAborted(false, new Error('the client is closed'));
      underWay += 1;
      try {
        return await new Promise<Read>((resolve, reject) => {
          const maxBytes = Math.max(maxReplyBytes, request.maxReplyBytes ?? 0);
          send({ pool, origin, maxBytes }, request, signal, { read, resolve, reject });
        });
      } finally {
        underWay -= 1;
        if (underWay === 0 && closed !== undefined) lastEnded.resolve();
      }
    },
    /** Lets the calls in flight finish, then closes the sockets. Calling it again waits for the same end. */
    close() {
      closed ??= closeAfterCalls();
      return closed;
    },
  };
}

interface Ending<Read> {
  /** Called when the reply has come; the exchange fails with what it throws. */
  readonly read: (reply: Reply) => Read;
  readonly resolve: (read: Read) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends one request and takes its reply, as undici's handler: the only place that shows whether the request was sent, and so
 * whether the service may have acted on a call whose reply never came.
 */
function send<Read>(
  { pool, origin, maxBytes }: { pool: Pick<Dispatcher, 'dispatch'>; origin: string; maxBytes: number },
  request: Request,
  signal: AbortSignal | undefined,
  given: Ending<Read>,
) {
  const startedAt = performance.now();
  /** Undefined when it has ended. An ended exchange may stay in memory for a while, so it must let go of its parts. */
  let ending: Ending<Read> | undefined = given;
  /** Undefined until the request is sent. */
  let sending: Dispatcher.DispatchController | undefined;
  let httpStatus = 0;
  let headers: ReplyHeaders = {};
  let pieces: Buffer[] = [];
  let bytes = 0;
  /** The first ending counts. */
  const end = () => {
    const ended = ending;
    ending = undefined;
    pieces = [];
    if (ended !== undefined && signal !== undefined) leaveList(endingWith(signal), abortable);
    return ended;
  };
  const fail = (error: Error) => end()?.reject(error);
  const succeed = (body: Buffer | null) => {
    const ended = end();
    try {
      ended?.resolve(ended.read({ httpStatus, headers, body, ms: performance.now() - startedAt }));
    } catch (error) {
      ended?.reject(error);
    }
  };
  const abortable: Abortable = {
    place: 0,
    giveUp: () => {
      const error = callAborted(sending !== undefined, signal?.reason);
      fail(error);
      sending?.abort(error);
    },
  };
  if (signal !== undefined) abortable.place = endingWith(signal).push(abortable) - 1;
  if (signal?.aborted) return abortable.giveUp();
  pool.dispatch(request, {
    onRequestStart: (controller) => {
      // Given up while it waited for a connection: aborting here means that not one byte is written.
      if (ending === undefined) controller.abort(new Error('given up before it was sent'));
      else sending = controller;
    },
    onResponseStart: (_controller, status, received) => {
      // Interim replies (1xx) come first, the final one last.
      httpStatus = status;
      headers = received;
    },
    onResponseData: (controller, piece) => {
      if (ending === undefined) return;
      bytes += piece.length;
      if (bytes <= maxBytes) {
        pieces.push(piece);
      } else {
        succeed(null);
        controller.abort(new Error('the reply is too long'));
      }
    },
    onResponseEnd: () => succeed(joined(pieces, bytes)),
    onResponseError: (_controller, error) => fail(failure(error, sending !== undefined, origin)),
  });
}

/** Work that is given up when a signal is aborted. */
interface Abortable {
  giveUp(): void;
  /** In the list of its signal. */
  place: number;
}

const bySignal = new WeakMap<AbortSignal, Abortable[]>();

/** One listener for all: adding and removing one costs more. (A `Set` would hold what it has deleted for long.) */
function endingWith(signal: AbortSignal): Abortable[] {
  const known = bySignal.get(signal);
  if (known !== undefined) return known;
  const list: Abortable[] = [];
  bySignal.set(signal, list);
  signal.addEventListener('abort', () => {
    for (const one of [...list]) one.giveUp();
  });
  return list;
}

/** The last one takes its place. */
function leaveList(list: Abortable[], one: Abortable) {
  const last = list.pop();
  if (last === undefined || last === one) return;
  list[one.place] = last;
  last.place = one.place;
}

/** Buffer in which the pieces of a reply are joined. Allocating memory for each of thousands of replies would be most of the cost. */
const smallBuffer = Buffer.allocUnsafeSlow(64 * 1024);

function joined(pieces: readonly Buffer[], bytes: number): Buffer {
  const whole = bytes <= smallBuffer.length ? smallBuffer.subarray(0, bytes) : Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const TIMEOUTS: Readonly<Record<string, TransportCode>> = {
  UND_ERR_CONNECT_TIMEOUT: 'CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'HEADERS_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'BODY_TIMEOUT',
};

/** Error codes of certificate checks in OpenSSL and Node (node:tls, "X509 certificate error codes"). */
const CERTIFICATE = /CERT|^UNABLE_TO_|^(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** The error for what undici reports; `sent`: the request had been sent. */
function failure(error: Error & { code?: string }, sent: boolean, origin: string) {
  const systemCode = error.code ?? '';
  const reason = [systemCode, error.message].filter((text) => text !== '').join(': ');
  if (systemCode === 'UND_ERR_INVALID_ARG') return invalidCall(`the request cannot be sent: ${error.message}`);
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return malformedReply(`${origin} did not answer in proper HTTP`, null);
  }
  const failed = (code: TransportCode, what: string, remedy?: Words) =>
    new RollcallError(code, { what, maybeCarriedOut: sent, remedy }, { cause: error });
  const timeout = TIMEOUTS[systemCode];
  if (timeout !== undefined) return failed(timeout, `${origin} did not answer in time (${timeout})`);
  if (sent) return failed('CONNECTION_LOST', `${origin} broke off before it had answered (${reason})`);
  return CERTIFICATE.test(systemCode)
    ? failed(
        'CERTIFICATE_REFUSED',
        `the certificate of ${origin} is not trusted (${reason}); check the host, or name the CA file of a private authority`,
      )
    : failed('CONNECT_FAILED', `no connection to ${origin} (${reason})`, 'check app id, region and host');
}
