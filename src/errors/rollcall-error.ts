import type { Entry, Refusal, Remedy, Surface } from './entry.ts';
import { type ErrorCode, entryOf, type FactsOf } from './errors.ts';
import { asFlag, type Words, written } from './named-options.ts';

type ExitCode = Entry<never>['exit'];

interface About {
  /** The next step, as a request. The message ends in it; another surface may have its own. */
  readonly remedy?: Words | undefined;
  /** Values that the message shows, for programs. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** In place of `what; remedy`. */
  readonly message?: string;
  /** The exit code of a code that is not in the table: one of the service, of a server, of an input. */
  readonly exit?: ExitCode;
}

type AnyFacts = Readonly<Record<string, unknown>>;

/**
 * Every error of rollcall that users see: a code of the table (errors.ts), and facts, of which the table makes its sentence and
 * the next step for each surface. Programs branch on `code`; the message is for people who type commands.
 */
export class RollcallError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: string;
  /** The exit code of a command that ends with it. */
  readonly exit: ExitCode;
  /** The message without the remedy. */
  readonly what: string;
  readonly facts: FactsOf<Code>;
  readonly ownRemedy: Words | undefined;

  constructor(code: Code, facts: FactsOf<Code>, options?: { readonly cause?: unknown });
  constructor(code: string, what: string, about?: About);
  constructor(code: string, given: string | FactsOf<Code>, about: About = {}) {
    const entry = entryOf(code);
    const facts = (typeof given === 'string' ? (about.facts ?? {}) : given) as AnyFacts;
    const what = typeof given === 'string' ? given : (entry as Entry<AnyFacts>).sentence(facts);
    const remedy = about.remedy ?? remedyOf(entry, facts, 'command');
    super(about.message ?? messageOf(what, remedy), about.cause === undefined ? undefined : { cause: about.cause });
    this.name = new.target.name;
    this.code = code;
    this.exit = about.exit ?? entry?.exit ?? 4;
    this.what = what;
    this.facts = facts as FactsOf<Code>;
    this.ownRemedy = about.remedy;
  }

  /** The next step on the command line. */
  get remedy(): string | undefined {
    const words = this.remedyOn('command');
    return words === undefined ? undefined : written(words, asFlag);
  }

  /** The next step, as the surfaces write it: `written(remedy, asParameter)`. */
  remedyOn(surface: Surface): Words | undefined {
    return this.ownRemedy ?? remedyOf(entryOf(this.code), this.facts as AnyFacts, surface);
  }
}

/** Whether an error has this code: then its facts are known. */
export function isError<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is RollcallError<Code> & { readonly code: Code } {
  return error instanceof RollcallError && (codes as readonly string[]).includes(error.code);
}

function messageOf(what: string, remedy: Words | undefined): string {
  if (remedy === undefined) return what;
  return `${what}${what.endsWith('.') ? '' : ';'} ${written(remedy, asFlag)}`;
}

function remedyOf(entry: Entry<never> | undefined, facts: AnyFacts, surface: Surface): Words | undefined {
  const own = (surface === 'command' ? facts['command'] : undefined) ?? facts['remedy'];
  if (own !== undefined) return own as Words;
  const { remedy = {}, advice } = (entry ?? {}) as Partial<Refusal<AnyFacts>>;
  const on = isOnAll(remedy) ? remedy : (remedy[surface] ?? (surface === 'page' ? remedy.api : undefined));
  const words = typeof on === 'function' ? on(facts) : on;
  return surface === 'command' ? words : (words ?? advice);
}

function isOnAll<Facts>(remedy: NonNullable<Entry<Facts>['remedy']>): remedy is Remedy<Facts> {
  return typeof remedy !== 'object' || Array.isArray(remedy);
}

/** A move to another state that may not follow the present one. */
export class TransitionError extends RollcallError {
  /** @param subject such as "an import" @param next states that may follow `from` @param advice where there are none */
  constructor(subject: string, from: string, to: string, next: readonly string[], advice = '') {
    const possible = next.length === 0 ? `${from} is final${advice}` : `possible from here: ${next.join(', ')}`;
    super('WRONG_STATE', `${subject} that is ${from} cannot become ${to}; ${possible}`);
  }
}
