import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import writeExcelFile, { type Cell } from 'write-excel-file/node';
import { openIntake } from '../../../src/imports/read/intake.ts';
import type { IntakeOptions } from '../../../src/imports/read/intake-options.ts';
import { runs } from '../../runs.ts';
import { archive, type MadeWorkbook, textRows, xlsx } from './make-workbook.ts';
import { drained, OPTIONS, read, refusal, short } from './reading.ts';

const readBytes = async (bytes: Buffer, options: Partial<IntakeOptions> = {}) =>
  drained(await openIntake({ bytes, name: 'people.xlsx' }, { ...OPTIONS, ...options }));
const readMade = (workbook: MadeWorkbook, options: Partial<IntakeOptions> = {}) => readBytes(xlsx(workbook), options);
/** The rows of one sheet as cells, under a header that any row passes. */
const HEADER = '<row r="1"><c r="A1" t="str"><v>uid</v></c><c r="B1" t="str"><v>guid</v></c></row>';
const cellsOf = async (rows: string, workbook: Partial<MadeWorkbook> = {}) => {
  const { intake, rows: found } = await readMade({ ...workbook, sheets: [{ name: 'S', rows: HEADER + rows }] });
  return { intake, cells: found.map(({ original }) => JSON.parse(original) as string[]), rows: found };
};
const codes = (notes: readonly { readonly code: string }[]) => notes.map(({ code }) => code);

