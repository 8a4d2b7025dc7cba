/** The options of a form for a file as the server takes them, for reading it and for creating what is missing: `map` and `shape` are kept as the API takes them, and a field is a part of the shape. Pure. */

import { CREATING_CHECKS } from '../../../options/labels.ts';
import { type ByLookup, mapLookups } from '../../../options/lookups.ts';
import type { RecipeSettings, Shape, Values } from '../../answers.ts';
import { pairsIn, pairsText } from '../../format.ts';

export type Change = Pick<RecipeSettings, 'map' | 'shape'> & { recipe?: string };

export const FORMAT = ['format', 'encoding', 'delimiter', 'sheet', 'files'];
/** The options by which a file is read, besides its columns and its shape. */
export const READING = ['guid', 'scope', 'region', 'onBehalfOf', 'until', ...FORMAT];

/** A field that is the part of the shape by whose place it is named, or a choice between such parts. */
export interface ShapeField {
  label?: string;
  placeholder?: string;
  note?: string;
  /** Parts of which one can be there. */
  choices?: readonly (readonly [place: string, label: string])[];
  /** The part with which it is shown. */
  when?: string;
  kind?: 'number' | 'list';
  /** A question, as long as it says nothing usable. */
  ask?: string;
  isColumn?: boolean;
}

const BY_COLUMN = ['', 'the column chosen above'] as const;
const TEMPLATE_NOTE =
  'Columns in braces, with functions: lower, upper, trim, slug, cometchat, localpart, domain, rdn, digits, before:TEXT, after:TEXT.';

export const HEADER: Readonly<Record<string, ShapeField>> = {
  header: {
    label: 'Header row',
    choices: [
      ['', 'detect'],
      ['headerRow', 'in a certain row'],
      ['skipLines', 'after lines to skip'],
      ['columns', 'there is none'],
    ],
    when: 'columns',
    ask: 'Show the file first, so that its columns are known.',
  },
  headerRow: {
    placeholder: '3',
    when: 'headerRow',
    kind: 'number',
    ask: 'In which row is the header? Give its number, such as 3.',
  },
  skipLines: {
    placeholder: '2',
    when: 'skipLines',
    kind: 'number',
    ask: 'How many lines are above the header? Give a number, such as 2.',
  },
};

export const IDS: Readonly<Record<string, ShapeField>> = {
  uidFrom: {
    label: 'UID from',
    choices: [BY_COLUMN, ['firstOf.uid', 'the first filled of several columns'], ['templates.uid', 'a template']],
  },
  'firstOf.uid.1': { label: 'If it is empty, from', when: 'firstOf.uid', isColumn: true },
  'firstOf.uid.2': { label: 'If that is empty too, from', when: 'firstOf.uid', isColumn: true },
  'templates.uid': {
    label: 'UID template',
    placeholder: '{E-mail|localpart|lower}',
    note: TEMPLATE_NOTE,
    when: 'templates.uid',
    ask: 'Say how the UID is made, such as {E-mail|localpart|lower}.',
  },
  guidFrom: { label: 'GUID from', choices: [BY_COLUMN, ['templates.guid', 'a template']] },
  'templates.guid': {
    label: 'GUID template',
    placeholder: 'course-{id}',
    note: TEMPLATE_NOTE,
    when: 'templates.guid',
    ask: 'Say how the GUID is made, such as course-{id}.',
  },
};

export const SEVERAL: Readonly<Record<string, ShapeField>> = {
  'split.guid': { label: 'Between groups in a cell', placeholder: ';' },
  'split.uid': { label: 'Between users in a cell', placeholder: ';' },
  'split.scope': { label: 'Between scopes in a cell', placeholder: ';', note: 'In the order of the groups.' },
  groupsIn: {
    label: 'Groups are in',
    choices: [
      ['', 'one column with the group'],
      ['wide', 'one column for each group'],
      ['numbered', 'numbered columns (course1, course2)'],
    ],
  },
  'wide.columns': {
    label: 'Columns that are groups',
    placeholder: 'Team *, Choir',
    note: '* stands for any text. A cell has a mark (x, yes, 1) or a scope.',
    when: 'wide',
    kind: 'list',
    ask: 'Name the columns that are groups.',
  },
  'wide.guid': {
    label: 'GUID of such a column',
    placeholder: '{column|slug}',
    note: 'Leave empty to use the column’s name.',
    when: 'wide',
  },
  'numbered.guid': {
    label: 'Group columns',
    placeholder: 'course#',
    note: '# is the number.',
    when: 'numbered',
    ask: 'Name the columns with the groups, such as course#.',
  },
  'numbered.scope': { label: 'Scope columns', placeholder: 'role#', when: 'numbered' },
};

const FIELDS: Readonly<Record<string, ShapeField>> = { ...HEADER, ...IDS, ...SEVERAL };

/** The fields that are parts of the shape, and the parts that have controls of their own. */
export const SHAPING: readonly string[] = [...Object.keys(FIELDS), 'scopeWords', 'where'];

export function isOfShape(name: string) {
  return SHAPING.includes(name);
}

/** Parts of which a choice makes more than an empty text. */
const BEGINNINGS: Readonly<Record<string, unknown>> = { wide: { columns: [] }, numbered: { guid: '' } };

export function columnNames(width: number) {
  return Array.from({ length: width }, (_, index) => `Column ${index + 1}`);
}

/** The shape that a text says; undefined where it is none, as while a person writes it. */
export function shapeIn(text = ''): Shape | undefined {
  try {
    return Object(JSON.parse(text || '{}'));
  } catch {
    return undefined;
  }
}

