import { expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { archive } from './make-workbook.ts';
import { drained, OPTIONS, refusal, short } from './reading.ts';

const TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const text = (value: string, more = '') =>
  `<table:table-cell office:value-type="string"${more}><text:p>${value}</text:p></table:table-cell>`;
const row = (cells: string, more = '') => `<table:table-row${more}>${cells}</table:table-row>`;
const HEADER = row(text('uid') + text('guid') + text('note'));

function ods(tables: string, manifest = '<manifest:manifest/>'): Buffer {
  const styles =
    '<office:automatic-styles><style:style style:name="hidden"><style:table-properties table:display="false"/></style:style></office:automatic-styles>';
  return archive({
    mimetype: TYPE,
    'content.xml': `<office:document-content>${styles}<office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    'META-INF/manifest.xml': manifest,
  });
}

const readOds = async (bytes: Buffer, options = {}) =>
  drained(await openIntake({ bytes, name: 'people.ods' }, { ...OPTIONS, ...options }));
const cellsOf = async (rows: string) => {
  const { intake, rows: found } = await readOds(ods(`<table:table table:name="S">${HEADER}${rows}</table:table>`));
  return { intake, found, cells: found.map(({ line, original }) => [line, ...(JSON.parse(original) as string[])]) };
};

test('the first visible sheet with a table is read, or the one that is named', async () => {
  const table = (name: string, uid: string, more = '') =>
    `<table:table table:name="${name}"${more}>${HEADER}${row(text(uid) + text('g1'))}</table:table>`;
  const bytes = ods(
    `<table:table table:name="Empty"/>${table('Old', 'old', ' table:style-name="hidden"')}${table('New', 'new')}`,
  );
  const { intake, rows } = await readOds(bytes);
  expect(intake).toMatchObject({ kind: 'ods', format: 'csv' });
  expect(rows.map(short)).toEqual(['us/g1/new/participant/']);
  expect(intake.notes()[0]?.text).toContain('"Empty", "Old"');
  const cover = `<table:table table:name="Cover">${row(text('Choir'))}${row(text('All its members.'))}</table:table>`;
  expect((await readOds(ods(cover + table('New', 'new')))).rows.map(short)).toEqual(['us/g1/new/participant/']);
  expect((await readOds(bytes, { sheet: 'Old' })).rows.map(short)).toEqual(['us/g1/old/participant/']);
  expect(await refusal(readOds(bytes, { sheet: 'Next' }))).toMatchObject({ code: 'UNKNOWN_SHEET' });
});

test('cells that are written once and repeated stand in all their columns and rows; empty ones at the end do not count', async () => {
  const { intake, cells } = await cellsOf(
    row(text('a', ' table:number-columns-repeated="2"'), ' table:number-rows-repeated="2"') +
      row('<table:table-cell table:number-columns-repeated="16384"/>', ' table:number-rows-repeated="3"') +
      row(`<table:table-cell/>${text('b')}<table:table-cell table:number-columns-repeated="16382"/>`) +
      row('<table:table-cell table:number-columns-repeated="16384"/>', ' table:number-rows-repeated="1048569"'),
  );
  expect(cells).toEqual([
    [2, 'a', 'a'],
    [3, 'a', 'a'],
    [7, '', 'b'],
  ]);
  expect(intake.columns()).toEqual(['uid', 'guid', 'note']);
});

test('values are shown as in CSV: numbers in full, dates and times in ISO 8601, paragraphs as lines, no comments', async () => {
  const value = (type: string, name: string, of: string, shown: string) =>
    `<table:table-cell office:value-type="${type}" office:${name}="${of}"><text:p>${shown}</text:p></table:table-cell>`;
  const { intake, cells } = await cellsOf(
    row(
      value('float', 'value', '40117', '40,117') +
        value('float', 'value', '7', '007') +
        text('x<text:s text:c="2"/>y</text:p><text:p>z'),
    ) +
      row(
        value('date', 'date-value', '2024-03-01T00:00:00', '1.3.') +
          value('boolean', 'boolean-value', 'true', 'yes') +
          value('time', 'time-value', 'PT18H5M0S', '6 pm'),
      ) +
      row(
        '<table:table-cell office:value-type="string"><office:annotation><text:p>who?</text:p></office:annotation><text:p>ann</text:p></table:table-cell>',
      ),
  );
  expect(cells).toEqual([
    [2, '40117', '007', 'x  y\nz'],
    [3, '2024-03-01', 'TRUE', '18:05:00'],
    [4, 'ann'],
  ]);
  expect(intake.notes().map(({ code }) => code)).toEqual(['DATES_AS_IDS', 'BOOLEANS_AS_IDS']);
});

test('merged cells hold for each of their rows, and hidden rows are counted', async () => {
  const { intake, found } = await cellsOf(
    row(text('u1') + text('g1', ' table:number-rows-spanned="2"')) +
      row(`${text('u2')}<table:covered-table-cell/>`, ' table:visibility="filter"') +
      row(text('u3') + text('g2')),
  );
  expect(found.map(short)).toEqual(['us/g1/u1/participant/', 'us/g1/u2/participant/', 'us/g2/u3/participant/']);
  expect(intake.notes().map(({ code }) => code)).toEqual(['HIDDEN_ROWS', 'MERGED_CELLS']);
});

test.each([
  [
    'a row that is repeated for gigabytes',
    row(text('x'.repeat(900)), ' table:number-rows-repeated="1000000"'),
    'TOO_LARGE',
  ],
  [
    'a short row that is repeated a million times',
    row(text('x'), ' table:number-rows-repeated="1000000"'),
    'TOO_LARGE',
  ],
  ['rows beyond the last', row(text('x'), ' table:number-rows-repeated="2000000"'), 'WORKBOOK_BROKEN'],
  ['a cell that is repeated too often', row(text('x', ' table:number-columns-repeated="99999"')), 'TOO_MANY_COLUMNS'],
])('%s is refused', async (_, rows, code) => {
  expect(await refusal(cellsOf(rows))).toMatchObject({ code });
});

test('one with a password is refused', async () => {
  const manifest =
    '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
  expect(await refusal(readOds(ods('', manifest)))).toMatchObject({ code: 'ENCRYPTED' });
});
