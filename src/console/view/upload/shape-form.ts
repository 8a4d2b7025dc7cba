/** The fields of a form that say how a file is read and shaped: how each is shown, and the part of the shape that it stands for. Pure. */

import { type LookupName, mapLookups } from '../../../options/lookups.ts';
import type { RecipeSettings, Shape } from '../../answers.ts';
import { listIn } from '../../format.ts';

type Values = Readonly<Record<string, string>>;
type KnownShape = NonNullable<RecipeSettings['shape']>;

/** Words between |. */
export type Condition = { column: string; is: 'is' | 'isNot'; words: string };

const DEFAULTS = ['guid', 'scope', 'region', 'onBehalfOf', 'until'];
export const FORMAT = ['format', 'encoding', 'delimiter', 'sheet', 'files'];
/** The options by which a file is read. */
export const READING = [...DEFAULTS, ...FORMAT];

/** `uid=Member ID,guid=Team`, as the server takes it. */
export function pairsText(values: Readonly<Record<string, string>>) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The reverse. */
export function pairsIn(text: string): Record<string, string> {
  const parts = text.split(/,(?=[^,]*=)/).filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...value] = part.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** The origins of a field's values. */
const FIRST_OF = 'firstOf';
export const TEMPLATE = 'template';

export interface ShapeField {
  /** The name that people see. */
  label?: string;
  placeholder?: string;
  note?: string;
  choices?: readonly (readonly [value: string, label: string])[];
  /** The choice in another field that brings it. */
  when?: readonly [field: string, choice: string];
  /** Its place in the shape. */
  at?: string;
  /** Its values there, if they are not its text. */
  values?: keyof typeof VALUES;
  /** A question, as long as it says nothing usable. */
  ask?: string;
  /** One of the file's columns. */
  isColumn?: boolean;
}

const FIRST_FILLED = ['uidFrom', FIRST_OF] as const;
const WIDE = ['groupsIn', 'wide'] as const;
const NUMBERED = ['groupsIn', 'numbered'] as const;
const BY_COLUMN = ['', 'the column chosen above'] as const;
const BY_TEMPLATE = [TEMPLATE, 'a template'] as const;
const TEMPLATE_NOTE =
  'Columns in braces, with functions: lower, upper, trim, slug, cometchat, localpart, domain, rdn, digits, before:TEXT, after:TEXT.';

export const HEADER: Readonly<Record<string, ShapeField>> = {
  header: {
    label: 'Header row',
    choices: [
      ['', 'detect'],
      ['row', 'in a certain row'],
      ['skip', 'after lines to skip'],
      ['none', 'there is none'],
    ],
  },
  headerRow: {
    placeholder: '3',
    when: ['header', 'row'],
    at: 'headerRow',
    values: 'number',
    ask: 'In which row is the header? Give its number, such as 3.',
  },
  skipLines: {
    placeholder: '2',
    when: ['header', 'skip'],
    at: 'skipLines',
    values: 'number',
    ask: 'How many lines are above the header? Give a number, such as 2.',
  },
};

export const IDS: Readonly<Record<string, ShapeField>> = {
  uidFrom: {
    label: 'UID from',
    choices: [BY_COLUMN, [FIRST_OF, 'the first filled of several columns'], BY_TEMPLATE],
  },
  uidSecond: { label: 'If it is empty, from', when: FIRST_FILLED, isColumn: true },
  uidThird: { label: 'If that is empty too, from', when: FIRST_FILLED, isColumn: true },
  uidTemplate: {
    label: 'UID template',
    placeholder: '{E-mail|localpart|lower}',
    note: TEMPLATE_NOTE,
    when: ['uidFrom', TEMPLATE],
    at: 'templates.uid',
    ask: 'Say how the UID is made, such as {E-mail|localpart|lower}.',
  },
  guidFrom: { label: 'GUID from', choices: [BY_COLUMN, BY_TEMPLATE] },
  guidTemplate: {
    label: 'GUID template',
    placeholder: 'course-{id}',
    note: TEMPLATE_NOTE,
    when: ['guidFrom', TEMPLATE],
    at: 'templates.guid',
    ask: 'Say how the GUID is made, such as course-{id}.',
  },
};

