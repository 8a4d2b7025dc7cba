import { z } from 'zod';
import { isError } from '../errors/rollcall-error.ts';
import { REGIONS } from '../membership/membership.ts';
import { ROW_COUNTS } from '../membership/outcome.ts';
import {
  descriptionOf,
  filledShape,
  mapOptions,
  type OptionDeclaration,
  type Options,
  type SchemaOf,
} from '../options/option.ts';
import { joined } from '../platform/defined.ts';

/** Fields that many answers of the HTTP API have. */

/** Id of an import in examples. */
export const IMPORT_ID = '20260301-040501-abc';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();
export const count = z.int().nonnegative();
export const callsByRegion = z.partialRecord(z.enum(REGIONS), count);

export const surveyProgress = z.strictObject({
  step: z.enum(['groups', 'members', 'owner', 'banned', 'users']),
  done: count,
  of: count.nullable().describe('Null for a list whose length is not known.'),
});
export const rowCounts = z
  .record(z.enum(ROW_COUNTS), count)
  .describe(
    'Rows by outcome. Once the import has finished, `read` is the sum of all others; before that, some rows have no outcome yet.',
  );
export const stateReason = z.string().describe('Reason for the state, in a sentence.');
export const stateCode = z
  .string()
  .optional()
  .describe('Reason for the state, if the state does not tell enough. docs/errors.md has the codes.');
export const rowNumber = z.int().describe('Number of the row in the order of the input, from 1.');
export const HOST = "The part after `api-<region>.` in the chat service's address.";
export const possible = <const Action extends string>(actions: readonly Action[]) =>
  z.array(z.enum(actions)).describe('Actions that are possible now.');
/** `cursor` of the next page; null on the last one. */
export const nextCursor = z.string().nullable();
/** The input as it was, by column. */
export const original = z.record(z.string(), z.unknown());

/** Something that a person should know about a file, although it does not stop it. */
export const inputNote = z
  .strictObject({ code: z.string(), text: z.string() })
  .describe('Remarks on the file for a person, such as which sheet of a workbook was read.');

/** The destination of an import, sync or schedule. */
export const sentTo = z.strictObject({
  profile: z.string().optional().describe('The profile whose settings named it.'),
  host: z.string().optional().describe(HOST),
  apps: z.record(z.string(), z.string()).describe('The app id of each region.'),
});
export type SentTo = Readonly<z.infer<typeof sentTo>>;

/** The ways on from where something stands, starting with the one that solves it, each with the operation that does it. */
export function nextSteps<const Operations extends readonly string[]>(operations: Operations) {
  return z
    .array(
      z.strictObject({
        operation: z.enum(operations),
        query: z
          .record(z.string(), z.string())
          .optional()
          .describe('The query of the operation, to which a person agrees.'),
        name: z.string().describe('A label for it.'),
        why: z.string().describe('Its effect, and when it helps: sentences without the last full stop.'),
      }),
    )
    .describe(
      'The next steps for a person, starting with the one that solves it. Empty if there is nothing to do, or nothing can be done.',
    );
}

/** Parameters of queries: declared options, and those that many addresses of the HTTP API take. */

type Query<All> = { [Name in keyof All]: z.ZodOptional<z.ZodType<z.output<SchemaOf<All[Name]>>, string>> };

export function queryOf<All extends Options>(options: All): Query<All> {
  return mapOptions(options, (_, declared) => parameter(declared));
}

type WrittenShape<All> = {
  [Name in keyof All]: SchemaOf<All[Name]> extends z.ZodBoolean
    ? z.ZodDefault<z.ZodBoolean>
    : z.ZodOptional<SchemaOf<All[Name]> extends z.ZodEnum ? SchemaOf<All[Name]> : z.ZodString>;
};

/** The options as fields of a document, which keeps them as people write them; switches are true or false. */
export function writtenShape<All extends Options>(options: All): WrittenShape<All> {
  return mapOptions(options, (name, declared) => {
    if (declared.value === undefined) return filledShape({ [name]: declared })[name];
    const text = parameterOf(declared).check(({ value, issues }) => {
      issues.push(...((parameter(declared).safeParse(value).error?.issues ?? []) as typeof issues));
    });
    return text.optional().describe(descriptionOf(declared));
  });
}

function parameter(declared: OptionDeclaration): z.ZodType {
  const { schema, value, parse, repeats } = declared;
  const text = value === undefined ? z.enum(['true', 'false']) : parameterOf(declared);
  const given = repeats ? z.union([text, z.array(text)]) : text;
  const description = descriptionOf(declared);
  return given
    .transform((texts, context) => {
      try {
        const values = [texts].flat().map(parse);
        return repeats ? joined(values) : values[0];
      } catch (error) {
        if (!isError(error, 'BAD_USAGE')) throw error;
        context.addIssue({ code: 'custom', message: `allowed is ${error.message}` });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .optional()
    .describe(repeats ? `${description} May be given several times.` : description);
}

function parameterOf({ choices, shortest = 1, longest = 3_000 }: OptionDeclaration) {
  return choices === undefined ? z.string().min(shortest).max(longest) : z.enum(choices as [string, ...string[]]);
}

export function limitOption(byDefault: number, most: number) {
  const message = `allowed is a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, message)
    .optional()
    .transform((limit) => limit ?? byDefault)
    .describe(`Entries of a page: 1 to ${most}. Default: ${byDefault}.`);
}

/** The options of a list that is asked for page by page. */
export const pageOptions = (byDefault: number, most: number) => ({
  limit: limitOption(byDefault, most),
  cursor: z.string().max(500).describe('`nextCursor` of the page before; opaque.').optional(),
});

/** `failed,invalid`: words separated by commas. */
export function listOption<const Word extends string>(words: readonly Word[]) {
  return z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(z.enum(words)))
    .readonly()
    .describe(`Some of ${words.join(', ')}, separated by commas.`);
}

/** A time in ms since 1970, or a day in UTC: its first moment, or the first one after it. */
export function timeOption(edge: 'start' | 'end') {
  return z.string().transform((text, context) => {
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
