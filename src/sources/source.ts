import type { NamedSource } from '../platform/named-sources.ts';

/** A source of memberships, whatever the scheme of its address. All that is read is first kept whole (spool.ts). */
export interface Source {
  /** The name that is shown and stored: without a query or anything else that may be a secret. */
  readonly name: string;
  /**
   * Begins to read. @throws SourceError with what to do; the signal's reason when aborted
   * @param known the version that is kept already
   */
  open(signal: AbortSignal, known?: string): Promise<Opened>;
  /** Lists the place. @throws as open */
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
 * gives less than was announced, throws SourceError.
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

/**
 * Settings for reading a source, beside its address. Plain data without secrets: schedules keep it, and the settings
 * name it.
 */
export type SourceSettings = Omit<NamedSource, 'url'>;

export interface SourceRequest {
  /** From `checkedAddress` (schemes.ts): without a password. */
  readonly address: string;
  readonly settings: SourceSettings;
  /** A variable of this process. */
  readonly environment: (variable: string) => string | undefined;
  /** The value of a secret at this moment; undefined where none is given. @throws SourceError where its place cannot be read */
  readonly secret: (name: string) => string | undefined;
  /** PEM of an additional certificate authority to trust. */
  readonly ca: string | undefined;
  /** Checks where a redirect leads. @throws SOURCE_NOT_ALLOWED */
  readonly mayFollow?: ((to: URL) => void) | undefined;
  /** Checks an address that a host's name has. @throws SOURCE_NOT_ALLOWED */
  readonly mayConnect?: ((host: string, address: string) => void) | undefined;
}

/** Asks nobody yet. @throws SourceError for what can never be read */
export type Adapter = (request: SourceRequest) => Source;
