import { badUsage } from '../errors/rollcall-error.ts';
import { ACTION_MEANINGS, SCOPE_MEANINGS, SCOPES } from '../membership/membership.ts';
import type { Allowed } from '../platform/allowed-values.ts';
import { BOUND_NAMES, BOUNDS, type BoundName, boundText, byteSize } from './bounds.ts';
import { type Shape, type ShapeInput, shapeSettings } from './shape.ts';

/** Options, and parts of a shape, as people write them. Parsers of lists throw BAD_USAGE for what they cannot read. */

/**
 * Reads `uid=Member ID,guid=Team`. A comma within a column's name is taken for what it is, unless an equals sign follows it.
 * `scope=` maps the field to nothing.
 */
export function columnMap<Field extends string>(fields: readonly Field[], example: string) {
  return (text: string): Partial<Record<Field, string>> =>
    Object.fromEntries(
      text.split(/,(?=[^,]*=)/).map((part) => {
        const at = part.indexOf('=');
        const field = fields.find((one) => one.toLowerCase() === part.slice(0, at).trim().toLowerCase());
        if (at >= 1 && field !== undefined) return [field, part.slice(at + 1).trim()];
        throw badUsage(
          `field=column, for example ${example}, or field= for none; fields are ${fields.join(', ')}; ${JSON.stringify(part)} is not one`,
        );
      }),
    ) as Partial<Record<Field, string>>;
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
        throw badUsage(
          `name=value, such as columns=5000 or element=64mb; names are ${BOUND_NAMES.join(', ')}; ${JSON.stringify(part)} is not one`,
        );
      }
      const { unit, most } = BOUNDS[name];
      const value = unit === 'bytes' ? byteSize(size) : /^\d{1,9}$/.test(size) ? Number(size) : undefined;
      if (value !== undefined && value >= 1 && value <= most) return [name, value];
      throw badUsage(`${name} up to ${boundText(name, most)}; ${JSON.stringify(part)} is not possible`);
    }),
  );
}

export const shapeText = {
  parse: (text: string): Shape => {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      throw badUsage('a JSON object, such as {"split":{"guid":";"}}');
    }
    const { data, error } = shapeSettings.safeParse(given);
    if (data !== undefined) return data;
    throw badUsage(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  },
  print: (shape: Shape) => [JSON.stringify(shape)],
};

/** `active=add,deleted=remove`: pairs of texts. An equals sign in the first text is written `\=`, a comma `\,`. */
function pairs(text: string, example: string): [string, string][] {
  return parts(text).map((part) => {
    const at = part.search(/(?<!\\)=/);
    if (at < 0) throw badUsage(`pairs with an equals sign, such as ${example}; ${JSON.stringify(part)} has none`);
    return [unescaped(part.slice(0, at)), unescaped(part.slice(at + 1))];
  });
}

/** Splits a text at commas; `\,` stands for a comma. */
function parts(text: string) {
  return text.split(/(?<!\\),/);
}

function unescaped(text: string) {
  return text.trim().replace(/\\([=,|])/g, '$1');
}

/** `members*.csv,{a,b}.json`: a comma within braces is part of a pattern, and `\,` is a comma of a name. */
export function patternList(text: string) {
  return text.split(/(?<!\\),(?![^{]*\})/).flatMap((pattern) => pattern.trim().replaceAll('\\,', ',') || []);
}

/** `uid,guid,-,scope` */
export function columnList(text: string) {
  return parts(text).map(unescaped);
}

/** One of some words, in any case. @param what says in a list what is expected */
export function meaningOf<Meaning extends string>(word: string, meanings: readonly Meaning[], what: string) {
  const meaning = meanings.find((one) => one === word.toLowerCase());
  if (meaning !== undefined) return meaning;
  throw badUsage(`${what}; ${JSON.stringify(word)} is not one of them; allowed are ${meanings.join(', ')}`);
}

