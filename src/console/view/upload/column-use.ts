/** The use of a file's columns. Pure. */
import type { Field } from '../../answers.ts';
import { FIELDS } from '../../words.ts';
import type { ShownFile } from './preview.ts';
import { conditionsIn, FIRST_OF, listOf, TEMPLATE } from './shape-form.ts';

type Values = Readonly<Record<string, string>>;

/** The fields that a column can be chosen for: not those that a template makes. */
export function choosable(values: Values) {
  return FIELDS.filter(([field]) => values[`${field}From`] !== TEMPLATE);
}

/** The fields that are read from a column. */
export function usesOf(column: string, preview: ShownFile, values: Values) {
  return choosable(values).flatMap(([field]) => (preview.columnOf(field) === column ? [field] : []));
}

/** The choices of columns after one column gets another use: it loses its present ones. */
export function chosenFor(column: string, uses: readonly string[], preview: ShownFile): Partial<Record<Field, string>> {
  return Object.fromEntries(
    FIELDS.flatMap(([field]) => {
      if (uses.includes(field)) return [[field, column]];
      return preview.columnOf(field) === column ? [[field, '']] : [];
    }),
  );
}

/** Returns the use of a column that no field is read from; '' for none. */
export function otherUse(column: string, values: Values) {
  const at = (name: string) => values[name] ?? '';
  const isIn = (name: string) => at(`${name}From`) === TEMPLATE && has(at(`${name}Template`), column);
  if (isIn('uid')) return 'part of the UID';
  if (isIn('guid')) return 'part of the GUID';
  if (at('uidFrom') === FIRST_OF && [at('uidSecond'), at('uidThird')].includes(column))
    return 'UID, if others are empty';
  if (at('groupsIn') === 'wide' && listOf(at('wideColumns')).some((pattern) => isLike(column, pattern, '*')))
    return 'one of the groups';
  if (at('groupsIn') === 'numbered' && isLike(column, at('numberedGuid'), '#')) return 'one of the groups';
  if (at('groupsIn') === 'numbered' && isLike(column, at('numberedScope'), '#')) return 'one of the scopes';
  return conditionsIn(values).some((condition) => condition.column === column) ? 'decides which rows count' : '';
}

/** Whether a template reads a column: `{E-mail|slug}`, `{Login ?? E-mail}`. */
function has(template: string, column: string) {
  return template.split(/[{}]/).some(
    (part) =>
      part
        .split('|')[0]
        ?.split('??')
        .some((name) => name.trim() === column) === true,
  );
}

/** Whether a name is like a pattern, in which the sign stands for any text. */
function isLike(name: string, pattern: string, sign: string) {
  const text = name.toLowerCase();
  const [front = '', ...others] = pattern.toLowerCase().split(sign);
  const back = others.pop();
  if (back === undefined) return text === front;
  if (!text.startsWith(front) || !text.slice(front.length).endsWith(back)) return false;
  const end = text.length - back.length;
  let from = front.length;
  for (const part of others) {
    const place = text.indexOf(part, from);
    if (place < 0 || place + part.length > end) return false;
    from = place + part.length;
  }
  return true;
}
