import { z } from 'zod';
import { USER_MISSING } from '../chat/service/codes.ts';
import { VERDICTS } from '../membership/check-words.ts';
import { REGIONS } from '../membership/membership.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { choice, type Given, option, readAsSetting, SWITCH, TEXT } from './option.ts';
import { meaningOf } from './option-texts.ts';

/** Options that choose rows of an import: of a list, of a report, for a retry. */

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const lines = {
  allowed: 'a row of the file such as 120, or a range such as 120-150',
  parse: (text: string): LineRange | undefined => {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text.trim()) ?? [];
    if (from === undefined || Number(from) > Number(to)) return undefined;
    return { from: Number(from), to: Number(to) };
  },
};

/** An id or code may be empty: of rows without one. */
const id = { schema: z.string(), ...TEXT, shortest: 0, longest: 1_000 };
const verdict = new RegExp(`^(${VERDICTS.join('|')})(:[A-Z_]{1,100})?$`);

/** Options that are flags, too. */
export const ROWS = {
  status: option({
    schema: z.array(z.enum(OUTCOMES)),
    value: '<outcomes>',
    help: `only rows with these outcomes, with commas: ${OUTCOMES.join(', ')}`,
    parse: (text) => text.split(',').map((word) => meaningOf(word.trim(), OUTCOMES, 'outcomes, with commas')),
    print: (outcomes) => [outcomes.join(',')],
  }),
  code: option({ ...id, longest: 200, value: '<code>', help: `only rows with this code, such as ${USER_MISSING}` }),
  region: option({ ...choice(REGIONS), value: '<region>', help: 'only rows of this region' }),
  guid: option({ ...id, value: '<guid>', help: 'only rows of this group: the whole GUID, in any case' }),
  uid: option({ ...id, value: '<uid>', help: 'only rows of this user: the whole UID, in any case' }),
  text: option({
    schema: z.string(),
    ...TEXT,
    longest: 200,
    value: '<text>',
    help: 'only rows with this text in their UID, GUID or any column, in any case',
  }),
  line: option({
    schema: z.strictObject({ from: z.int(), to: z.int() }),
    ...readAsSetting(lines, ({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)),
    value: '<n|n-m>',
    help: 'only these rows, as a spreadsheet counts: `line` of a row, `_row` of a report',
  }),
};

export const ROW_FILTER = {
  ...ROWS,
  problemColumn: option({ ...id, value: '<column>', help: 'only rows that this column makes invalid' }),
  check: option({
    schema: z.string().regex(verdict, 'allowed is a verdict, or a verdict and a code'),
    ...TEXT,
    value: '<verdict>',
    help: 'only rows with this verdict of the check before sending: `fail`, or `fail:BANNED` for one reason',
  }),
};
export type RowFilter = Given<typeof ROW_FILTER>;

/** Options of a report beside its rows. */
export const REPORT = {
  format: option({
    ...choice(['csv', 'ndjson', 'json', 'xlsx', 'html']),
    value: '<format>',
    help: 'format of the report',
  }),
  retryable: option({
    ...SWITCH,
    help: 'only rows that can be sent again, in the original columns, ready to import',
  }),
};
export type ReportFormat = z.infer<typeof REPORT.format.schema>;
