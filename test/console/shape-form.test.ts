import { expect, test } from 'vitest';
import { fieldsAndRest, fieldsOfReading, readingOptions, shapeOf } from '../../src/console/view/upload/shape-form.ts';

const SHAPES = [
  { headerRow: 3 },
  { skipLines: 2, split: { uid: ',', guid: ';' } },
  { columns: ['Column 1', 'Column 2'] },
  { columns: ['uid', '-', 'guid'] },
  { firstOf: { uid: ['Login', 'E-mail', 'Badge'] }, scopeWords: { OWNER: 'admin', '*': 'none' } },
  { firstOf: { uid: ['a', 'b', 'c', 'd'] } },
  { firstOf: { guid: ['Room', 'Team'] } },
  { templates: { uid: '{E-mail|slug}', guid: 'course-{id}' } },
  { templates: { region: '{Site|lower}' } },
  { wide: { columns: ['Team *', 'Choir'], guid: '{column|slug}' } },
  { wide: { columns: ['One, two'] } },
  { numbered: { guid: 'course#', scope: 'role#' }, wide: { columns: ['Choir'] } },
  {
    where: [
      { column: 'Status', is: ['active', ''] },
      { column: 'Left', isNot: ['yes'] },
    ],
  },
  { where: [{ column: 'Status', is: ['a|b'] }] },
  { lists: { admin: ['owners'] }, identities: { keys: ['email'] }, split: { guid: ';' } },
] as const;

test.each(SHAPES.map((shape) => [JSON.stringify(shape), shape]))(
  '%s comes out of the form as it went in',
  (_, shape) => {
    const { fields, rest } = fieldsAndRest(JSON.parse(JSON.stringify(shape)));
    const known = { width: 2, uidColumn: 'Login', lookups: {} };
    expect({ ...shapeOf(fields, known), ...rest }).toEqual(shape);
  },
);

test('what a field can say is no text', () => {
  const { fields, rest } = fieldsAndRest({ headerRow: 3, split: { guid: ';' }, lists: { admin: ['owners'] } });
  expect(fields).toEqual({ header: 'row', headerRow: '3', splitGuid: ';' });
  expect(rest).toEqual({ lists: { admin: ['owners'] } });
});

test('options for reading a file come out of the form as they went in', () => {
  const options = {
    map: 'uid=Login, old,guid=Team,scope=',
    shape: '{"firstOf":{"uid":["Badge","E-mail"]},"lists":{"admin":["owners"]}}',
    delimiter: 'tab',
    files: 'a*.csv,b.csv',
  };
  const fields = fieldsOfReading(options);
  expect(fields).toMatchObject({ uidFrom: 'firstOf', uidSecond: 'E-mail', shape: '{"lists":{"admin":["owners"]}}' });
  const made = readingOptions(fields, { width: 0, uidColumn: '', lookups: {} });
  // The first of several columns is chosen as the user, and belongs to the shape.
  expect(made).toMatchObject({ ...options, map: 'guid=Team,scope=' });
});
