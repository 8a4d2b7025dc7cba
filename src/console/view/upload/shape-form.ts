/** The fields of an upload form that say how a file is read and shaped, and the shape that they stand for. Pure. */

import { type LookupName, mapLookups } from '../../../options/lookups.ts';
import type { RecipeSettings, Shape } from '../../answers.ts';
import { listIn } from '../../format.ts';
import type {} from '../../option-words.ts';

type Values = Readonly<Record<string, string>>;

/** Words between |. */
export type Condition = { column: string; is: 'is' | 'isNot'; words: string };

/** The values of these fields before anything is chosen: '' lets the server decide. */
export const READING = {
  guid: '',
  scope: '',
  region: '',
  onBehalfOf: '',
  format: '',
  encoding: '',
  delimiter: '',
  sheet: '',
  files: '',
};

/** The same for those that shape it. */
export const SHAPING = {
  header: '',
  headerRow: '',
  skipLines: '',
  uidFrom: '',
  uidSecond: '',
  uidThird: '',
  uidTemplate: '',
  guidFrom: '',
  guidTemplate: '',
  splitGuid: '',
  splitUid: '',
  splitScope: '',
  groupsIn: '',
  wideColumns: '',
  wideGuid: '',
  numberedGuid: '',
  numberedScope: '',
  /** JSON: word of the file → scope, and conditions. */
  scopeWords: '',
  where: '',
};

/** The origins of a field's values. */
export const FIRST_OF = 'firstOf';
export const TEMPLATE = 'template';

/** Names for the columns of a file without a header. */
export function columnNames(width: number) {
  return Array.from({ length: Math.max(1, width) }, (_, index) => `Column ${index + 1}`);
}

/** Questions that a choice raises, and how to answer them. */
const ASKED: readonly (readonly [name: string, choice: string, field: string, text: string])[] = [
  ['header', 'row', 'headerRow', 'In which row is the header? Give its number, such as 3.'],
  ['header', 'skip', 'skipLines', 'How many lines are above the header? Give a number, such as 2.'],
  ['uidFrom', TEMPLATE, 'uidTemplate', 'Say how the UID is made, such as {E-mail|localpart|lower}.'],
  ['guidFrom', TEMPLATE, 'guidTemplate', 'Say how the GUID is made, such as course-{id}.'],
  ['groupsIn', 'wide', 'wideColumns', 'Name the columns that are groups.'],
  ['groupsIn', 'numbered', 'numberedGuid', 'Name the columns with the groups, such as course#.'],
];
const NUMBERS = ['headerRow', 'skipLines'];

/** The first field that a choice has brought and that says nothing usable yet. */
export function unsaidOf(values: Values) {
  for (const [name, choice, field, text] of ASKED) {
    const value = (values[field] ?? '').trim();
    const isUsable = NUMBERS.includes(field) ? /^\d+$/.test(value) : value !== '';
    if (values[name] === choice && !isUsable) return { field, text };
  }
  return undefined;
}

interface ShapeOfKnown {
  /** Columns of the file. */
  width: number;
  /** The column that the UID comes from; '' for none. */
  uidColumn: string;
  /** Files in which ids are looked up. */
  lookups: Readonly<Partial<Record<LookupName, unknown>>>;
}

