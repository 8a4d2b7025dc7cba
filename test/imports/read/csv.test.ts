import { describe, expect, test } from 'vitest';
import type { IntakeOptions } from '../../../src/imports/read/intake-options.ts';
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
    expect(error).toMatchObject({ code: 'MISPLACED_QUOTE', facts: { place: 'line 2' } });
    expect(error.message).toContain('line 4');
  });

  test('a misplaced quote is named even where the quotes after it do not add up any more', async () => {
    const error = await refusal(read('uid,guid\nu1,"g"1\nu2,"g1\n'));
    expect(error).toMatchObject({ code: 'MISPLACED_QUOTE', facts: { place: 'line 2' } });
  });

  test('text after a closing quote is also found in the last bytes of the file', async () => {
    expect(await refusal(read('uid,guid\nu1,"g"1'))).toMatchObject({
      code: 'MISPLACED_QUOTE',
      facts: { place: 'line 2' },
    });
  });

  test('a quote that never closes is refused with the line where it opens', async () => {
    const error = await refusal(read('uid,guid,name\nu1,g1,x\nu2,g1,"open\nu3,g1,x\n'));
    expect(error).toMatchObject({ code: 'UNCLOSED_QUOTE', facts: { place: 'line 3, column "name"' } });
    expect(error.remedy).toMatch(/close the quote/i);
  });

  test('a row of more than 1 MiB is refused with its line', async () => {
    const error = await refusal(read(`uid,guid\nu1,g1\n${'x'.repeat(1024 * 1024 + 10)},g1\n`));
    expect(error).toMatchObject({ code: 'ROW_TOO_LONG', facts: { place: 'line 3, column "uid"' } });
  });

  test('blank lines, and lines of delimiters alone, are skipped but counted', async () => {
    const { rows } = await read('\nuid,guid\n\nu1,g1\n , \n,\nu2,g1\n\n');
    expect(rows.map((row) => `${row.line} ${row.uid}`)).toEqual(['4 u1', '7 u2']);
  });

  test.each([
    ['in the middle', 'u1,g1\n,\nu2,g1\n', ': 3'],
    ['at the end', 'u1,g1\nu2,g1\n,\n', ': 4'],
    ['at the end, without a line end', 'u1,g1\nu2,g1\n,', ': 4'],
    ['again and again', 'u1,g1\n,\n , \nu2,g1\n,\n,\n,\n,\n', ': 3, 4, 6, 7, 8 and 1 more'],
  ])('rows of delimiters alone %s are named in a note', async (_, text, note) => {
    const { intake, rows } = await read(`uid,guid\n${text}`);
    expect(rows.map(({ uid }) => uid)).toEqual(['u1', 'u2']);
    expect(intake.notes()).toEqual([{ code: 'BLANK_ROWS', text: expect.stringContaining(note) }]);
  });

  test('lines without a cell, and rows above the header, are in no note', async () => {
    const { intake } = await read(',\nuid,guid\n\nu1,g1\n\n');
    expect(intake.notes()).toEqual([]);
  });

  test('a row without its empty last cells, as spreadsheets write it, is read; one without its group or user says so', async () => {
    const { rows } = await read('note,uid,guid,scope\nx,u1,g1\nx,u2\nx,u3,g3,admin\n');
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'guid: CELL_COUNT', 'us/g3/u3/admin/']);
    expect(rows[1]?.problems[0]?.reason).toBe('the row has 2 cells and the header 4: those from "guid" on are missing');
    const shape = { split: { guid: ';' } };
    const shaped = await read('uid,note,guid,x\nu1,,g1;g2\nu2,y\n', { shape });
    expect(shaped.rows.map(short)).toEqual(['us/g1/u1/participant/', 'us/g2/u1/participant/', 'guid: CELL_COUNT']);
    const wide = await read('uid,Choir,Band\nu1,x\nu2\n', { shape: { wide: { columns: ['Choir', 'Band'] } } });
    expect(wide.rows.map(short)).toEqual(['us/Choir/u1/participant/', 'Choir, Band: NO_MEMBERSHIP']);
  });

  test('a last row that is short and has no line end may be cut off', async () => {
    const { rows } = await read('uid,guid,scope\nu1,g1\nu2,g');
    expect(rows.map(({ problems }) => problems.map(({ code }) => code))).toEqual([[], ['CELL_COUNT']]);
  });

  test('a last column without a name, of which no row has a cell, is none', async () => {
    const { rows } = await read('uid,guid,\nu1,g1\nu2,g2\n');
    expect(rows.map(({ uid, problems }) => [uid, problems])).toEqual([
      ['u1', []],
      ['u2', []],
    ]);
  });

  test('the header in the middle of a file is no member, and in another order the file is refused', async () => {
    const { intake, rows } = await read('uid,guid\nu1,g1\nuid,guid\nu2,g2\n');
    expect(rows.map(({ line, uid }) => [line, uid])).toEqual([
      [2, 'u1'],
      [4, 'u2'],
    ]);
    expect(intake.notes()).toMatchObject([{ code: 'HEADER_AGAIN', text: expect.stringContaining(': 3') }]);
    const error = await refusal(read('uid,guid\nu1,g1\nguid,uid\ng2,u2\n'));
    expect(error).toMatchObject({ code: 'AMBIGUOUS_COLUMN', facts: { place: 'line 3' } });
  });

  test.each([
    ['User (name, id);Group (name, id);Remark\nu1;g1;a, b\nu2;g2;c\n', ';'],
    ['uid,guid,Remark\nu1,g1,a;b;c\nu2,g2,d;e;f\n', ','],
    ['Login;Full name\nu1;Rossi, Anna\nu2;Stone, Bob\n', ';'],
    ['"Last, first"\tLogin\n"Rossi, Anna"\tu1\n', '\t'],
  ])('the rows decide about the delimiter with the header: %j', async (text, delimiter) => {
    const { intake } = await read(text, { lenient: true });
    expect(intake.delimiter).toBe(delimiter);
  });

  test('a row with too many cells says how many, and its columns are named', async () => {
    const { intake, rows } = await read('uid,guid\nu1,g1,x,y\nu2,g2\n');
    expect(rows[0]?.problems).toEqual([
      {
        column: '_extra_1',
        value: 'x',
        code: 'CELL_COUNT',
        reason: expect.stringContaining('4 cells'),
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

  test('ids that look like dates or missing values are named in a note, and read', async () => {
    const { intake, rows } = await read(
      'uid,guid\n2-Jan,choir\nSEPT2,choir\n12-3,choir\nNULL,choir\nbo,none\nanna,May-21\n',
    );
    expect(rows.every(({ problems }) => problems.length === 0)).toBe(true);
    expect(intake.notes()).toEqual([
      { code: 'DATES_AS_IDS', text: expect.stringContaining('"May-21"') },
      { code: 'MISSING_AS_IDS', text: expect.stringContaining('"NULL"') },
    ]);
  });

  test('a group for all rows beside a column of groups: a note says what it does not do', async () => {
    const { intake, rows } = await read('uid,guid\nu1,g1\nu2,\n', { guid: 'all' });
    expect(rows.map(({ guid }) => guid)).toEqual(['g1', 'all']);
    expect(intake.notes()).toMatchObject([{ code: 'GROUPS_OF_ROWS', text: expect.stringContaining('"guid"') }]);
    expect((await read('uid\nu1\n', { guid: 'all' })).intake.notes()).toEqual([]);
  });

  test.each([
    ['Rolle', 'uid;group;Rolle\nu1;g1;Admin\n', {}],
    ['role name', 'uid,group,role name\nu1,g1,Admin\n', { shape: { templates: { uid: '{uid|slug}' } } }],
    ['userRole', '[{"uid":"u1","guid":"g1","userRole":"admin"}]', {}],
  ])('a column that may hold scopes and is not read is named in a note: %s', async (column, text, options) => {
    const { intake, rows } = await read(text, options);
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
    expect(intake.notes()).toMatchObject([{ code: 'SCOPES_NOT_READ', text: expect.stringContaining(`"${column}"`) }]);
  });

  test.each<[string, string, Partial<IntakeOptions>]>([
    ['is the scope', 'uid,guid,Rolle\nu1,g1,admin\n', { map: { scope: 'Rolle' } }],
    ['is beside the scope', 'uid,guid,scope,job,Rolle\nu1,g1,admin,x,y\n', {}],
    ['the user ignores', 'uid,guid,Rolle\nu1,g1,admin\n', { map: { scope: '' } }],
    ['is a condition', 'uid,guid,Rolle\nu1,g1,admin\n', { shape: { where: [{ column: 'Rolle', is: ['admin'] }] } }],
    ['is one of rollcall’s own', 'uid,guid,_scope\nu1,g1,admin\n', {}],
    ['belongs to a list of users', 'guid,owners,Rolle\ng1,u1,x\n', { shape: { lists: { admin: ['owners'] } } }],
  ])('there is no such note about a column that %s', async (_what, text, options) => {
    const { intake } = await read(text, options);
    expect(intake.notes()).toEqual([]);
  });

  test('names and words are the same in both forms of their letters', async () => {
    const [whole, parts] = ['Sch\u00fcler', 'Schu\u0308ler'];
    const file = `${parts},guid,role\nu1,choir,F\u00fchrung\n`;
    const options = {
      map: { uid: whole, scope: 'role' },
      shape: { scopeWords: { 'Fu\u0308hrung': 'admin' as const }, where: [{ column: whole, is: ['U1'] }] },
    };
    expect((await read(file, options)).rows.map(short)).toEqual(['us/choir/u1/admin/']);
    const json = JSON.stringify([{ [parts]: { id: 'u1' }, guid: 'choir' }]);
    expect((await read(json, { map: { uid: `${whole}.id` } })).rows.map(short)).toEqual(['us/choir/u1/participant/']);
    expect((await read(`${parts},guid\nu1,choir\n`, { map: { uid: whole } })).rows.map(short)).toEqual([
      'us/choir/u1/participant/',
    ]);
  });

  test('a header without rows is refused', async () => {
    expect(await refusal(read('uid,guid\n'))).toMatchObject({ code: 'NO_ROWS' });
  });
});