describe('the rows of a workbook', () => {
  test('are those of the CSV file with the same cells, under the numbers that Excel shows', async () => {
    const table = [
      ['guid', 'uid', 'scope', 'note'],
      ['g1', 'u1', 'admin', 'a, "b"\nc'],
      [undefined, undefined, undefined, undefined],
      ['g1', 'u2', undefined, ' x '],
    ];
    const { intake, rows } = await readMade({ sheets: [{ name: 'S', rows: textRows(table) }] });
    expect(intake).toMatchObject({ kind: 'xlsx', format: 'csv' });
    expect(intake.columns()).toEqual(['guid', 'uid', 'scope', 'note']);
    expect(rows.map((row) => [row.line, short(row)])).toEqual([
      [2, 'us/g1/u1/admin/'],
      [4, 'us/g1/u2/participant/'],
    ]);
    expect(JSON.parse(rows[0]?.original ?? '')).toEqual(['g1', 'u1', 'admin', 'a, "b"\nc']);
    expect(JSON.parse(rows[1]?.original ?? '')).toEqual(['g1', 'u2', '', ' x ']);
  });

  test('come from texts that are shared, in parts, inline, or results of formulas; reading aids do not count', async () => {
    const texts = [
      '<t>uid</t>',
      '<r><t>gu</t></r><r><rPr/><t>id</t></r><rPh sb="0"><t>GUID</t></rPh>',
      '<t>g_x0031_</t>',
    ];
    const { rows } = await readMade({
      texts,
      sheets: [
        {
          name: 'S',
          rows: `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="str"><f>[2]Other!A1</f><v>u1</v></c><c t="s"><v>2</v></c></row>`,
        },
      ],
    });
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
  });

  test.each([
    ['a whole number', '<c r="A2"><v>40117</v></c>', '40117'],
    ['one that a program wrote with a fraction', '<c r="A2"><v>40117.0</v></c>', '40117'],
    ['one in E notation', '<c r="A2"><v>1.5E+3</v></c>', '1500'],
    ['one beyond what JavaScript can count', '<c r="A2"><v>1.2345678901234567E+19</v></c>', '12345678901234567000'],
    [
      'one with more digits than JavaScript keeps',
      '<c r="A2"><v>12345678901234567891.0</v></c>',
      '12345678901234567891',
    ],
    ['one that JavaScript would write in E notation', '<c r="A2"><v>1.5E+21</v></c>', '1500000000000000000000'],
    ['a fraction as Excel shows it', '<c r="A2"><v>1.1000000000000001</v></c>', '1.1'],
    ['zeros in front by a format', '<c r="A2" s="1"><v>42</v></c>', '00042'],
    ['a date', '<c r="A2" s="2"><v>45352</v></c>', '2024-03-01'],
    ['a date with a time', '<c r="A2" s="2"><v>45352.75</v></c>', '2024-03-01T18:00:00'],
    ['a time', '<c r="A2" s="3"><v>0.75</v></c>', '18:00:00'],
    ['a number with a unit', '<c r="A2" s="4"><v>3</v></c>', '3'],
    ['the last day before the day that never was', '<c r="A2" s="2"><v>59</v></c>', '1900-02-28'],
    ['a date in ISO 8601', '<c r="A2" t="d"><v>2024-03-01</v></c>', '2024-03-01'],
    ['true', '<c r="A2" t="b"><v>1</v></c>', 'TRUE'],
    ['false', '<c r="A2" t="b"><v>0</v></c>', 'FALSE'],
    ['an error', '<c r="A2" t="e"><v>#N/A</v></c>', '#N/A'],
  ])('show %s', async (_, cell, shown) => {
    const formats = ['00000', 'dd"."mm yyyy', '[h]:mm', '0 "days"'];
    const { cells } = await cellsOf(`<row r="2">${cell}</row>`, { formats });
    expect(cells).toEqual([[shown]]);
  });

  test('show dates of the calendar that begins in 1904', async () => {
    const { cells } = await cellsOf('<row r="2"><c r="A2" s="1"><v>43890</v></c></row>', {
      formats: ['d.m.yy'],
      from1904: true,
    });
    expect(cells).toEqual([['2024-03-01']]);
  });

  test('show these dates also where an extension repeats the name of the element that names the calendar', async () => {
    const bytes = xlsx({
      sheets: [{ name: 'S', rows: `${HEADER}<row r="2"><c r="A2" s="1"><v>43890</v></c></row>` }],
      formats: ['d.m.yy'],
      parts: {
        'xl/workbook.xml':
          '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="1"/>' +
          '<sheets><sheet name="S" r:id="s0"/></sheets><extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}" ' +
          'xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main">' +
          '<x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>',
      },
    });
    const { rows } = await readBytes(bytes);
    expect(rows.map(({ original }) => original)).toEqual(['["2024-03-01"]']);
  });

  test('end with the last filled cell; empty cells behind it and empty rows below do not count', async () => {
    const styled = '<row r="3"><c r="A3" s="0"/><c r="XFD3"/></row><row r="1048576"><c r="A1048576"/></row>';
    const { intake, rows } = await cellsOf(
      `<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="XFD2"/></row>${styled}`,
    );
    expect(rows.map(({ line, original }) => [line, original])).toEqual([[2, '["1","2"]']]);
    expect(intake.columns()).toEqual(['uid', 'guid']);
  });

  test('may have cells beside the table: they do not move the others, as they might in CSV', async () => {
    const { intake, rows } = await cellsOf(
      '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="D2"><v>9</v></c></row><row r="3"><c r="A3"><v>3</v></c></row>',
    );
    expect(rows.map(short)).toEqual(['us/2/1/participant/', 'guid: EMPTY']);
    expect(intake.columns()).toEqual(['uid', 'guid', '_extra_1', '_extra_2']);
  });

  test.each(['\uFEFF', 'sep=;', 'SEP=,', 'sep='])(
    'do not have the mark %j with which a CSV file begins',
    async (mark) => {
      const above = mark.length === 1 ? [] : [[mark]];
      const header = [mark.length === 1 ? `${mark}uid` : 'uid', 'guid', 'scope'];
      const { intake, rows } = await readMade({
        sheets: [{ name: 'S', rows: textRows([...above, header, ['u1', 'g1', 'boss'], ['uid', 'guid', 'scope']]) }],
      });
      expect(intake.columns()).toEqual(['uid', 'guid', 'scope']);
      expect(rows.map(({ line }) => line)).toEqual([above.length + 2]);
      expect(codes(intake.notes())).toContain('HEADER_AGAIN');
    },
  );

  test('may have such a text anywhere else', async () => {
    const table = [['uid', 'guid'], ['sep=;'], ['\uFEFFu1', 'g1']];
    const { rows } = await readMade({ sheets: [{ name: 'S', rows: textRows(table) }] });
    expect(rows.map(({ original }) => original)).toEqual(['["sep=;"]', '["\uFEFFu1","g1"]']);
  });

  test('come a few at a time where they are long, as from a text', async () => {
    const cells = '<c t="str"><v>u1</v></c><c t="str"><v>g1</v></c><c t="s"><v>0</v></c>';
    const rows = HEADER + `<row>${cells}</row>`.repeat(40);
    const bytes = xlsx({ texts: [`<t>${'x'.repeat(10_000)}</t>`], sheets: [{ name: 'S', rows }] });
    const intake = await openIntake({ bytes, name: 'people.xlsx' }, OPTIONS);
    const counts: number[] = [];
    for await (const chunk of intake.chunks()) counts.push(chunk.length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(40);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  test('take the value of merged cells in each of their rows, unless there is nothing else in the row', async () => {
    const { intake, rows } = await readMade({
      sheets: [
        {
          name: 'S',
          rows: textRows([
            ['guid', 'uid'],
            ['g1', 'u1'],
            [undefined, 'u2'],
            [undefined, undefined],
            ['g2', 'u3'],
          ]),
          behind: '<mergeCells count="2"><mergeCell ref="A2:A4"/><mergeCell ref="A5:B5"/></mergeCells>',
        },
      ],
    });
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/', 'us/g1/u2/participant/', 'us/g2/u3/participant/']);
    expect(codes(intake.notes())).toEqual(['MERGED_CELLS']);
  });

  test('are read from XML with prefixes, and in the encoding that it has', async () => {
    const sheet =
      '<x:worksheet xmlns:x="y"><x:sheetData><x:row r="1"><x:c r="A1" t="str"><x:v>uid</x:v></x:c><x:c r="B1" t="str"><x:v>guid</x:v></x:c></x:row><x:row r="2"><x:c r="A2" t="str"><x:v>ü</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const utf16 = Buffer.from(`\ufeff${sheet}`, 'utf16le');
    for (const part of [sheet, utf16]) {
      const { rows } = await readMade({
        sheets: [{ name: 'S', rows: '' }],
        parts: { 'xl/worksheets/sheet0.xml': part },
      });
      expect(rows.map(({ original }) => original)).toEqual(['["ü"]']);
    }
  });
});

describe('the sheet', () => {
  const table = (uid: string) =>
    textRows([
      ['uid', 'guid'],
      [uid, 'g1'],
    ]);
  const sheets = [
    { name: 'Empty', rows: '<row r="1"><c r="A1" s="1"/></row>' },
    { name: 'Secret', rows: table('hidden'), state: 'hidden' as const },
    { name: 'Members', rows: table('u1') },
    { name: '1', rows: table('one') },
  ];

  test('is the first visible one with a table, and a note names the others', async () => {
    const { intake, rows } = await readMade({ sheets });
    expect(rows.map(({ uid }) => uid)).toEqual(['u1']);
    expect(intake.notes()).toEqual([
      {
        code: 'SHEET_CHOSEN',
        text: 'The rows are from the sheet "Members", the first one with a table. Other sheets of the workbook: "Empty", "Secret", "1"',
      },
    ]);
  });

  test.each([
    ['one cell', textRows([['Choir 2026']])],
    ['a title and a sentence', textRows([['Members of the choir'], [], ['Exported for the rehearsal on Friday.']])],
    ['a word that names no column', textRows([['Members'], ['ann']])],
  ])('is not one that has only %s, and the note says so', async (_, rows) => {
    const cover = { name: 'Cover', rows };
    const { intake, rows: read } = await readMade({ sheets: [cover, { name: 'Everyone', rows: table('u1') }] });
    expect(read.map(({ uid }) => uid)).toEqual(['u1']);
    expect(intake.notes()[0]?.text).toBe(
      'The rows are from the sheet "Everyone", the first one with a table (before it, only text was found in "Cover"). Other sheets of the workbook: "Cover"',
    );
  });

  test('that is named is read, whatever is in it', async () => {
    const cover = { name: 'Cover', rows: textRows([['Choir'], ['ann']]) };
    const made = { sheets: [cover, { name: 'Everyone', rows: table('u1') }] };
    const error = await refusal(readMade(made, { sheet: 'Cover' }));
    expect(error.message).toContain('"Choir"');
  });

  test.each([
    ['a column that is called as one that is read', [['User ID'], ['ann']], {}],
    ['the column that the mapping names', [['Mitglied'], ['ann']], { map: { uid: 'Mitglied' } }],
    ['a column without a header', [['ann']], { shape: { columns: ['uid'] } }],
    ['a column below the rows that are skipped', [['Choir'], ['uid'], ['ann']], { shape: { headerRow: 2 } }],
  ] satisfies [string, string[][], Partial<IntakeOptions>][])('may be %s only', async (_, list, options) => {
    const { rows } = await readMade(
      { sheets: [{ name: 'List', rows: textRows(list) }, ...sheets] },
      { region: 'us', guid: 'choir', ...options },
    );
    expect(rows.map(short)).toEqual(['us/choir/ann/participant/']);
  });

  test('can be chosen also where a template is wrong', async () => {
    const names: string[] = [];
    const error = await refusal(
      readMade(
        { sheets },
        {
          shape: { templates: { uid: '{uid|low}' } },
          onSheets: (found) => names.push(...found.map(({ name }) => name)),
        },
      ),
    );
    expect(error.code).toBe('BAD_SHAPE');
    expect(names).toEqual(sheets.map(({ name }) => name));
  });

  test('may be a long list by whatever name', async () => {
    const list = [['Mitglied'], ...Array.from({ length: 40 }, (_, at) => [`u${at}`])];
    const made = { sheets: [{ name: 'List', rows: textRows(list) }, ...sheets] };
    const error = await refusal(readMade(made, { region: 'us', guid: 'choir' }));
    expect(error.message).toContain('"Mitglied"');
  });

  test('with a header and no rows is refused, with the others', async () => {
    const empty = { name: 'New', rows: textRows([['uid', 'guid']]) };
    const error = await refusal(readMade({ sheets: [empty, { name: 'Last year', rows: table('u1') }] }));
    expect(error).toMatchObject({ code: 'NO_ROWS' });
    expect(error.message).toContain('"people.xlsx"');
    expect(error.message).toContain('--sheet');
  });

  test.each([
    ['its name', 'Secret', 'hidden'],
    ['its name in another case', ' members ', 'u1'],
    ['a name that is a number', '1', 'one'],
    ['its number', '3', 'u1'],
  ])('is named by %s', async (_, sheet, uid) => {
    const { intake, rows } = await readMade({ sheets }, { sheet });
    expect(rows.map((row) => row.uid)).toEqual([uid]);
    expect(intake.notes()).toEqual([]);
  });

  test.each(['Memberz', '0', '9'])('%s is refused where there is none, with those that there are', async (sheet) => {
    const error = await refusal(readMade({ sheets }, { sheet }));
    expect(error).toMatchObject({ code: 'UNKNOWN_SHEET' });
    expect(error.message).toContain('"Empty", "Secret", "Members", "1"');
  });

  test('that is empty is refused, with the others', async () => {
    const error = await refusal(readMade({ sheets }, { sheet: 'Empty' }));
    expect(error).toMatchObject({ code: 'EMPTY' });
    expect(error.message).toMatch(/"Empty" .*--sheet: "Secret"/);
  });

  test('is found among 10,000', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      name: `S${at}`,
      rows: at === 9_999 ? table('last') : '',
    }));
    const { rows } = await readMade({ sheets: many }, { sheet: 'S9999' });
    expect(rows.map(({ uid }) => uid)).toEqual(['last']);
  });
});

