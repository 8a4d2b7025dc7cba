import { INPUTS } from '../../options/input-kinds.ts';
import { workbook } from '../../platform/xlsx-writer.ts';

/** An example file that can be imported as it is: the names of the columns, and what they may contain. */

export const TEMPLATE_FORMATS = ['csv', 'xlsx'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

const ROWS: readonly (readonly string[])[] = [
  ['guid', 'uid', 'scope', 'name'],
  ['team-berlin', 'anna-maier', 'admin', 'Anna Maier'],
  ['team-berlin', 'li-wei', 'moderator', 'Li Wei'],
  ['team-berlin', '004217', 'participant', 'Omar Haddad'],
  ['team-lisbon', '004217', '', 'Omar Haddad'],
];

export const TEMPLATE_TYPES: Readonly<Record<TemplateFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: INPUTS.xlsx.mediaType,
};

export function templateFile(format: TemplateFormat): Buffer {
  return format === 'csv'
    ? Buffer.from(ROWS.map((row) => `${row.join(',')}\n`).join(''))
    : Buffer.concat([...workbook(ROWS)]);
}
