import { FIELDS } from '../intake/columns.ts';
import type { ImportOptions } from './import-options.ts';

/** Options as people write them, on the command line and in addresses. Each parser gives undefined for what it cannot read. */

export const ERROR_BOUND = 'a number of rows, such as 100, or a share of them, such as 5%';

/** `100` or `5%`. */
export function errorBound(text: string): ImportOptions['maxErrors'] {
  const [, digits, percent] = /^(\d{1,12}(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (digits !== undefined && percent === '%' && Number(digits) <= 100) return { percent: Number(digits) };
  if (digits !== undefined && percent === '' && Number.isInteger(Number(digits))) return { rows: Number(digits) };
  return undefined;
}

export const MAPPED_COLUMN = `field=column; fields are ${FIELDS.join(', ')}`;

/**
 * `uid=Member ID,guid=Team`, or as much of it as can be read with the part that cannot. A comma within a column's name is
 * taken for what it is, unless an equals sign follows it.
 */
export function columnMap(text: string): { readonly map: ImportOptions['map']; readonly unreadable?: string } {
  const map: ImportOptions['map'] = {};
  for (const part of text.split(/,(?=[^,]*=)/)) {
    const at = part.indexOf('=');
    const field = FIELDS.find((one) => one.toLowerCase() === part.slice(0, at).trim().toLowerCase());
    const column = part.slice(at + 1).trim();
    if (at < 1 || field === undefined || column === '') return { map, unreadable: part };
    map[field] = column;
  }
  return { map };
}

/** One character, or the word tab. */
export function delimiterCharacter(text: string): string | undefined {
  if (text === 'tab' || text === '\\t') return '\t';
  return text.length === 1 ? text : undefined;
}
