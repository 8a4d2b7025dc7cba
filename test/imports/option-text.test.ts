import { expect, test } from 'vitest';
import { columnMap } from '../../src/imports/parse-options.ts';

test('columns are mapped by field=column, with commas in between', () => {
  expect(columnMap('uid=Member ID,guid=Team')).toEqual({ map: { uid: 'Member ID', guid: 'Team' } });
  expect(columnMap(' UID = Member ID , guid=Team')).toEqual({ map: { uid: 'Member ID', guid: 'Team' } });
});

test('the name of a column may have a comma in it', () => {
  expect(columnMap('uid=Name, first,guid=Team')).toEqual({ map: { uid: 'Name, first', guid: 'Team' } });
});

test('what is not field=column is named', () => {
  expect(columnMap('uid=A,person=B')).toEqual({ map: { uid: 'A' }, unreadable: 'person=B' });
  expect(columnMap('uid')).toEqual({ map: {}, unreadable: 'uid' });
  expect(columnMap('=A')).toEqual({ map: {}, unreadable: '=A' });
});

test('a field without a column is one that the file does not give', () => {
  expect(columnMap('uid=A,scope=')).toEqual({ map: { uid: 'A', scope: '' } });
});
