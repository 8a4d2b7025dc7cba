import { type Entry, filled, type Refusal, type Said, type Surface } from './entry.ts';
import { type ErrorCode, entryOf, type FactsOf } from './errors.ts';
import { asFlag, type Words, written } from './named-options.ts';

type AnyFacts = Partial<Said>;

/**
 * Every error of rollcall that users see: a code of the table (errors.ts), and facts, of which the table makes its sentence and
 * the next step for each surface. Programs branch on `code`; the message is for people who type commands.
 */
export class RollcallError<Code extends string = ErrorCode> extends Error {
  readonly code: string;
  /** The exit code of a command that ends with it. */
  readonly exit: NonNullable<Said['exit']>;
  /** The message without the remedy. */
  readonly what: string;
  readonly facts: FactsOf<Code>;

  constructor(code: Code, facts: FactsOf<Code>, options?: ErrorOptions) {
    const entry = entryOf(code) as Entry<object> | undefined;
    const { sentence = '' } = entry ?? {};
    // An error of a server says it itself, without the facts.
    const { what = typeof sentence === 'string' ? filled(sentence, facts) : sentence(facts) }: AnyFacts = facts;
    const { exit = entry === undefined ? 4 : (entry.exit ?? 2) }: AnyFacts = facts;
    super(withRemedy(what, remedyOf(entry, facts, 'command')), options);
    this.name = RollcallError.name;
    this.code = code;
    this.exit = exit;
    this.what = what;
    this.facts = facts;
  }

  get remedy() {
    const words = this.remedyOn('command');
    return words === undefined ? undefined : written(words, asFlag);
  }

  /** The next step, as the surfaces write it: `written(remedy, asParameter)`. */
  remedyOn(surface: Surface) {
    return remedyOf(entryOf(this.code), this.facts, surface);
  }
}

/** A command or an option was used in a way that cannot work. @param what says what would */
export function badUsage(what: string) {
  return new RollcallError('BAD_USAGE', { what });
}

export function badSetting(what: string, remedy?: string) {
  return new RollcallError('BAD_SETTING', { what, remedy });
}

/** Whether an error has this code: then its facts are known. */
export function isError<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is RollcallError<Code> & { readonly code: Code } {
  return error instanceof RollcallError && (codes as readonly string[]).includes(error.code);
}

export function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

export function asError(error: unknown) {
  return error instanceof Error ? error : new Error(String(error));
}

function withRemedy(what: string, remedy: Words | undefined) {
  if (remedy === undefined) return what;
  return `${what}${what.endsWith('.') ? '' : ';'} ${written(remedy, asFlag)}`;
}

function remedyOf(entry: Entry<never> | undefined, facts: AnyFacts, surface: Surface) {
  const own = (surface === 'command' ? facts.command : undefined) ?? facts.remedy;
  if (own !== undefined) return own;
  const { remedy, advice, ...on } = (entry ?? {}) as Partial<Refusal<AnyFacts>>;
  const given = on[surface] ?? (surface === 'page' ? on.api : undefined) ?? remedy;
  const words = typeof given === 'function' ? given(facts) : typeof given === 'string' ? filled(given, facts) : given;
  return surface === 'command' ? words : (words ?? advice);
}

/** A move to another state that may not follow the present one. @param next states that may follow `from`  @param advice where there are none */
export function wrongMove(subject: string, from: string, to: string, next: readonly string[], advice = '') {
  const possible = next.length === 0 ? `${from} is final${advice}` : `possible from here: ${next.join(', ')}`;
  return new RollcallError('WRONG_STATE', {
    state: from,
    what: `${subject} that is ${from} cannot become ${to}; ${possible}`,
  });
}
