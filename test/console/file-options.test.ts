import { expect, test } from 'vitest';
import {
  fieldText,
  merged,
  readingOptions,
  type shapeIn,
  unsaidOf,
  withField,
} from '../../src/console/view/upload/file-options.ts';

type Shape = NonNullable<ReturnType<typeof shapeIn>>;

/** The shape after a person filled in these fields, in their order. */
const filled = (fields: readonly (readonly [name: string, text: string])[], shape: Shape = {}) =>
  fields.reduce((so: Shape, [name, text]) => Object(withField(so, name, text)), shape);
const sent = (shape: unknown) => JSON.parse(readingOptions({ shape: JSON.stringify(shape) })['shape'] || '{}');

const SHAPES = [
  { headerRow: 3 },
  { skipLines: 2, split: { uid: ',', guid: ';' } },
  { columns: ['uid', '-', 'guid'] },
  { firstOf: { uid: ['Login', 'E-mail', 'Badge', 'Card'] }, scopeWords: { OWNER: 'admin', '*': 'none' } },
  { templates: { uid: '{E-mail|slug}', region: '{Site|lower}' } },
  { wide: { columns: ['Team *', 'Choir'], guid: '{column|slug}' } },
  { numbered: { guid: 'course#', scope: 'role#' } },
  {
    where: [
      { column: 'Status', is: ['active', ''] },
      { column: 'Left', isNot: ['yes'] },
    ],
  },
  { lists: { admin: ['owners'] }, identities: { keys: ['email'] } },
] as const;

test.each(SHAPES)('a shape goes through the form as it is: %j', (shape) => {
  expect(sent(shape)).toEqual(shape);
  // What is no JSON is for the server to refuse.
  expect(readingOptions({ shape: '{"split"' })['shape']).toBe('{"split"');
});

test('each field is a part of the shape, and a choice the part that is there', () => {
  const shape = filled([
    ['header', 'headerRow'],
    ['headerRow', '3'],
    ['split.guid', ' ; '],
    ['groupsIn', 'wide'],
    ['wide.columns', 'Team *, Choir,'],
  ]);
  expect(['header', 'headerRow', 'groupsIn', 'wide.columns'].map((name) => fieldText(shape, name))).toEqual([
    ...['headerRow', '3', 'wide', 'Team *, Choir,'],
  ]);
  expect(sent(shape)).toEqual({ headerRow: 3, split: { guid: ';' }, wide: { columns: ['Team *', 'Choir'] } });
  expect(
    sent(
      filled(
        [
          ['header', ''],
          ['groupsIn', 'numbered'],
          ['split.guid', ''],
        ],
        shape,
      ),
    ),
  ).toEqual({});
});

test('a choice asks for what it needs, until that is said', () => {
  const asked = (...fields: [string, string][]) => unsaidOf(filled(fields))?.field;
  expect(asked(['header', 'headerRow'])).toBe('headerRow');
  expect(asked(['header', 'headerRow'], ['headerRow', 'x'])).toBe('headerRow');
  expect(asked(['header', 'headerRow'], ['headerRow', '2'])).toBe(undefined);
  expect(asked(['groupsIn', 'wide'], ['wide.columns', ' ,'])).toBe('wide.columns');
  expect(asked(['uidFrom', 'templates.uid'])).toBe('templates.uid');
  expect(unsaidOf({ columns: [] })?.field).toBe('header');
});

test('what is suggested takes the place of what it excludes, and conditions are added', () => {
  const shape = { firstOf: { uid: ['a', 'b'] }, split: { guid: ';' }, where: [{ column: 'Status', is: ['active'] }] };
  expect(merged(shape, { templates: { uid: '{E-mail|slug}' } })).toEqual({
    split: { guid: ';' },
    where: shape.where,
    templates: { uid: '{E-mail|slug}' },
  });
  const left = { column: 'Left', isNot: ['yes'] };
  expect(merged(shape, { split: { uid: ',' }, where: [left, { column: 'Status', is: ['gone'] }] })).toEqual({
    ...shape,
    split: { guid: ';', uid: ',' },
    where: [...shape.where, left],
  });
});