describe('the header of a sheet', () => {
  const READ = { code: 'HEADER_FOUND', text: expect.stringMatching(/^Row \d+.*"S"/) };
  const sheet = (rows: (string | undefined)[][]) => ({ sheets: [{ name: 'S', rows: textRows(rows) }] });
  const cover = [['Created by', 'Jane Doe'], ['Date', '2026-11-01'], []];
  const members = [
    ['guid', 'uid', 'scope'],
    ['g', 'ann', 'admin'],
  ];

  test.each([
    ['below a cover of two cells in a row', [...cover, ...members], {}],
    ['below a narrower cover without an empty row', [['Choir', '2026'], ...members], {}],
    ['below a title', [['Choir'], ...members], {}],
    ['below a cover that is as wide, and an empty row', [['Choir', 'by', 'Jane'], [], ...members], {}],
    [
      'named by the mapping, below a cover',
      [...cover, ['Gruppe', 'Kennung', 'Rolle'], ['g', 'ann', 'admin']],
      { map: { uid: 'Kennung', guid: 'Gruppe', scope: 'Rolle' } },
    ],
  ] satisfies [string, string[][], Partial<IntakeOptions>][])(
    'is found %s, and a note says so',
    async (_, rows, how) => {
      const { intake, rows: read } = await readMade(sheet(rows), how);
      expect(read.map((row) => [row.line, short(row)])).toEqual([[rows.length, 'us/g/ann/admin/']]);
      expect(intake.notes()).toEqual([READ]);
    },
  );

  test('is found in the sheet that is named, too', async () => {
    const { rows, intake } = await readMade(sheet([...cover, ...members]), { sheet: 'S' });
    expect([rows.map(short), intake.notes()]).toEqual([['us/g/ann/admin/'], [READ]]);
  });

  test.each([
    [
      'a row of the table has words that name columns',
      [
        ['Wer', 'Art', 'Rolle'],
        ['ann', 'Group', 'Member'],
      ],
      {},
    ],
    [
      'a row of the table below an empty one has them',
      [['Wer', 'Art'], ['ann', 'x'], [], ['User', 'Group'], ['User', 'Group']],
      {},
    ],
    ['a row of the cover has such a word', [['By', 'Jane'], ['Group', 'Choir'], [], ...members], {}],
    ['the column of the group is missing', [...cover, ['uid', 'name'], ['ann', 'Ann']], {}],
    ['the row that is the header is named', [...cover, ...members], { shape: { headerRow: 1 } }],
    ['the mapping names a column that is not there', [...cover, ...members], { map: { uid: 'Kennung' } }],
    ['it is the last row', [...cover, ['guid', 'uid']], {}],
  ] satisfies [string, string[][], Partial<IntakeOptions>][])('is the first row where %s', async (_, rows, how) => {
    const error = await refusal(readMade(sheet(rows), how));
    expect(error.code).toMatch(/MISSING_COLUMN|UNKNOWN_COLUMN/);
    expect(error.message).toContain(`"${rows[0]?.[0]}", "${rows[0]?.[1]}"`);
  });

  test('that names no known column is asked for, and so is the sheet', async () => {
    const made = {
      sheets: [
        { name: 'Cover', rows: textRows(cover) },
        { name: 'All', rows: textRows(members) },
      ],
    };
    const error = await refusal(readMade(made));
    expect(error.message).toMatch(/--header-row/);
    expect(error.message).toMatch(/--sheet.*"All"/);
  });
});

