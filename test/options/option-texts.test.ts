import { expect, test } from 'vitest';
import { CREATION } from '../../src/options/create-options.ts';
import { READING } from '../../src/options/reading-options.ts';

const { parse: columnMap } = READING.map;

test('columns are mapped by field=column, with commas in between', () => {
  expect(columnMap('uid=Member ID,guid=Team')).toEqual({ uid: 'Member ID', guid: 'Team' });
  expect(columnMap(' UID = Member ID , guid=Team')).toEqual({ uid: 'Member ID', guid: 'Team' });
});

test('the name of a column may have a comma in it', () => {
  expect(columnMap('uid=Name, first,guid=Team')).toEqual({ uid: 'Name, first', guid: 'Team' });
});

test('what is not field=column is named', () => {
  for (const [text, part] of [
    ['uid=A,person=B', '"person=B"'],
    ['uid', '"uid"'],
    ['=A', '"=A"'],
  ] as const) {
    expect(() => columnMap(text)).toThrow(`${part} is not one`);
  }
  expect(() => CREATION.createMap.parse('names')).toThrow(expect.objectContaining({ code: 'BAD_USAGE' }));
});

test('a field without a column is one that the file does not give', () => {
  expect(columnMap('uid=A,scope=')).toEqual({ uid: 'A', scope: '' });
});
