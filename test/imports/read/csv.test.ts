import { describe, expect, test } from 'vitest';
import { read, refusal, short } from './reading.ts';

describe('CSV', () => {
  test('rows are read with the number that a spreadsheet shows', async () => {
    const { rows } = await read('guid,uid,scope\ng1,u1,admin\ng1,u2,participant\n');
    expect(rows.map((row) => [row.line, short(row)])).toEqual([
      [2, 'us/g1/u1/admin/'],
      [3, 'us/g1/u2/participant/'],
    ]);
  });

  test.each([',', ';', '\t', '|'])('the delimiter %j is detected from the header', async (delimiter) => {
    const lines = ['region,guid,uid,scope,note', 'eu,g1,u1,moderator,"a,b;c|d"'];
    const { intake, rows } = await read(lines.join('\n').replace(/,(?!b)/g, delimiter));
    expect(intake.delimiter).toBe(delimiter);
    expect(rows.map(short)).toEqual(['eu/g1/u1/moderator/']);
  });

  test('a delimiter that names fewer fields loses, however often it occurs', async () => {
    const { intake } = await read('uid;guid;"a,b,c,d,e,f"\nu1;g1;x\n');
    expect(intake.delimiter).toBe(';');
  });

  test('a delimiter that was named is used even where another would be detected', async () => {
    const { rows } = await read('uid~guid~a,b\nu1~g1~c,d\n', { delimiter: '~' });
    expect(rows.map((row) => row.original)).toEqual(['["u1","g1","c,d"]']);
  });

  test.each(['', ',,', '"', '\n'])('the delimiter %j is refused', async (delimiter) => {
    const error = await refusal(read('uid,guid\nu1,g1\n', { delimiter }));
    expect(error).toMatchObject({ code: 'BAD_DELIMITER' });
    expect(error.message).toContain(JSON.stringify(delimiter));
  });

  test('a single column needs no delimiter', async () => {
    const { rows } = await read('uid\nu1\nu2\n', { region: 'us', guid: 'g9' });
    expect(rows.map(short)).toEqual(['us/g9/u1/participant/', 'us/g9/u2/participant/']);
  });

  test.each(['\n', '\r\n', '\r'])('lines may end with %j', async (end) => {
    const { rows } = await read(['uid,guid', 'u1,g1', '"u2","g1"', ''].join(end));
    expect(rows.map((row) => `${row.line} ${row.uid}`)).toEqual(['2 u1', '3 u2']);
  });

  test('Windows and Unix line ends may be mixed', async () => {
    const { rows } = await read('uid,guid\r\nu1,g1\nu2,g2\r\nu3,g3');
    expect(rows.map((row) => row.original)).toEqual(['["u1","g1"]', '["u2","g2"]', '["u3","g3"]']);
  });

  test('quoted cells may hold delimiters, line breaks and doubled quotes, and count as one row', async () => {
    const { rows } = await read('uid,guid,note\nu1,g1,"a, ""b""\nsecond line"\nu2,g1,\n');
    expect(rows.map((row) => [row.line, JSON.parse(row.original)])).toEqual([
      [2, ['u1', 'g1', 'a, "b"\nsecond line']],
      [3, ['u2', 'g1', '']],
    ]);
  });

  test('a quote inside an unquoted cell is an ordinary character', async () => {
    const { rows } = await read('uid,guid,name\nu1,g1,Joe "JJ" Smith\nu2,g1,5" disk\nu3,g1,x\n');
    expect(rows.map((row) => JSON.parse(row.original)[2])).toEqual(['Joe "JJ" Smith', '5" disk', 'x']);
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'us/g1/u2/participant/', 'us/g1/u3/participant/']);
  });

  test('a row never vanishes inside the cell of another: text after a closing quote refuses the file', async () => {
    const error = await refusal(read('uid,guid,name\nu1,g1,"Bob\nu2,g1,Al\nu3,g1,"Eve"\nu4,g1,x\n'));
    expect(error).toMatchObject({ code: 'MISPLACED_QUOTE', place: 'line 2' });
    expect(error.message).toContain('text line 4');
  });

  test('a misplaced quote is named even where the quotes after it do not add up any more', async () => {
    const error = await refusal(read('uid,guid\nu1,"g"1\nu2,"g1\n'));
    expect(error).toMatchObject({ code: 'MISPLACED_QUOTE', place: 'line 2' });
  });

  test('text after a closing quote is also found in the last bytes of the file', async () => {
    expect(await refusal(read('uid,guid\nu1,"g"1'))).toMatchObject({ code: 'MISPLACED_QUOTE', place: 'line 2' });
  });

  test('a quote that never closes is refused with the line where it opens', async () => {
    const error = await refusal(read('uid,guid,name\nu1,g1,x\nu2,g1,"open\nu3,g1,x\n'));
    expect(error).toMatchObject({ code: 'UNCLOSED_QUOTE', place: 'line 3, column "name"' });
    expect(error.remedy).toMatch(/close the quote/i);
  });

  test('a row of more than 1 MiB is refused with its line', async () => {
    const error = await refusal(read(`uid,guid\nu1,g1\n${'x'.repeat(1024 * 1024 + 10)},g1\n`));
    expect(error).toMatchObject({ code: 'ROW_TOO_LONG', place: 'line 3, column "uid"' });
  });

  test('blank lines, and lines of delimiters alone, are skipped but counted', async () => {
    const { rows } = await read('\nuid,guid\n\nu1,g1\n , \n,\nu2,g1\n\n');
    expect(rows.map((row) => `${row.line} ${row.uid}`)).toEqual(['4 u1', '7 u2']);
  });

  test.each([
    [
      'in the middle',
      'u1,g1\n,\nu2,g1\n',
      '1 row of empty cells alone (row 3) counts as a blank line: it has no outcome',
    ],
    ['at the end', 'u1,g1\nu2,g1\n,\n', '1 row of empty cells alone (row 4) counts'],
    ['at the end, without a line end', 'u1,g1\nu2,g1\n,', '1 row of empty cells alone (row 4) counts'],
    [
      'again and again',
      'u1,g1\n,\n , \nu2,g1\n,\n,\n',
      '4 rows of empty cells alone (rows 3, 4, 6 and others) count as blank lines',
    ],
  ])('rows of delimiters alone %s are named in a note', async (_, text, note) => {
    const { intake, rows } = await read(`uid,guid\n${text}`);
    expect(rows.map(({ uid }) => uid)).toEqual(['u1', 'u2']);
    expect(intake.notes()).toEqual([{ code: 'BLANK_ROWS', text: expect.stringContaining(note) }]);
  });

  test('lines without a cell, and rows above the header, are in no note', async () => {
    const { intake } = await read(',\nuid,guid\n\nu1,g1\n\n');
    expect(intake.notes()).toEqual([]);
  });

  test('a row with too few cells says how many it has and how many the header has', async () => {
    const { rows } = await read('uid,guid,scope\nu1,g1\n');
    expect(rows[0]?.problems).toEqual([
      { column: 'scope', value: '', code: 'CELL_COUNT', reason: expect.stringContaining('2 cells and the header 3') },
    ]);
  });

  test('a row with too many cells says how many, and its columns are named', async () => {
    const { intake, rows } = await read('uid,guid\nu1,g1,x,y\nu2,g2\n');
    expect(rows[0]?.problems).toEqual([
      {
        column: '_extra_1',
        value: 'x',
        code: 'CELL_COUNT',
        reason: expect.stringContaining('4 cells and the header 2'),
      },
    ]);
    expect(rows[1]?.problems).toEqual([]);
    expect(intake.columns()).toEqual(['uid', 'guid', '_extra_1', '_extra_2']);
  });

  test('empty cells past the header are not a problem, and stay in the original', async () => {
    const { intake, rows } = await read('uid,guid\nu1,g1,\n');
    expect(rows[0]).toMatchObject({ problems: [], original: '["u1","g1",""]' });
    expect(intake.columns()).toEqual(['uid', 'guid', '_extra_1']);
  });

  test('an empty cell too many in a later row is a problem: a comma inside a cell may have moved the others', async () => {
    const { rows } = await read('uid,guid,name,on_behalf_of\nu1,g1,Ada,\nu2,g1,Rossi, Elena,\nu3,g1,Bo,\n');
    expect(rows.map(({ problems }) => problems.map(({ code }) => code))).toEqual([[], ['CELL_COUNT'], []]);
  });

  test('a header without rows is refused', async () => {
    expect(await refusal(read('uid,guid\n'))).toMatchObject({ code: 'NO_ROWS' });
  });
});
