import type { Words } from './named-options.ts';

/** People and programs that an error is shown to: who types commands, who sends requests, who sees pages of the console. */
export type Surface = 'command' | 'api' | 'page';

/** The next step, which may name `{facts}`, or a function that makes it of them. */
type Remedy<Facts> = Words | ((facts: Facts) => Words | undefined);

type Exit = 2 | 3 | 4 | 5;

/** An error by its code, with the next step on a surface where it has one of its own. Pages show that of requests where they have none. */
export interface Entry<Facts> extends Readonly<Partial<Record<Surface, Remedy<Facts>>>> {
  readonly title: string;
  /** Its causes, and what else there is to know, in sentences: for docs/errors.md. */
  readonly cause?: string;
  /**
   * The exit code of a command. Default: 2, the user can correct the request, a setting or a file; 3 the service refuses a key or plan, or a
   * guard does; 4 the machine, the network or rollcall fails; 5 a signal ended a wait.
   */
  readonly exit?: Exit;
  /** The option that it is always about. */
  readonly field?: string | undefined;
  /** The place, the value, and what is allowed, in a clause with `{facts}`. Without it, the facts say `what`. */
  readonly sentence?: string | ((facts: Facts) => string);
  /** The next step on all others. */
  readonly remedy?: Remedy<Facts>;
}

/** An error that a request can be refused for. */
export interface Refusal<Facts> extends Entry<Facts> {
  readonly status: number;
  /** The next step in general: for documents, and for requests where there is no better one. */
  readonly advice: string;
}

/** Facts of an error whose sentence its code does not decide. */
export interface Said {
  readonly what: string;
  /** The next step, in place of that of the code. */
  readonly remedy?: Words | undefined;
  /** The same, where it names commands. */
  readonly command?: string | undefined;
  /** The option that cannot be used. */
  readonly field?: string | undefined;
  /** The values that are allowed in its place. */
  readonly possible?: readonly string[] | undefined;
  /** The exit code of a code that is not in the table: one of the service or of a server. */
  readonly exit?: Exit;
  /** Other values that the sentence shows. */
  readonly [fact: string]: unknown;
}

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `"${infer Bare}"` ? Bare : Name) | NamesIn<Rest>
  : never;
/** The facts that a sentence such as `import {id} has no row {row}` names; `{"id"}` is written as JSON. */
type Named<Text> = Readonly<Record<NamesIn<Text>, string | number | readonly string[]>> & {
  readonly [fact: string]: unknown;
};

export function filled(text: string, facts: object) {
  return text.replace(/\{("?)(\w+)\1\}/g, (whole, quote, name) => {
    const fact: unknown = (facts as Readonly<Record<string, unknown>>)[name] ?? whole;
    return quote === '' ? [fact].flat().join(', ') : JSON.stringify(fact);
  });
}

export function failure<const Text extends string>(
  entry: Entry<Named<Text>> & { readonly sentence: Text },
): Entry<Named<Text>>;
export function failure<Facts = Said>(entry: Entry<Facts>): Entry<Facts>;
export function failure<Facts>(entry: Entry<Facts>) {
  return entry;
}

export function refusal<const Text extends string>(
  entry: Refusal<Named<Text>> & { readonly sentence: Text },
): Refusal<Named<Text>>;
export function refusal<Facts = Said>(entry: Refusal<Facts>): Refusal<Facts>;
export function refusal<Facts>(entry: Refusal<Facts>) {
  return entry;
}