export const SEVERAL: Readonly<Record<string, ShapeField>> = {
  splitGuid: { label: 'Between groups in a cell', placeholder: ';', at: 'split.guid' },
  splitUid: { label: 'Between users in a cell', placeholder: ';', at: 'split.uid' },
  splitScope: {
    label: 'Between scopes in a cell',
    placeholder: ';',
    note: 'In the order of the groups.',
    at: 'split.scope',
  },
  groupsIn: {
    label: 'Groups are in',
    choices: [
      ['', 'one column with the group'],
      ['wide', 'one column for each group'],
      ['numbered', 'numbered columns (course1, course2)'],
    ],
  },
  wideColumns: {
    label: 'Columns that are groups',
    placeholder: 'Team *, Choir',
    note: '* stands for any text. A cell has a mark (x, yes, 1) or a scope.',
    when: WIDE,
    at: 'wide.columns',
    values: 'list',
    ask: 'Name the columns that are groups.',
  },
  wideGuid: {
    label: 'GUID of such a column',
    placeholder: '{column|slug}',
    note: 'Leave empty to use the column’s name.',
    when: WIDE,
    at: 'wide.guid',
  },
  numberedGuid: {
    label: 'Group columns',
    placeholder: 'course#',
    note: '# is the number.',
    when: NUMBERED,
    at: 'numbered.guid',
    ask: 'Name the columns with the groups, such as course#.',
  },
  numberedScope: { label: 'Scope columns', placeholder: 'role#', when: NUMBERED, at: 'numbered.scope' },
};

/** Those with controls of their own. */
const OWN: Readonly<Record<string, ShapeField>> = {
  scopeWords: { at: 'scopeWords', values: 'words' },
  where: { at: 'where', values: 'conditions' },
};

const FIELDS: Readonly<Record<string, ShapeField>> = { ...HEADER, ...IDS, ...SEVERAL, ...OWN };

/** The fields that stand for a shape. */
export const SHAPING: readonly string[] = Object.keys(FIELDS);

/** Texts of fields, and what they stand for. */
const VALUES = {
  text: { read: (text: string): unknown => text, write: String },
  number: { read: Number, write: String },
  list: { read: listIn, write: (value: readonly string[]) => value.join(', ') },
  /** Word of the file → scope. */
  words: { read: (text: string) => JSON.parse(text), write: JSON.stringify },
  conditions: {
    read: (text: string) => {
      const complete = conditionsIn({ where: text }).filter(({ column }) => column !== '');
      if (complete.length === 0) return undefined;
      return complete.map(({ column, is, words }) => ({ column, [is]: words.split('|').map((word) => word.trim()) }));
    },
    write: (value: NonNullable<KnownShape['where']>) =>
      JSON.stringify(
        value.map(({ column, is, isNot }) => ({
          column,
          is: is === undefined ? 'isNot' : 'is',
          words: (is ?? isNot ?? []).join('|'),
        })),
      ),
  },
};

/** Whether the choices so far bring a field. */
export function isBrought({ when: [name, choice] = ['', ''] }: ShapeField, values: Values) {
  return (values[name] ?? '') === choice;
}

/** Names for the columns of a file without a header. */
export function columnNames(width: number) {
  return Array.from({ length: Math.max(1, width) }, (_, index) => `Column ${index + 1}`);
}