describe('what Excel has damaged is said with the cells', () => {
  test('numbers of more than fifteen digits', async () => {
    const { intake } = await cellsOf(
      '<row r="2"><c r="A2"><v>123456789012345</v></c></row><row r="7"><c r="A7"><v>1234567890123450</v></c><c r="C7"><v>1.2E+23</v></c></row>',
    );
    const text = intake.notes().map((note) => note.text);
    expect(text[0]).toMatch(/^Sheet "S": .*: A7\./);
    expect(text[1]).toMatch(/^Sheet "S": .*: C7\./);
    expect(text).toHaveLength(2);
  });

  test('numbers among ids that begin with zeros, dates and booleans among ids', async () => {
    const rows = [
      '<row r="2"><c r="A2" t="str"><v>007</v></c><c r="B2" t="str"><v>g</v></c></row>',
      '<row r="3"><c r="A3"><v>8</v></c><c r="B3" s="1"><v>45352</v></c></row>',
      '<row r="4"><c r="A4"><v>9</v></c><c r="B4" t="b"><v>1</v></c><c r="C4" s="1"><v>45352</v></c></row>',
    ];
    const { intake } = await cellsOf(rows.join(''), { formats: ['yyyy'] });
    expect(intake.notes().map(({ code, text }) => `${code} ${/.*: (.*?)\./.exec(text)?.[1]}`)).toEqual([
      'LOST_ZEROS A3 and A4',
      'DATES_AS_IDS B3',
      'BOOLEANS_AS_IDS B4',
    ]);
  });

  test('rows that a filter hides, and formulas without a result', async () => {
    const { intake, rows } = await cellsOf(
      '<row r="2" hidden="1"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row><row r="3"><c r="A3"><v>2</v></c><c r="B3"><f>1+1</f></c></row>',
    );
    expect(rows).toHaveLength(2);
    expect(intake.notes().map(({ text }) => text)).toEqual([
      expect.stringMatching(/: 2$/),
      expect.stringContaining(': B3. '),
    ]);
  });
});