/** Words of a file with what each means, such as `OWNER=admin,*=participant`. */
function meaningsOf<Meaning extends string>(example: string, meanings: readonly Meaning[], what: string) {
  return (text: string): Record<string, Meaning> =>
    Object.fromEntries(pairs(text, example).map(([word, meaning]) => [word, meaningOf(meaning, meanings, what)]));
}

export const scopeWordList = meaningsOf('OWNER=admin,*=participant', SCOPE_MEANINGS, 'a scope for each word');
export const actionWordList = meaningsOf('active=add,deleted=remove', ACTION_MEANINGS, 'an action for each word');

/** `guid=;` or several: `guid=;` again `uid=|`. `\n`, `\t` and `tab` are a line break and a tab; `,` is itself. */
export function splitOf(text: string): NonNullable<ShapeInput['split']> {
  const [, field, separator] = /^\s*(guid|uid|scope)\s*=(.+)$/s.exec(text) ?? [];
  if (field === undefined || separator === undefined) {
    throw badUsage(`field=separator, such as guid=";"; fields are guid, uid, scope`);
  }
  return { [field]: NAMED_SEPARATORS[separator] ?? separator };
}

const NAMED_SEPARATORS: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', tab: '\t', space: ' ' };

/** A separator as `splitOf` reads it. */
export function separatorText(separator: string) {
  return Object.keys(NAMED_SEPARATORS).find((name) => NAMED_SEPARATORS[name] === separator) ?? separator;
}

/** `admin=owners,participant=members` */
export function scopeLists(text: string): NonNullable<ShapeInput['lists']> {
  const lists: Partial<Record<(typeof SCOPES)[number], string[]>> = {};
  for (const [scope, column] of pairs(text, 'admin=owners,participant=members')) {
    const found = meaningOf(scope, SCOPES, 'scope=column');
    lists[found] = [...(lists[found] ?? []), column];
  }
  return lists;
}

/** `guid=course#,scope=role#` */
export function numberedColumns(text: string): NonNullable<ShapeInput['numbered']> {
  const example = 'guid=course#,scope=role#';
  const { guid, scope, ...others } = Object.fromEntries(pairs(text, example));
  const isRight = guid?.includes('#') && (scope?.includes('#') ?? true) && Object.keys(others).length === 0;
  if (!isRight || guid === undefined) throw badUsage(`columns with # for their number, such as ${example}`);
  return { guid, ...(scope !== undefined && { scope }) };
}

/** Placeholder in a suggested condition, for a person to fill in. */
export const OPEN_VALUE = '<value>';

/** `status=active|pending,deleted!=true` */
export function conditions(text: string): NonNullable<ShapeInput['where']> {
  return parts(text).map((part) => {
    const at = part.search(/(?<!\\)!?=/);
    const isNot = part.charAt(at) === '!';
    const column = unescaped(part.slice(0, Math.max(0, at)));
    if (column === '') {
      throw badUsage(`conditions such as status=active or deleted!=true; ${JSON.stringify(part)} is not one`);
    }
    const values = part
      .slice(at + (isNot ? 2 : 1))
      .split(/(?<!\\)\|/)
      .map(unescaped);
    if (values.includes(OPEN_VALUE)) {
      throw badUsage(`the words of the column ${JSON.stringify(column)} in place of ${OPEN_VALUE}`);
    }
    return isNot ? { column, isNot: values } : { column, is: values };
  });
}

/** `guid=g1|g2,uid=anna` */
export function chosenRows(text: string): { field: 'guid' | 'uid'; is: string[] }[] {
  return pairs(text, 'guid=group-1|group-2').map(([field, ids]) => {
    const is = ids.split('|').map((id) => id.trim());
    if ((field !== 'guid' && field !== 'uid') || is.includes('')) {
      throw badUsage('guid=… or uid=…, with | between several');
    }
    return { field, is };
  });
}