/** The shape that the fields stand for; undefined for none. */
export function shapeOf(values: Values, { width, uidColumn, lookups }: ShapeOfKnown): Partial<Shape> | undefined {
  const at = (name: string) => values[name] ?? '';
  const shape: Record<string, unknown> = {
    ...(at('header') === 'row' && { headerRow: number(at('headerRow')) }),
    ...(at('header') === 'skip' && { skipLines: number(at('skipLines')) }),
    ...(at('header') === 'none' && { columns: columnNames(width) }),
    firstOf: filled({ uid: at('uidFrom') === FIRST_OF ? firstFilled(values, uidColumn) : undefined }),
    templates: filled({
      uid: at('uidFrom') === TEMPLATE ? at('uidTemplate') : '',
      guid: at('guidFrom') === TEMPLATE ? at('guidTemplate') : '',
    }),
    ...mapLookups(lookups, () => ({})),
    split: filled({ guid: at('splitGuid'), uid: at('splitUid'), scope: at('splitScope') }),
    ...(at('groupsIn') === 'wide' && {
      wide: { columns: listIn(at('wideColumns')), ...filled({ guid: at('wideGuid') }) },
    }),
    ...(at('groupsIn') === 'numbered' && {
      numbered: { guid: at('numberedGuid'), ...filled({ scope: at('numberedScope') }) },
    }),
    scopeWords: filled(wordsOf(values)),
    where: conditions(values),
  };
  const kept = Object.entries(shape).filter(([, value]) => value !== undefined && value !== null);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function firstFilled(values: Values, uidColumn: string) {
  const columns = [uidColumn, values['uidSecond'] ?? '', values['uidThird'] ?? ''].filter((column) => column !== '');
  return columns.length === 0 ? undefined : [...new Set(columns)];
}

/** Words of the file and the scopes that they stand for. */
export function wordsOf(values: Values): Record<string, string> {
  return JSON.parse(values['scopeWords'] || '{}');
}

export function conditionsIn(values: Values): Condition[] {
  return JSON.parse(values['where'] || '[]');
}

function conditions(values: Values) {
  const complete = conditionsIn(values).filter(({ column }) => column !== '');
  if (complete.length === 0) return undefined;
  return complete.map(({ column, is, words }) => ({ column, [is]: words.split('|').map((word) => word.trim()) }));
}

/** The fields that stand for a shape; those of the shape that no field has are left out. */
export function fieldsOf({
  headerRow,
  skipLines,
  columns,
  templates,
  firstOf,
  split,
  wide,
  numbered,
  scopeWords,
  where,
}: NonNullable<RecipeSettings['shape']>): Values {
  return (filled({
    header: columns !== undefined ? 'none' : headerRow !== undefined ? 'row' : skipLines !== undefined ? 'skip' : '',
    headerRow: String(headerRow ?? ''),
    skipLines: String(skipLines ?? ''),
    uidFrom: firstOf?.uid !== undefined ? FIRST_OF : templates?.uid !== undefined ? TEMPLATE : '',
    uidSecond: firstOf?.uid?.[1],
    uidThird: firstOf?.uid?.[2],
    uidTemplate: templates?.uid,
    guidFrom: templates?.guid === undefined ? '' : TEMPLATE,
    guidTemplate: templates?.guid,
    splitGuid: split?.guid,
    splitUid: split?.uid,
    splitScope: split?.scope,
    groupsIn: wide !== undefined ? 'wide' : numbered !== undefined ? 'numbered' : '',
    wideColumns: wide?.columns.join(', '),
    wideGuid: wide?.guid,
    numberedGuid: numbered?.guid,
    numberedScope: numbered?.scope,
    scopeWords: scopeWords === undefined ? '' : JSON.stringify(scopeWords),
    where: where === undefined ? '' : JSON.stringify(where.map(conditionOf)),
  }) ?? {}) as Values;
}

function conditionOf({
  column,
  is,
  isNot,
}: NonNullable<NonNullable<RecipeSettings['shape']>['where']>[number]): Condition {
  return { column, is: is === undefined ? 'isNot' : 'is', words: (is ?? isNot ?? []).join('|') };
}

/** The fields that stand for a shape, and the rest of it, which no field can say. */
export function fieldsAndRest(shape: NonNullable<RecipeSettings['shape']>): {
  fields: Values;
  rest: Readonly<Record<string, unknown>>;
} {
  const known = { width: shape.columns?.length ?? 0, uidColumn: shape.firstOf?.uid?.[0] ?? '', lookups: {} };
  let fields: Values = {};
  let said: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [part, value] of Object.entries(shape)) {
    const tried = { ...fields, ...fieldsOf({ [part]: value }) };
    if (isSame(shapeOf(tried, known), { ...said, [part]: value })) {
      fields = tried;
      said = { ...said, [part]: value };
    } else rest[part] = value;
  }
  return { fields, rest };
}

/** Whether two values are the same as JSON, in whatever order their names are. */
function isSame(a: unknown, b: unknown) {
  return JSON.stringify(a, sorted) === JSON.stringify(b, sorted);
}

function sorted(_: string, value: unknown) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** A number, or what stands there: what is not a number is the server's to refuse. */
function number(text: string) {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** The object without what is empty; undefined for nothing. */
function filled(object: Readonly<Record<string, unknown>>) {
  const kept = Object.entries(object).filter(([, value]) => value !== undefined && value !== '');
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
