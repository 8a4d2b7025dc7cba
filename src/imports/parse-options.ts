import type { ImportOptions } from './import-options.ts';
import { BOUND_NAMES, BOUNDS, boundText } from './read/bounds.ts';
import { FIELDS } from './read/fields.ts';

/** Options as people write them, on the command line and in addresses. Each parser gives undefined for what it cannot read. */

export const ERROR_BOUND = 'a number of rows, such as 100, or a share of them, such as 5%';

/** `100` or `5%`. */
export function errorBound(text: string): ImportOptions['maxErrors'] {
  const [, digits, percent] = /^(\d{1,12}(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (digits !== undefined && percent === '%' && Number(digits) <= 100) return { percent: Number(digits) };
  if (digits !== undefined && percent === '' && Number.isInteger(Number(digits))) return { rows: Number(digits) };
  return undefined;
}

export const MAPPED_COLUMN = `field=column, or field= for none; fields are ${FIELDS.join(', ')}`;

/**
 * `uid=Member ID,guid=Team`, or as much of it as can be read with the part that cannot. A comma within a column's name is
 * taken for what it is, unless an equals sign follows it. `scope=` maps the field to nothing.
 */
export function columnMap(text: string): { readonly map: ImportOptions['map']; readonly unreadable?: string } {
  const map: ImportOptions['map'] = {};
  for (const part of text.split(/,(?=[^,]*=)/)) {
    const at = part.indexOf('=');
    const field = FIELDS.find((one) => one.toLowerCase() === part.slice(0, at).trim().toLowerCase());
    const column = part.slice(at + 1).trim();
    if (at < 1 || field === undefined) return { map, unreadable: part };
    map[field] = column;
  }
  return { map };
}

/** One character, or the word tab. */
export function delimiterCharacter(text: string): string | undefined {
  if (text === 'tab' || text === '\\t') return '\t';
  return text.length === 1 ? text : undefined;
}

const BOUND_LIST = `name=value, such as columns=5000 or element=64mb; names are ${BOUND_NAMES.join(', ')}`;

/** `columns=5000,element=64mb`, or what is wrong with it. */
export function boundList(text: string): { readonly bounds: ImportOptions['bounds']; readonly wrong?: string } {
  const bounds: ImportOptions['bounds'] = {};
  for (const part of text.split(',')) {
    const [word = '', size = ''] = part.split('=', 2).map((piece) => piece.trim());
    const name = BOUND_NAMES.find((one) => one === word);
    if (name === undefined) return { bounds, wrong: `${JSON.stringify(part)} is not ${BOUND_LIST}` };
    const { unit, most } = BOUNDS[name];
    const value = unit === 'bytes' ? byteSize(size) : /^\d{1,9}$/.test(size) ? Number(size) : undefined;
    if (value === undefined || value < 1 || value > most) {
      return {
        bounds,
        wrong: `${JSON.stringify(part)} is not possible; ${name} may be up to ${boundText(name, most)}`,
      };
    }
    bounds[name] = value;
  }
  return { bounds };
}

export const QUIET_TIME = 'a time such as 10s, 5m or 1h';

/** `10s` in ms. */
export function quietTime(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,4})([smh])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * ({ s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };

/** `500mb` in bytes. */
export function byteSize(text: string): number | undefined {
  const [, count, unit = 'b'] = /^(\d{1,9})(b|kb|mb|gb|tb)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  return bytes > 0 ? bytes : undefined;
}