/** The first field that a choice has brought and that says nothing usable yet. */
export function unsaidOf(values: Values) {
  for (const [name, field] of Object.entries(FIELDS)) {
    const text = (values[name] ?? '').trim();
    const isUsable = field.values === 'number' ? /^\d+$/.test(text) : text !== '';
    if (field.ask !== undefined && !isUsable && isBrought(field, values)) return { field: name, text: field.ask };
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
  const shape: Record<string, unknown> = { ...mapLookups(lookups, () => ({})) };
  if (values['header'] === 'none') shape['columns'] = columnNames(width);
  const filled = [uidColumn, values['uidSecond'], values['uidThird']].filter(Boolean);
  if (values['uidFrom'] === FIRST_OF && filled.length > 0) shape['firstOf'] = { uid: [...new Set(filled)] };
  for (const [name, field] of Object.entries(FIELDS)) {
    const text = values[name] ?? '';
    const value = text === '' || !isBrought(field, values) ? undefined : VALUES[field.values ?? 'text'].read(text);
    const [part = '', inner] = field.at?.split('.') ?? [];
    if (part !== '' && value !== undefined)
      shape[part] = inner === undefined ? value : { ...(shape[part] as object), [inner]: value };
  }
  return Object.keys(shape).length === 0 ? undefined : shape;
}

/** The options for reading a file that the fields stand for, as the server takes them. */
export function readingOptions(values: Values, known: ShapeOfKnown): Record<string, string> {
  const map = pairsIn(values['map'] ?? '');
  const { uid: uidColumn = known.uidColumn, ...others } = map;
  const hasOwnUid = (values['uidFrom'] ?? '') !== '';
  return {
    ...Object.fromEntries(READING.map((name) => [name, values[name] ?? ''])),
    map: pairsText(hasOwnUid ? others : map),
    shape: shapeText(shapeOf(values, { ...known, uidColumn }), values['shape'] ?? ''),
  };
}

/** The shape as JSON, with what no field can say; what is no JSON is for the server to refuse. */
function shapeText(shape: Partial<Shape> | undefined, rest: string) {
  if (rest === '') return shape === undefined ? '' : JSON.stringify(shape);
  try {
    return JSON.stringify({ ...shape, ...JSON.parse(rest) });
  } catch {
    return rest;
  }
}

/** The fields that options for reading a file fill. */
export function fieldsOfReading({ map = '', shape: text = '', ...plain }: Values): Values {
  const shape: KnownShape = JSON.parse(text || '{}');
  const { fields, rest } = fieldsAndRest(shape);
  const [uid = ''] = fields['uidFrom'] === FIRST_OF ? (shape.firstOf?.uid ?? []) : [];
  return {
    ...plain,
    ...fields,
    map: uid === '' ? map : pairsText({ ...pairsIn(map), uid }),
    width: String(shape.columns?.length ?? ''),
    shape: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
  };
}

/** Words of the file and the scopes that they stand for. */
export function wordsOf(values: Values): Record<string, string> {
  return JSON.parse(values['scopeWords'] || '{}');
}

export function conditionsIn(values: Values): Condition[] {
  return JSON.parse(values['where'] || '[]');
}

/** The fields that stand for a shape; those of the shape that no field has are left out. */
export function fieldsOf(shape: KnownShape): Values {
  const fields: Record<string, string> = {};
  if (shape.columns !== undefined) fields['header'] = 'none';
  const [first, uidSecond = '', uidThird = ''] = shape.firstOf?.uid ?? [];
  if (first !== undefined) Object.assign(fields, { uidFrom: FIRST_OF, uidSecond, uidThird });
  for (const [name, { at = '', values = 'text', when }] of Object.entries(FIELDS)) {
    const value = at.split('.').reduce((part: unknown, key) => Reflect.get(Object(part), key), shape);
    if (value === undefined) continue;
    fields[name] = VALUES[values].write(value as never);
    if (when !== undefined) fields[when[0]] = when[1];
  }
  return fields;
}

/** The fields that stand for a shape, and the rest of it, which no field can say. */
export function fieldsAndRest(shape: KnownShape): { fields: Values; rest: Readonly<Record<string, unknown>> } {
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