/** The reverse. */
export function shapeText(shape: unknown) {
  return Object.keys(Object(shape)).length === 0 ? '' : JSON.stringify(shape);
}

/** A part of a shape by its place, such as `split.guid`. */
export function partOf(shape: unknown, place: string): unknown {
  return place.split('.').reduce((part: unknown, key) => Reflect.get(Object(part), key), shape);
}

/** The shape with another part; undefined takes it away, and with it what is empty then. */
export function withPart(shape: unknown, place: string, value: unknown): unknown {
  const [key = '', ...inner] = place.split('.');
  const part = inner.length === 0 ? value : withPart(partOf(shape, key), inner.join('.'), value);
  if (Array.isArray(shape)) return Object.assign([...shape], { [key]: part });
  const { [key]: _, ...others } = Object(shape);
  if (part !== undefined) return { ...others, [key]: part };
  return Object.keys(others).length === 0 ? undefined : others;
}

function without(shape: unknown, choices: NonNullable<ShapeField['choices']>) {
  return choices.reduce((rest, [place]) => (place === '' ? rest : withPart(rest, place, undefined)), shape);
}

/** The text of a field; of a choice the place of the part that is there. */
export function fieldText(shape: Shape, name: string): string {
  const { choices } = FIELDS[name] ?? {};
  if (choices === undefined) return String(partOf(shape, name) ?? '');
  return choices.find(([place]) => place !== '' && partOf(shape, place) !== undefined)?.[0] ?? '';
}

/** The shape after a field got a text. @param beginning of the part that a choice brings */
export function withField(shape: Shape, name: string, text: string, beginning: unknown = BEGINNINGS[text] ?? '') {
  const { choices, kind } = FIELDS[name] ?? {};
  if (choices === undefined) {
    const number = kind === 'number' && /^\d+$/.test(text) && Number(text);
    return withPart(shape, name, number || (kind === 'list' ? text.split(',') : text));
  }
  const others = without(shape, choices);
  return text === '' ? others : withPart(others, text, beginning);
}

/** The parts of a suggested shape with their places; words of the scope column are suggested on their own. */
function partsOf(shape: Shape) {
  return Object.entries(shape).flatMap(([name, part]) => {
    const isOne = typeof part !== 'object' || Array.isArray(part);
    return isOne ? [[name, part]] : Object.entries(part).map(([inner, value]) => [`${name}.${inner}`, value]);
  }) as [place: string, value: unknown][];
}

/** The parts of a suggested shape that nobody has decided about; conditions go with those that are there. */
export function openIn(shape: Shape, { where = [], ...others }: Shape): Shape {
  const { where: before = [] } = shape;
  const added = where.filter(({ column }) => before.every((one) => one.column !== column));
  const isOpen = partsOf(others).some(([place]) => partOf(shape, place) === undefined);
  return { ...(isOpen && others), ...(added.length > 0 && { where: [...before, ...added] }) };
}

/** A shape with the open parts of a suggested one, which take the place of those that they exclude. */
export function merged(shape: Shape, suggested: Shape): unknown {
  const added = openIn(shape, suggested);
  const excluded = Object.values(FIELDS).flatMap(({ choices = [] }) =>
    choices.some(([place]) => place !== '' && partOf(added, place) !== undefined) ? choices : [],
  );
  return partsOf(added).reduce((all, [place, value]) => withPart(all, place, value), without(shape, excluded));
}

/** The first field that a choice has brought and that says nothing usable yet. */
export function unsaidOf(shape: Shape) {
  for (const [field, { ask, when = '', kind, choices }] of Object.entries(FIELDS)) {
    if (ask === undefined || partOf(shape, when) === undefined) continue;
    const value = partOf(shape, choices === undefined ? field : when);
    const isUsable = kind === 'number' ? typeof value === 'number' : /[^,\s]/.test(String(value ?? ''));
    if (!isUsable) return { field, text: ask };
  }
  return undefined;
}

/** A shape without what is empty. */
function saidIn(shape: Shape): unknown {
  let said: unknown = shape;
  for (const place of ['firstOf.uid', ...Object.keys(FIELDS)]) {
    const value = partOf(said, place);
    if (typeof value === 'string') said = withPart(said, place, value.trim() || undefined);
    if (!Array.isArray(value)) continue;
    const filled = new Set(value.map((one) => one?.trim()).filter(Boolean));
    said = withPart(said, place, filled.size === 0 ? undefined : [...filled]);
  }
  const where = shape.where?.filter(({ column }) => column !== '') ?? [];
  return withPart(said, 'where', where.length === 0 ? undefined : where);
}

/** The options for reading a file that the values stand for, as the server takes them. What is no JSON is for it to refuse. */
export function readingOptions(values: Values, lookups: ByLookup<unknown> = {}): Record<string, string> {
  const { map = '', shape: text = '' } = values;
  const shape = shapeIn(text);
  return {
    ...Object.fromEntries(READING.map((name) => [name, values[name] ?? ''])),
    map: pairsText(pairsIn(map)),
    shape: shape === undefined ? text : shapeText({ ...mapLookups(lookups, () => ({})), ...Object(saidIn(shape)) }),
  };
}

const CREATING = [
  ...Object.keys(CREATING_CHECKS),
  'userNameFrom',
  'groupNameFrom',
  'groupType',
  'createMap',
  'maxCreate',
];

/** The options for creating users and groups, as the server takes them; '' where nothing of the kind is created. */
export function creatingOptions(values: Values): Record<string, string> {
  const isWanted = Object.keys(CREATING_CHECKS).some((name) => values[name]);
  return Object.fromEntries(CREATING.map((name) => [name, (isWanted && values[name]) || '']));
}
