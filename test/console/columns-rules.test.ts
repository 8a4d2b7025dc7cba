import { expect, test } from 'vitest';
import type { FileFacts, PreviewRow } from '../../src/console/answers.ts';
import {
  gridColumns,
  gridRows,
  openWords,
  otherUse,
  placeOf,
  readinessOf,
  scopeWordsIn,
  seenSentence,
  suggestionsFor,
} from '../../src/console/view/upload/columns-rules.ts';

test('every word of the scope column is listed with its rows; one that nobody decided is open, whatever is suggested', () => {
  const words = scopeWordsIn(
    { Member: 9, Chef: 2, ADMIN: 1, '': 3, left: 1 },
    { left: 'none' },
    { Member: 'participant' },
  );
  expect(words.map(({ word, rows, meaning, suggested }) => [word, rows, meaning, suggested])).toEqual([
    ['Member', 9, '', 'participant'],
    ['Chef', 2, '', ''],
    ['left', 1, 'none', ''],
    ['', 3, 'participant', ''],
    ['ADMIN', 1, 'admin', ''],
  ]);
  expect(openWords(words)).toBe('2 words are not decided: 11 rows with them will not be sent.');
  expect(openWords(words.slice(2))).toBe('');
});

test('any other word is decided only where a person said so', () => {
  const seen = { Chef: 2 };
  expect(scopeWordsIn(seen, {}, {}).find(({ word }) => word === 'Chef')?.meaning).toBe('');
  expect(scopeWordsIn(seen, { '*': 'participant' }, {}).find(({ word }) => word === 'Chef')?.meaning).toBe(
    'participant',
  );
});

test.each([
  ['nothing is known yet', { found: undefined, isReading: true, isTooLarge: false, chosen: [] }, 'reading'],
  ['it cannot be read', { found: undefined, isReading: false, isTooLarge: false, chosen: [] }, 'refused'],
  ['only the server reads it', { found: undefined, isReading: false, isTooLarge: true, chosen: [] }, 'ready'],
  [
    'a column is missing',
    { found: { missing: ['uid', 'guid'] }, isReading: false, isTooLarge: false, chosen: ['uid'] },
    ['guid'],
  ],
  [
    'it was chosen since',
    { found: { missing: ['guid'] }, isReading: true, isTooLarge: false, chosen: ['guid'] },
    'ready',
  ],
])('whether a file can be read whole: %s', (_, { found, isReading, isTooLarge, chosen }, expected) => {
  const sourceOf = (field: string) => chosen.find((one) => one === field) ?? '';
  const looked = { found: { value: found }, isReading: { value: isReading }, isTooLarge: { value: isTooLarge } };
  expect(readinessOf({ ...looked, sourceOf })).toEqual(expected);
});

const WRONG: PreviewRow['problems'][number] = { column: 'Who', value: 'b!', code: 'BAD_CHARACTER', reason: 'has "!"' };
const rowOf = (line: number, ...problems: readonly PreviewRow['problems'][number][]): PreviewRow => ({
  ...{ line, region: 'us', guid: 'g', uid: 'u', scope: 'participant', original: { Who: 'b!', Where: '' } },
  problems: [...problems],
});

test('what is wrong with a row stands at its cell, once, and not before the columns are chosen', () => {
  const empty = { ...WRONG, column: 'guid', reason: 'the guid is empty' };
  const rows = [rowOf(2), rowOf(3, WRONG, empty), rowOf(3, WRONG), rowOf(4)];
  const shown = (missing: string[], keyColumns: string[] = []) =>
    gridRows({ columns: ['Who', 'Where'], missing, rows }, 2, keyColumns).map(({ line, readAs, reasonsAt }) => [
      line,
      readAs.length,
      reasonsAt('Who'),
      reasonsAt(),
    ]);
  expect(shown([])).toEqual([
    [2, 1, [], []],
    [3, 2, ['has "!"'], ['the guid is empty']],
  ]);
  expect(shown(['guid'])[1]).toEqual([3, 2, ['has "!"'], []]);
  expect(shown(['uid', 'guid'])[1]).toEqual([3, 2, [], []]);
  expect(shown([], ['Who'])[1]).toEqual([3, 2, [], ['the guid is empty']]);
});

