import { z } from 'zod';
import { type Allowed, parserFor } from '../platform/allowed-values.ts';
import { defined } from '../platform/defined.ts';
import { asSentence } from '../text/wording.ts';

/**
 * An option of an import, sync or schedule, declared once. From the declaration come its flag, its parameter in the API
 * with the description, what is kept of it, and what the command line sends to a server.
 */
export interface OptionDeclaration<Schema extends z.ZodType = z.ZodType> {
  /** The value as it is kept, in JSON: with an import, in recipes and schedules, in the programmatic API. */
  readonly schema: Schema;
  /** Its name there, where it is not that of the flag. */
  readonly kept?: string;
  /** A sentence without its full stop, as `--help` shows it. */
  readonly help: string;
  /** The default, in words. */
  readonly preset?: string;
  /** The value in `--help`, such as `<guid>`. Absent: the option is on or off. */
  readonly value?: string;
  /** Values of which it is one. */
  readonly choices?: readonly string[];
  /** Fewest characters of the text in a query; default: 1. */
  readonly shortest?: number;
  /** Most characters of it. */
  readonly longest?: number;
  /** Reads the value from text. @throws BAD_USAGE with a message that completes "Expected …" */
  readonly parse: (text: string) => z.output<Schema>;
  /** The texts that `parse` reads as this value: several where the option is given several times. */
  readonly print: (value: z.output<Schema>) => readonly string[];
  /** It may be given several times: its lists are joined, and so are its objects. */
  readonly repeats?: true;
  /** An option that is on by default: what `--no-…` does. */
  readonly off?: string;
  /** The effect of `--no-…` where settings are edited. */
  readonly without?: string;
}
// biome-ignore lint/suspicious/noExplicitAny: a list of options with values of any type
export type Options = Readonly<Record<string, OptionDeclaration<any>>>;

type KeptName<Option, Name> = Option extends { readonly kept: infer Kept extends string } ? Kept : Name;
export type SchemaOf<Option> = Option extends { readonly schema: infer Schema extends z.ZodType } ? Schema : never;

/** Values by the names of their options, as flags and queries give them. */
export type Given<All> = { readonly [Name in keyof All]?: z.output<SchemaOf<All[Name]>> | undefined };
/** The same as they are kept. */
export type Kept<All> = {
  -readonly [Name in keyof All as KeptName<All[Name], Name & string>]?: z.output<SchemaOf<All[Name]>>;
};
type KeptShape<All> = {
  [Name in keyof All as KeptName<All[Name], Name & string>]: z.ZodOptional<SchemaOf<All[Name]>>;
};

/** The same as a form has them: switches as they are, choices, and all others as one text that people write. */
export type Written<All> = {
  readonly [Name in keyof All]?:
    | (SchemaOf<All[Name]> extends z.ZodBoolean | z.ZodEnum ? z.output<SchemaOf<All[Name]>> : string)
    | undefined;
};

type FilledShape<All> = {
  [Name in keyof All]: SchemaOf<All[Name]> extends z.ZodBoolean
    ? z.ZodDefault<z.ZodBoolean>
    : z.ZodOptional<SchemaOf<All[Name]>>;
};

/** Declares an option; for its types. */
export function option<Schema extends z.ZodType, const More extends { readonly kept?: string }>(
  declared: OptionDeclaration<Schema> & More,
): OptionDeclaration<Schema> & More {
  return declared;
}

/** The texts of an object: `uid=Member ID`. */
export function entryTexts(value: object) {
  return Object.entries(value).map(([name, text]) => `${name}=${text}`);
}

/** Text that is any text, or one of some values. */
export const TEXT = { parse: (text: string) => text, print: (value: string) => [value] };

export function choice<const Choice extends string>(choices: readonly Choice[]) {
  return {
    schema: z.enum(choices),
    choices,
    parse: parserFor<Choice>({ allowed: choices, parse: (text) => choices.find((one) => one === text) }),
    print: (value: Choice) => [value],
  };
}

/** An option that is on or off. */
export const SWITCH = {
  schema: z.boolean(),
  parse: (text: string) => choice(['true', 'false']).parse(text) === 'true',
  print: (value: boolean) => [String(value)],
};

/** Text that is read as settings are. */
export function readAsSetting<Value>(allowed: Allowed<Value>, print: (value: Value) => string) {
  return { parse: parserFor(allowed), print: (value: Value) => [print(value)] };
}

/** Something for each option, by its name: of the type that the caller returns. What is undefined is left out. */
export function mapOptions<Made>(options: Options, make: (name: string, declared: OptionDeclaration) => unknown): Made {
  return defined(Object.fromEntries(Object.entries(options).map(([name, one]) => [name, make(name, one)]))) as Made;
}

/** The schemas of what is kept, by its names there. */
export function keptShape<All extends Options>(options: All): KeptShape<All> {
  return Object.fromEntries(
    Object.entries(options).map(([name, declared]) => [
      declared.kept ?? name,
      declared.schema.optional().describe(descriptionOf(declared)),
    ]),
  ) as KeptShape<All>;
}

/** The same by the names of the options, with the default of each that is on or off. */
export function filledShape<All extends Options>(options: All): FilledShape<All> {
  return mapOptions(options, (_, declared) => {
    const { value, off } = declared;
    const schema = value === undefined ? z.boolean().default(off !== undefined) : declared.schema.optional();
    return schema.describe(descriptionOf(declared));
  });
}

export function descriptionOf({ help, preset }: Pick<OptionDeclaration, 'help' | 'preset'>) {
  return `${asSentence(help)}${preset === undefined ? '' : ` Default: ${preset}.`}`;
}

/** Returns the values that are stored. */
export function keptOf<All extends Options>(options: All, given: Given<NoInfer<All>>): Kept<All> {
  const entries = Object.entries(options).map(([name, { kept = name }]) => [kept, given[name]]);
  return defined(Object.fromEntries(entries)) as Kept<All>;
}

/** The reverse of `keptOf`. */
export function givenOf<All extends Options>(
  options: All,
  kept: { readonly [Name in keyof Kept<All>]: Kept<All>[Name] | undefined },
): Given<All> {
  const values = kept as Readonly<Record<string, unknown>>;
  return mapOptions(options, (name, { kept: inside = name }) => values[inside]);
}

/** Values as texts by the names of their options, as a query has them. Values that equal the default are left out. */
export function textsOf<All extends Options>(options: All, given: Given<NoInfer<All>>): [name: string, text: string][] {
  return Object.entries(options).flatMap(([name, { print, value: placeholder, off }]) => {
    const value: unknown = given[name];
    if (value === undefined || (placeholder === undefined && value === (off !== undefined))) return [];
    return print(value).map((text) => [name, text]);
  });
}

/** Values as one text each; a switch stays what it is. What has no text is left out. */
export function writtenOf<All extends Options>(options: All, given: Given<NoInfer<All>>): Written<All> {
  return mapOptions(options, (name, { print, value: placeholder }) => {
    const value: unknown = given[name];
    return value === undefined || placeholder === undefined ? value : print(value).join(',') || undefined;
  });
}

/** The reverse of `writtenOf`. @throws BAD_USAGE */
export function valuesOf<All extends Options>(options: All, written: Written<NoInfer<All>>): Given<All> {
  const texts = written as Readonly<Record<string, unknown>>;
  return mapOptions(options, (name, { parse }) => {
    const text = texts[name];
    return typeof text === 'string' ? parse(text) : text;
  });
}
