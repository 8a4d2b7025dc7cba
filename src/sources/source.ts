import { setTimeout } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { option, type Words, words } from '../errors/named-options.ts';
import { isError, messageOf, RollcallError } from '../errors/rollcall-error.ts';
import { shown, shownPath } from '../imports/read/intake-error.ts';
import type { NamedSource } from '../platform/named-sources.ts';
import { grouped } from '../text/wording.ts';

/** A source of memberships, whatever the scheme of its address. All that is read is first kept whole (spool.ts). */
export interface Source {
  /** The name that is shown and stored: without a query or anything else that may be a secret. */
  readonly name: string;
  /** @param known the version that is kept already  @throws BAD_SOURCE; the signal's reason when aborted */
  open(signal: AbortSignal, known?: string): Promise<Opened>;
  list?(signal: AbortSignal): Promise<readonly SourceEntry[]>;
  /**
   * Puts a file of this machine there, in place of an earlier one: whole or not at all. The folder that it goes into is made,
   * the one above it must be there. @throws as open
   */
  write?(path: string, signal: AbortSignal): Promise<void>;
}

export interface Opened {
  /** The name of the opened file; for a pattern, that of the newest match. */
  readonly name: string;
  /** Says "unchanged" of the same source: an ETag, a generation, time and size. Undefined: the hash of what was read tells. */
  readonly version: string | undefined;
  /** Undefined: it is the version that is known, and need not be read. */
  readonly content: Content | undefined;
  /** Ends connections and transactions, also in the middle. Called once, whatever happened. */
  close(): Promise<void>;
}

/**
 * The content of a source, which can be read once. An iteration that ends has given everything: one that breaks off, or
 * gives less than was announced, throws BAD_SOURCE.
 */
export type Content =
  | {
      readonly kind: 'bytes';
      /** The size in bytes, if known: fewer or more are an error (spool.ts). */
      readonly size: number | undefined;
      readonly pieces: AsyncIterable<Uint8Array>;
    }
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      /** The text that the database's own CSV output would have; NULL is empty. In pieces of many rows. */
      readonly pieces: AsyncIterable<readonly (readonly string[])[]>;
    };

export interface SourceEntry {
  /** Without the folder that it is in. */
  readonly name: string;
  readonly kind: 'folder' | 'file';
  /** In ms since 1970. */
  readonly modifiedAt: number;
}

/** Settings for reading a source, beside its address: plain data without secrets, which schedules keep. */
export type SourceSettings = Omit<NamedSource, 'url'>;

export interface SourceRequest {
  /** From `checkedAddress` (schemes.ts): without a password. */
  readonly address: string;
  readonly settings: SourceSettings;
  /** A variable of this process. */
  readonly environment: (variable: string) => string | undefined;
  /** The value of a secret at this moment; undefined where none is given. @throws BAD_SOURCE where its place cannot be read */
  readonly secret: (name: string) => string | undefined;
  /** PEM of an additional certificate authority to trust. */
  readonly ca: string | undefined;
  /** Checks where a redirect leads. @throws SOURCE_NOT_ALLOWED */
  readonly mayFollow?: ((to: URL) => void) | undefined;
  /** Checks all addresses that a host's name has. @throws SOURCE_NOT_ALLOWED */
  readonly mayConnect?: ((host: string, ...addresses: readonly string[]) => void) | undefined;
}

/** Asks nobody yet. @throws BAD_SOURCE for what can never be read */
export type Adapter = (request: SourceRequest) => Source;

/** A source gives nothing, or not all of it. Nothing is changed then. */
export function badSource(
  what: string,
  remedy?: Words,
  { cause, ...facts }: { readonly cause?: unknown; readonly status?: number } = {},
) {
  return new RollcallError('BAD_SOURCE', { what, remedy, ...facts }, { cause });
}

/** @param what the source as it is shown */
export function sourceTooLarge(what: string, maxBytes: number) {
  return badSource(`${what} is larger than ${grouped(maxBytes)} bytes`, words`allow more with ${option('maxSource')}`);
}

