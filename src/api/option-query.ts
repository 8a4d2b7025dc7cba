import { z } from 'zod';
import { descriptionOf, type OptionDeclaration, type Options, OptionTextError } from '../options/option.ts';

type SchemaOf<Option> = Option extends { readonly schema: infer Schema extends z.ZodType } ? Schema : never;
type Query<All> = { [Name in keyof All]: z.ZodOptional<z.ZodType<z.output<SchemaOf<All[Name]>>, string>> };

/** The options as parameters of a query. */
export function queryOf<All extends Options>(options: All): Query<All> {
  return Object.fromEntries(
    Object.entries(options).map(([name, declared]) => [name, parameter(declared)]),
  ) as Query<All>;
}

// biome-ignore lint/suspicious/noExplicitAny: an option with a value of any type
function parameter(declared: OptionDeclaration<any>): z.ZodType {
  const { schema, value, parse, join } = declared;
  const text = value === undefined ? z.enum(['true', 'false']) : textOf(declared);
  const given = join === undefined ? text : z.union([text, z.array(text)]);
  const description = descriptionOf(declared);
  return given
    .transform((texts, context) => {
      try {
        const values = [texts].flat().map(parse);
        return join === undefined ? values[0] : values.reduce(join);
      } catch (error) {
        if (!(error instanceof OptionTextError)) throw error;
        context.addIssue({ code: 'custom', message: `allowed is ${error.message}` });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .optional()
    .meta({ description: join === undefined ? description : `${description} May be given several times.` });
}

function textOf({ choices, shortest = 1, longest = 3_000 }: OptionDeclaration) {
  return choices === undefined ? z.string().min(shortest).max(longest) : z.enum(choices as [string, ...string[]]);
}