test('what was seen is suggested until it is decided, refused, or left to a recipe; after a step about the header only that', () => {
  const steps = [
    { text: 'split it', settings: { shape: { split: { guid: ';' } } } },
    { text: 'columns', settings: { map: { uid: 'Login', scope: '' } } },
    { text: 'who is left?', isOpen: true },
  ];
  const header = { text: 'no header', settings: { shape: { columns: ['uid', '-'] } } };
  const suggested = (over: Record<string, unknown> = {}, facts: Record<string, unknown> = {}) =>
    suggestionsFor({
      ...{ isImport: true, shape: { value: {} }, lookups: { value: {} }, refused: { value: new Set() } },
      get: () => '',
      sourceOf: (field: string) => (field === 'scope' ? 'Role' : ''),
      columnOf: (field: string) => (field === 'scope' ? 'Role' : ''),
      ...over,
      facts: { value: { recipes: [], columns: [], steps, ...facts } as unknown as FileFacts },
    } as unknown as Parameters<typeof suggestionsFor>[0]).map(({ text, ways: [way] }) => [
      text,
      way?.label,
      way?.change,
    ]);
  const split = ['split it', 'Split the groups', { shape: { split: { guid: ';' } } }];
  const rest = [
    ['It looks like the user.', 'Use it as the user', { map: { uid: 'Login' } }],
    ['It has other values than a scope.', 'Ignore it as scope', { map: { scope: '' } }],
    ['who is left?', undefined, undefined],
  ];
  expect(suggested()).toEqual([split, ...rest]);
  expect(suggested({ shape: { value: { split: { guid: ',' } } } })).toEqual(rest);
  expect(suggested({ refused: { value: new Set(['uid']) } })).toEqual([split, ...rest.slice(1)]);
  expect(suggested({ get: () => 'slack' })).toEqual([]);
  const change = { shape: { columns: ['Column 1', 'Column 2'] }, map: { uid: 'Column 1' } };
  expect(suggested({}, { steps: [header, ...steps] })).toEqual([['no header', 'Read it as a row', change]]);
});

test('a column from which no field is read says what it is used for', () => {
  const shape = { templates: { uid: '{Login ?? E-mail|lower}' }, wide: { columns: ['Team *'] } };
  expect(['Login', 'e-mail', 'Team 1', 'Other'].map((name) => otherUse(name, shape))).toEqual([
    ...['part of the UID', 'part of the UID', 'one of the groups', ''],
  ]);
});

test('a column without a name has its own cells and serves no field', () => {
  const columns = gridColumns({ shape: { value: {} }, columnOf: (field) => (field === 'uid' ? 'Login' : '') }, [
    ...['', 'Login', '', ' ', 'Team'],
  ]);
  expect(columns.map(({ key, uses, isNamed }) => [key, uses, isNamed])).toEqual([
    ['', [], false],
    ['Login', ['uid'], true],
    ['_2', [], false],
    [' ', [], false],
    ['Team', [], true],
  ]);
  expect(placeOf('guid', columns)).toBe(4);
});

test('rows count as ready to send only where the file as it is read now has their columns', () => {
  const facts = { rows: { seen: 20, valid: 20 }, missing: [] as FileFacts['missing'] } as FileFacts;
  const said = (...missing: FileFacts['missing']) =>
    seenSentence(facts, { lookups: { value: {} }, found: { value: { missing } } });
  expect(said()).toBe('20 rows were looked at; 20 of them could be sent with these options.');
  // With the suggested header row, which nobody took yet, none is missing.
  expect(said('uid', 'guid')).toBe('20 rows were looked at.');
});
