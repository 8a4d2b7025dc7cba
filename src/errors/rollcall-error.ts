import { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.ts';

interface About {
  /** What to do next, as a request. The message ends in it; another surface may have its own. */
  readonly remedy?: string | undefined;
  /** Values that the message shows, for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** In place of `what; remedy`. */
  readonly message?: string;
  /** Of a code that is not in the catalogue: one of the service, of a server, of an input. */
  readonly kind?: ErrorKind;
}

/** What every error of rollcall extends. Programs branch on `code` and `kind`; the message is for people. */
export class RollcallError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  /** The message without the remedy. */
  readonly what: string;
  readonly remedy: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, what: string, about?: About);
  constructor(code: string, what: string, about: About & { readonly kind: ErrorKind });
  constructor(code: string, what: string, { remedy, facts = {}, cause, message, kind }: About = {}) {
    super(message ?? (remedy === undefined ? what : `${what}; ${remedy}`), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.kind = kind ?? ERROR_CODES[code as ErrorCode];
    this.what = what;
    this.remedy = remedy;
    this.facts = facts;
  }
}