describe('refused workbooks', () => {
  test('one with a password', async () => {
    const container = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    const error = await refusal(read(container));
    expect(error).toMatchObject({ code: 'ENCRYPTED' });
    expect(error.message).toMatch(/password/);
  });

  test.each([
    ['a binary workbook', { 'xl/workbook.bin': '' }, /\.xlsb.*save the table as \.xlsx/],
    ['a Word document', { 'word/document.xml': '' }, /a Word document/],
  ])('%s', async (_, parts, says) => {
    const error = await refusal(readBytes(archive({ '[Content_Types].xml': '', ...parts })));
    expect(error).toMatchObject({ code: 'OTHER_FORMAT' });
    expect(error.message).toMatch(says);
  });

  test('one with 16,384 columns, unless they are allowed', async () => {
    const cell = (column: number) => `<c t="str"><v>c${column}</v></c>`;
    const wide = `<row r="1">${Array.from({ length: 16_384 }, (_, column) => cell(column)).join('')}</row>`;
    const sheets = [{ name: 'S', rows: `${wide}<row r="2"><c t="str"><v>u1</v></c><c t="str"><v>g1</v></c></row>` }];
    expect(await refusal(readMade({ sheets }))).toMatchObject({ code: 'TOO_MANY_COLUMNS' });
    const bounds = { columns: 16_384 };
    const { rows } = await readMade({ sheets }, { bounds, map: { uid: 'c0', guid: 'c1' } });
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
  });

  test.each([
    ['a cell beyond the last column', '<row r="2"><c r="XFE2"><v>1</v></c></row>', 'WORKBOOK_BROKEN'],
    ['rows out of order', '<row r="9"/><row r="8"/>', 'WORKBOOK_BROKEN'],
    ['a row beyond the last', '<row r="1048577"/>', 'WORKBOOK_BROKEN'],
    ['a shared text that is not there', '<row r="2"><c t="s"><v>7</v></c></row>', 'WORKBOOK_BROKEN'],
    ['XML that is not closed', '<row r="2">', 'WORKBOOK_BROKEN'],
    ['an entity of its own', '<row r="2"><c t="str"><v>&bomb;</v></c></row>', 'WORKBOOK_BROKEN'],
    ['endless nesting', '<a>'.repeat(200), 'WORKBOOK_BROKEN'],
    ['a cell of megabytes', `<row r="2"><c t="str"><v>${'x'.repeat(3_000_000)}</v></c></row>`, 'ROW_TOO_LONG'],
    ['a tag of megabytes', `<row r="2" x="${'x'.repeat(3_000_000)}"/>`, 'ROW_TOO_LONG'],
  ])('one with %s', async (_, rows, code) => {
    expect(await refusal(cellsOf(rows))).toMatchObject({ code });
  });

  test('a bomb: a few kilobytes that unpack to gigabytes', async () => {
    const rows = `<row r="2">${' '.repeat(20_000_000)}</row>`;
    expect(await refusal(cellsOf(rows))).toMatchObject({ code: 'TOO_LARGE' });
  });

  test('one whose texts unpack to more than is allowed', async () => {
    const texts = Array.from({ length: 20_000 }, () => `<t>${'y'.repeat(1_000)}</t>`);
    expect(await refusal(readMade({ sheets: [{ name: 'S', rows: HEADER }], texts }))).toMatchObject({
      code: 'TOO_LARGE',
    });
  });

  test.each([
    [
      'rows that name one long text',
      { rows: Array.from({ length: 700 }, (_, at) => `<row r="${at + 2}"><c t="s"><v>0</v></c></row>`).join('') },
    ],
    [
      'a long text in merged cells',
      {
        rows: Array.from({ length: 700 }, (_, at) =>
          at === 0
            ? '<row r="2"><c t="s"><v>0</v></c></row>'
            : `<row r="${at + 2}"><c r="B${at + 2}"><v>1</v></c></row>`,
        ).join(''),
        behind: '<mergeCells><mergeCell ref="A2:A701"/></mergeCells>',
      },
    ],
  ])('a bomb: %s', async (_, { rows, ...sheet }) => {
    const texts = [`<t>${'long'.repeat(8_000)}</t>`];
    const reading = readMade({ sheets: [{ name: 'S', rows: HEADER + rows, ...sheet }], texts });
    expect(await refusal(reading)).toMatchObject({
      code: 'TOO_LARGE',
      facts: { place: expect.stringMatching(/^row 5\d\d$/) },
    });
  });

  test('one that is cut off, or changed in the middle', async () => {
    const bytes = xlsx({
      sheets: [
        {
          name: 'S',
          rows: textRows([
            ['uid', 'guid'],
            ['u1', 'g1'],
          ]),
        },
      ],
    });
    expect(await refusal(readBytes(bytes.subarray(0, -10)))).toMatchObject({ code: 'ZIP_BROKEN' });
    const damaged = Buffer.from(bytes);
    const at = damaged.indexOf('xl/worksheets/sheet0.xml') + 60;
    damaged.fill(0xff, at, at + 8);
    expect((await refusal(readBytes(damaged))).code).toMatch(/ZIP_BROKEN|WORKBOOK_BROKEN/);
  });
});