/** Advice by the code, name, number or message of an error. */
export type Remedies = Readonly<Record<string, Words>>;

interface Attempt {
  /** The source as it is shown. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly remedies: Remedies;
  /** The advice where none of these is right. */
  readonly otherwise?: Words;
  readonly isWriting?: boolean;
}

/** The error for what a library throws, for people; one of ours stays, and so does the reason of the signal. */
export function sourceRefusal(error: unknown, attempt: Attempt): unknown {
  const { name, signal, remedies, otherwise, isWriting = false } = attempt;
  if (signal.aborted) return signal.reason;
  if (error instanceof RollcallError) return error;
  const { name: kind, code, errno, $metadata, errors: [first = error] = [] } = error as Partial<AnyError>;
  const message = messageOf(first);
  const isEmpty = message === kind || message === 'UnknownError';
  const what = isEmpty ? `${kind} ${$metadata?.httpStatusCode ?? ''}`.trim() : message;
  const known = [kind, code, errno, message].find((one) => one !== undefined && Object.hasOwn(remedies, one));
  const remedy = known === undefined ? otherwise : remedies[known];
  return badSource(`${shown(name)} cannot be ${isWriting ? 'written' : 'read'}: ${what}`, remedy, { cause: error });
}

/** The file that was changed last; of two of the same time, the last by name. @throws BAD_SOURCE where there is none */
export async function newestOf<File extends { readonly path: string; readonly at: number }>(
  files: AsyncIterable<File>,
  pattern: string,
) {
  let best: File | undefined;
  for await (const file of files) {
    if (best === undefined || file.at > best.at || (file.at === best.at && file.path > best.path)) best = file;
  }
  if (best !== undefined) return best;
  throw badSource(`no file fits ${shownPath(pattern)}`, 'check the pattern, and whether the export has run');
}

/** Codes with which connections fail that may succeed later: of Node, undici, ssh2 (`level`), Postgres and MySQL. */
const AWAY: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  ...['client-timeout', '53300', '57P03', 'PROTOCOL_CONNECTION_LOST', 'ER_CON_COUNT_ERROR'],
]);
const TOO_MANY_REQUESTS = 429;

/** Whether a source may give its file later: it cannot be reached, or its server answers that it cannot at the moment. */
export function isAway(error: unknown): error is RollcallError<'BAD_SOURCE'> {
  if (!isError(error, 'BAD_SOURCE')) return false;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code, level, $metadata, errors } = cause as AnyError;
    const status = isError(cause, 'BAD_SOURCE') ? cause.facts['status'] : $metadata?.httpStatusCode;
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

/** The authorities that are trusted: those of this machine, and one more. */
export const trusted = (ca: string) => [...getCACertificates('default'), ca];

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

/** Before each attempt to go on, in ms: most breaks are of one connection, and a server that starts again takes seconds. */
const WAITS_MS = [0, 1_000, 10_000];

/**
 * The bytes of something; where they break off they go on, a few times.
 * @param rest asks for the same thing from a byte on; undefined where a part cannot be known to be of the same
 * @throws RollcallError of `rest` at once; other errors when no attempt is left
 */
export async function* resumed(
  first: AsyncIterable<Uint8Array>,
  rest: ((from: number) => Promise<AsyncIterable<Uint8Array>>) | undefined,
  {
    failed,
    signal,
    wait = setTimeout,
  }: {
    /** Returns the error that people are told. */
    readonly failed: (error: unknown) => unknown;
    readonly signal: AbortSignal;
    readonly wait?: (ms: number, value: undefined, about: { readonly signal: AbortSignal }) => Promise<unknown>;
  },
): AsyncGenerator<Uint8Array> {
  const waits = WAITS_MS.values();
  let read = 0;
  let next = async () => first;
  while (true) {
    try {
      for await (const piece of await next()) {
        read += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      const ms = waits.next().value;
      if (signal.aborted || error instanceof RollcallError || rest === undefined || ms === undefined)
        throw failed(error);
      next = async () => {
        await wait(ms, undefined, { signal });
        return rest(read);
      };
    }
  }
}
