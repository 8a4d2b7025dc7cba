import { z } from 'zod';
import { VERDICTS } from '../membership/check-words.ts';
import { REGIONS } from '../membership/membership.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { listOption } from './options.ts';

/** Options that choose rows of an import: of a list, of a report, for a retry. */

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** `120` or `120-150`; undefined for anything else. */
export function readLines(text: string): LineRange | undefined {
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (from === undefined || Number(from) > Number(to)) return undefined;
  return { from: Number(from), to: Number(to) };
}

export const rowFilterFields = {
  status: listOption(OUTCOMES).optional(),
  code: z.string().max(200).optional(),
  problemColumn: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'The column whose value makes the row invalid.' }),
  check: z
    .string()
    .regex(new RegExp(`^(${VERDICTS.join('|')})(:[A-Z_]{1,100})?$`), 'allowed is a verdict, or a verdict and a code')
    .optional()
    .meta({
      description: 'Verdict of the check before sending: `fail`, or `fail:BANNED` for one reason.',
    }),
  region: z.enum(REGIONS).optional(),
  guid: z.string().max(1_000).optional().meta({ description: 'The whole GUID, in any case.' }),
  uid: z.string().max(1_000).optional().meta({ description: 'The whole UID, in any case.' }),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Part of the UID, of the GUID or of any value of the row, in any case.' }),
  line: z
    .string()
    .transform((text, context): LineRange => {
      const lines = readLines(text);
      if (lines !== undefined) return lines;
      context.addIssue({
        code: 'custom',
        message: 'allowed is a row of the file such as 120, or a range such as 120-150',
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'A row as a spreadsheet counts, or a range such as `120-150`: `line` of a row, `_row` of a report.',
    }),
};

const rowFilterQuery = z.strictObject(rowFilterFields);
export type RowFilterQuery = z.infer<typeof rowFilterQuery>;
