import type { Allowed } from '../platform/allowed-values.ts';
import { BOUND_NAMES, BOUNDS, type BoundName, boundText, byteSize } from './bounds.ts';
import { FIELDS } from './fields.ts';
import { OptionTextError } from './option.ts';
import { type Shape, shapeSettings } from './shape.ts';

/** Options as people write them, on the command line and in addresses. */

type ColumnMap = Partial<Record<(typeof FIELDS)[number], string>>;

/**
 * `uid=Member ID,guid=Team`. A comma within a column's name is taken for what it is, unless an equals sign follows it.
 * `scope=` maps the field to nothing.
 */
export function columnMap(text: string): ColumnMap {
  return Object.fromEntries(
    text.split(/,(?=[^,]*=)/).map((part) => {
      const at = part.indexOf('=');
      const field = FIELDS.find((one) => one.toLowerCase() === part.slice(0, at).trim().toLowerCase());
      if (at >= 1 && field !== undefined) return [field, part.slice(at + 1).trim()];
      throw new OptionTextError(
        `field=column, for example uid=Member ID, or field= for none; fields are ${FIELDS.join(', ')}; ${JSON.stringify(part)} is not one`,
      );
    }),
  );
}

export const delimiterCharacter: Allowed<string> = {
  allowed: 'one character, or the word tab',
  parse: (text) => (text === 'tab' || text === '\\t' ? '\t' : text.length === 1 ? text : undefined),
};

/** `columns=5000,element=64mb` */
export function boundList(text: string): Partial<Record<BoundName, number>> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [word = '', size = ''] = part.split('=', 2).map((piece) => piece.trim());
      const name = BOUND_NAMES.find((one) => one === word);
      if (name === undefined) {
        throw new OptionTextError(
          `name=value, such as columns=5000 or element=64mb; names are ${BOUND_NAMES.join(', ')}; ${JSON.stringify(part)} is not one`,
        );
      }
      const { unit, most } = BOUNDS[name];
      const value = unit === 'bytes' ? byteSize(size) : /^\d{1,9}$/.test(size) ? Number(size) : undefined;
      if (value !== undefined && value >= 1 && value <= most) return [name, value];
      throw new OptionTextError(`${name} up to ${boundText(name, most)}; ${JSON.stringify(part)} is not possible`);
    }),
  );
}

/** A shape as JSON. */
export const shapeText = {
  parse: (text: string): Shape => {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      throw new OptionTextError('a JSON object, such as {"split":{"guid":";"}}');
    }
    const { data, error } = shapeSettings.safeParse(given);
    if (data !== undefined) return data;
    throw new OptionTextError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  },
  print: (shape: Shape) => [JSON.stringify(shape)],
};