test('macros and external links in a workbook are not looked at', async () => {
  const parts = { 'xl/vbaProject.bin': 'x', 'xl/externalLinks/externalLink1.xml': 'not even XML <' };
  const { rows } = await readMade({
    sheets: [
      {
        name: 'S',
        rows: textRows([
          ['uid', 'guid'],
          ['u1', 'g1'],
        ]),
      },
    ],
    parts,
  });
  expect(rows).toHaveLength(1);
});

describe('a file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-workbook-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('tables that another program writes are read as they are in CSV', async () => {
    const text = fc
      .string({ unit: fc.constantFrom(...'ab Z09,;"\n\t_x000D_é👍<&>\'=') })
      // A workbook cannot tell an empty text from no cell, and Excel's line ends are \n.
      .filter((cell) => cell.trim() !== '');
    const cell = fc.oneof(
      fc.constant(null),
      text,
      fc.integer({ min: -99_999_999, max: 999_999_999_999_999 }),
      fc.boolean(),
    );
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, async (table) => {
        const shown = table.map((cells) => cells.map((value) => textOf(value)));
        if (!shown.some((cells) => cells.some((value) => value !== ''))) return;
        const written = await writeExcelFile([
          ['uid', 'guid', 'note'],
          ...table.map((cells) => cells.map((value): Cell => (value === null ? null : { value, type: typeOf(value) }))),
        ]).toBuffer();
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
        const csv = `uid,guid,note\n${shown.map((cells) => cells.map(quoted).join(',')).join('\n')}\n`;
        const [fromCsv, fromWorkbook] = [
          await read(csv, { lenient: true }),
          await readBytes(written, { lenient: true }),
        ];
        const plain = ({ rows: found }: typeof fromCsv) =>
          found.map(({ line, original, uid, guid, problems }) => {
            const cells = JSON.parse(original) as string[];
            return { line, cells: [0, 1, 2].map((at) => cells[at] ?? ''), uid, guid, problems };
          });
        expect(plain(fromWorkbook)).toEqual(plain(fromCsv));
      }),
      { numRuns: runs(100) },
    );
  });

  test('is read from its path, and refused when it has changed meanwhile', async () => {
    const path = join(folder, 'people.xlsx');
    const people = Array.from({ length: 2_000 }, (_, row) => [`u${row}`, 'g1']);
    await writeFile(path, xlsx({ sheets: [{ name: 'S', rows: textRows([['uid', 'guid'], ...people]) }] }));
    expect((await drained(await openIntake({ path }, OPTIONS))).rows).toHaveLength(2_000);
    const intake = await openIntake({ path }, OPTIONS);
    await writeFile(path, 'something else');
    expect((await refusal(drained(intake))).code).toMatch(/FILE_CHANGED|ZIP_BROKEN/);
  });

  test('that is not a workbook is not read as one', async () => {
    expect(await refusal(read('uid,guid\nu1,g1\n', { format: 'xlsx' }))).toMatchObject({ code: 'OTHER_FORMAT' });
  });

  test('reading stops when it is aborted', async () => {
    const path = join(folder, 'long.xlsx');
    const rows = Array.from({ length: 20_000 }, (_, row) => [`u${row}`, 'g1']);
    await writeFile(path, xlsx({ sheets: [{ name: 'S', rows: textRows([['uid', 'guid'], ...rows]) }] }));
    const stop = new AbortController();
    const chunks = (await openIntake({ path }, { ...OPTIONS, signal: stop.signal })).chunks();
    await chunks.next();
    stop.abort(new Error('stopped'));
    await expect(chunks.next().then(() => chunks.next())).rejects.toThrow('stopped');
  });
});

function textOf(value: string | number | boolean | null): string {
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value ?? '');
}

function typeOf(value: string | number | boolean) {
  return typeof value === 'string' ? String : typeof value === 'number' ? Number : Boolean;
}
