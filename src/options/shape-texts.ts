import { SCOPES } from '../membership/membership.ts';
import { OptionTextError } from './option.ts';
import { ACTION_MEANINGS, SCOPE_MEANINGS, type ShapeInput } from './shape.ts';

/** Parts of a shape as people write them on the command line. Each parser throws OptionTextError for what it cannot read. */

/** `active=add,deleted=remove`: pairs of texts. An equals sign in the first text is written `\=`, a comma `\,`. */
function pairs(text: string, example: string): [string, string][] {
  return parts(text).map((part) => {
    const at = part.search(/(?<!\\)=/);
    if (at < 0)
      throw new OptionTextError(`pairs with an equals sign, such as ${example}; ${JSON.stringify(part)} has none`);
    return [unescaped(part.slice(0, at)), unescaped(part.slice(at + 1))];
  });
}

/** Splits a text at commas; `\,` stands for a comma. */
function parts(text: string): string[] {
  return text.split(/(?<!\\),/);
}

function unescaped(text: string): string {
  return text.trim().replace(/\\([=,|])/g, '$1');
}

/** `uid,guid,-,scope` */
export function columnList(text: string): string[] {
  return parts(text).map(unescaped);
}

function meaningOf<Meaning extends string>(word: string, meanings: readonly Meaning[], what: string): Meaning {
  const meaning = meanings.find((one) => one === word.toLowerCase());
  if (meaning !== undefined) return meaning;
  throw new OptionTextError(`${what}; ${JSON.stringify(word)} is not one of them; allowed are ${meanings.join(', ')}`);
}

/** `OWNER=admin,*=participant` */
export function scopeWordList(text: string): NonNullable<ShapeInput['scopeWords']> {
  const words = pairs(text, 'OWNER=admin,*=participant');
  return Object.fromEntries(
    words.map(([word, scope]) => [word, meaningOf(scope, SCOPE_MEANINGS, 'a scope for each word')]),
  );
}

/** `active=add,deleted=remove` */
export function actionWordList(text: string): NonNullable<NonNullable<ShapeInput['actions']>['words']> {
  const words = pairs(text, 'active=add,deleted=remove');
  return Object.fromEntries(
    words.map(([word, action]) => [word, meaningOf(action, ACTION_MEANINGS, 'an action for each word')]),
  );
}

/** `guid=;` or several: `guid=;` again `uid=|`. `\n`, `\t` and `tab` are a line break and a tab; `,` is itself. */
export function splitOf(text: string): NonNullable<ShapeInput['split']> {
  const [, field, separator] = /^\s*(guid|uid|scope)\s*=(.+)$/s.exec(text) ?? [];
  if (field === undefined || separator === undefined) {
    throw new OptionTextError(`field=separator, such as guid=";"; fields are guid, uid, scope`);
  }
  const named: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', tab: '\t', space: ' ' };
  return { [field]: named[separator] ?? separator };
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
  if (!isRight || guid === undefined) throw new OptionTextError(`columns with # for their number, such as ${example}`);
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
      throw new OptionTextError(
        `conditions such as status=active or deleted!=true; ${JSON.stringify(part)} is not one`,
      );
    }
    const values = part
      .slice(at + (isNot ? 2 : 1))
      .split(/(?<!\\)\|/)
      .map(unescaped);
    if (values.includes(OPEN_VALUE)) {
      throw new OptionTextError(`the words of the column ${JSON.stringify(column)} in place of ${OPEN_VALUE}`);
    }
    return isNot ? { column, isNot: values } : { column, is: values };
  });
}

/** `guid=g1|g2,uid=anna` */
export function chosenRows(text: string): { field: 'guid' | 'uid'; is: string[] }[] {
  return pairs(text, 'guid=group-1|group-2').map(([field, ids]) => {
    const is = ids.split('|').map((id) => id.trim());
    if ((field !== 'guid' && field !== 'uid') || is.includes('')) {
      throw new OptionTextError('guid=… or uid=…, with | between several');
    }
    return { field, is };
  });
}
