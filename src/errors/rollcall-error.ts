import { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.ts';
import { asFlag, type Words, written } from './named-options.ts';

interface About {
  /** The next step, as a request. The message ends in it; another surface may have its own. */
  readonly remedy?: Words | undefined;
  /** Values that the message shows, for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** In place of `what; remedy`. */
  readonly message?: string;
  /** The kind of a code that is not in the catalogue: one of the service, of a server, of an input. */
  readonly kind?: ErrorKind;
}

/**
 * Base class of every error of rollcall. Programs branch on `code` and `kind`; the message is for people. The message
 * names no option: the remedy does if one helps, and each surface writes it in its own way.
 */
export class RollcallError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  /** The message without the remedy. */
  readonly what: string;
  /** The next step, as the surfaces write it: `written(remedyWords, asParameter)`. */
  readonly remedyWords: Words | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, what: string, about?: About);
  constructor(code: string, what: string, about: About & { readonly kind: ErrorKind });
  constructor(code: string, what: string, { remedy, facts = {}, cause, message, kind }: About = {}) {
    const next = remedy === undefined ? undefined : written(remedy, asFlag);
    super(message ?? (next === undefined ? what : `${what}; ${next}`), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.kind = kind ?? ERROR_CODES[code as ErrorCode];
    this.what = what;
    this.remedyWords = remedy;
    this.facts = facts;
  }

  /** The next step on the command line. */
  get remedy(): string | undefined {
    return this.remedyWords === undefined ? undefined : written(this.remedyWords, asFlag);
  }
}

/** A move to another state that may not follow the present one. */
export class TransitionError extends RollcallError {
  /** @param subject such as "an import" @param next states that may follow `from` @param advice where there are none */
  constructor(subject: string, from: string, to: string, next: readonly string[], advice = '') {
    const possible = next.length === 0 ? `${from} is final${advice}` : `possible from here: ${next.join(', ')}`;
    super('WRONG_STATE', `${subject} that is ${from} cannot become ${to}; ${possible}`);
  }
}
