import { z } from 'zod';
import { isError } from '../errors/rollcall-error.ts';
import { descriptionOf, filledShape, type OptionDeclaration, type Options, type SchemaOf } from '../options/option.ts';

/** Parameters of queries: declared options, and those that many addresses of the HTTP API take. */

type Query<All> = { [Name in keyof All]: z.ZodOptional<z.ZodType<z.output<SchemaOf<All[Name]>>, string>> };

/** The options as parameters of a query. */
export function queryOf<All extends Options>(options: All): Query<All> {
  return Object.fromEntries(
    Object.entries(options).map(([name, declared]) => [name, parameter(declared)]),
  ) as Query<All>;
}

type WrittenShape<All> = {
  [Name in keyof All]: SchemaOf<All[Name]> extends z.ZodBoolean
    ? z.ZodDefault<z.ZodBoolean>
    : z.ZodOptional<SchemaOf<All[Name]> extends z.ZodEnum ? SchemaOf<All[Name]> : z.ZodString>;
};

/** The options as fields of a document, which keeps them as people write them; switches are true or false. */
export function writtenShape<All extends Options>(options: All): WrittenShape<All> {
  return Object.fromEntries(
    Object.entries(options).map(([name, declared]) => {
      if (declared.value === undefined) return [name, filledShape({ [name]: declared })[name]];
      const text = parameterOf(declared).check(({ value, issues }) => {
        issues.push(...((parameter(declared).safeParse(value).error?.issues ?? []) as typeof issues));
      });
      return [name, text.optional().meta({ description: descriptionOf(declared) })];
    }),
  ) as WrittenShape<All>;
}

// biome-ignore lint/suspicious/noExplicitAny: an option with a value of any type
function parameter(declared: OptionDeclaration<any>): z.ZodType {
  const { schema, value, parse, join } = declared;
  const text = value === undefined ? z.enum(['true', 'false']) : parameterOf(declared);
  const given = join === undefined ? text : z.union([text, z.array(text)]);
  const description = descriptionOf(declared);
  return given
    .transform((texts, context) => {
      try {
        const values = [texts].flat().map(parse);
        return join === undefined ? values[0] : values.reduce(join);
      } catch (error) {
        if (!isError(error, 'BAD_USAGE')) throw error;
        context.addIssue({ code: 'custom', message: `allowed is ${error.message}` });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .optional()
    .meta({ description: join === undefined ? description : `${description} May be given several times.` });
}

function parameterOf({ choices, shortest = 1, longest = 3_000 }: OptionDeclaration) {
  return choices === undefined ? z.string().min(shortest).max(longest) : z.enum(choices as [string, ...string[]]);
}

/** Returns the option for the number of entries on a page. */
export function limitOption(byDefault: number, most: number) {
  const message = `allowed is a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, message)
    .optional()
    .transform((limit) => limit ?? byDefault)
    .meta({ description: `Entries of a page: 1 to ${most}. Default: ${byDefault}.` });
}

export const cursorOption = z.string().max(500).meta({ description: '`nextCursor` of the page before; opaque.' });

/** `failed,invalid`: words separated by commas. */
export function listOption<const Word extends string>(words: readonly Word[]) {
  return z
    .string()
    .transform((text, context): readonly Word[] => {
      const found: Word[] = [];
      for (const part of text.split(',').map((one) => one.trim())) {
        const word = words.find((one) => one === part);
        if (word === undefined) {
          context.addIssue({ code: 'custom', message: `allowed are ${words.join(', ')}, with commas between them` });
          return z.NEVER;
        }
        found.push(word);
      }
      return found;
    })
    .meta({ description: `Some of ${words.join(', ')}, separated by commas.` });
}

/**
 * A time, or a day in UTC, in ms since 1970.
 * @param edge which moment of a day counts: its first one, or the first one after it
 */
export function timeOption(edge: 'start' | 'end') {
  return z.string().transform((text, context): number => {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const at = isDay || z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) {
      context.addIssue({
        code: 'custom',
        message: 'allowed is a day such as 2026-11-20, or a time such as 2026-11-20T08:00:00Z',
      });
      return z.NEVER;
    }
    return isDay && edge === 'end' ? at + 24 * 60 * 60 * 1000 : at;
  });
}

/** A query that the server checks as the options are declared for it: clients send the texts of options. */
export const anyTexts = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
