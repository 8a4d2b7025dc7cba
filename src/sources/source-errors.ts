import { option, type Words, words } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { grouped } from '../text/wording.ts';

/** A source that gives nothing, or not all of it. Nothing is changed then. */
export class SourceError extends RollcallError {
  constructor(
    what: string,
    remedy?: Words,
    about: { readonly facts?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super('BAD_SOURCE', what, { remedy, ...about });
  }

  /** @param what the source as it is shown */
  static tooLarge(what: string, maxBytes: number): SourceError {
    return new SourceError(
      `${what} is larger than ${grouped(maxBytes)} bytes`,
      words`allow more with ${option('maxSource')}`,
    );
  }
}

/** Codes with which connections fail that may succeed later: of Node, undici, ssh2 (`level`), Postgres and MySQL. */
const AWAY: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  ...['client-timeout', '53300', '57P03', 'PROTOCOL_CONNECTION_LOST', 'ER_CON_COUNT_ERROR'],
]);
const TOO_MANY_REQUESTS = 429;

/** Whether a source may give its file later: it cannot be reached, or its server answers that it cannot at the moment. */
export function isAway(error: unknown): error is SourceError {
  if (!(error instanceof SourceError)) return false;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code, level, $metadata, errors } = cause as AnyError;
    const status = cause instanceof SourceError ? cause.facts['status'] : $metadata?.httpStatusCode;
    if (AWAY.has(code) || AWAY.has(level) || Number(status) >= 500 || status === TOO_MANY_REQUESTS) return true;
    if (errors?.some((one) => AWAY.has(one.code)) === true) return true;
  }
  return false;
}

/** Errors of connections as libraries throw them. */
type AnyError = NodeJS.ErrnoException & {
  readonly level?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly errors?: readonly NodeJS.ErrnoException[];
};

export const NOTHING_READ = 'try again; nothing was read from what came';

/** Codes of TLS for a certificate whose authority is not known here → what to do. */
export const UNKNOWN_AUTHORITY: Readonly<Record<string, Words>> = Object.fromEntries(
  [
    'CERT_SIGNATURE_FAILURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ].map((code) => [
    code,
    'its certificate is of an authority that is not known here: name the PEM file of that authority in ROLLCALL_CA_FILE',
  ]),
);
