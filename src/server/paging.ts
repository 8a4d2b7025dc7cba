import { z } from 'zod';
import { Problem } from './problem.ts';

/** How many entries a page has. */
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
    .transform((text, context): Word[] => {
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

/** A cursor that is a number inside. @throws Problem BAD_CURSOR */
export function numberCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badCursor(cursor);
}

export function badCursor(cursor: string): Problem {
  return new Problem('BAD_CURSOR', `The cursor ${JSON.stringify(cursor.slice(0, 60))} was not given by this address.`, {
    field: 'cursor',
  });
}
