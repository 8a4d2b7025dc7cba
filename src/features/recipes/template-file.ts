import { strToU8, zipSync } from 'fflate';
import { INPUTS } from '../../options/input-kinds.ts';
import { XML_HEAD } from '../../platform/xlsx-writer.ts';

/** An example file that can be imported as it is: the names of the columns, and what they may contain. */

export const TEMPLATE_FORMATS = ['csv', 'xlsx'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

const ROWS: readonly (readonly string[])[] = [
  ['guid', 'uid', 'scope', 'name'],
  ['team-berlin', 'anna-maier', 'admin', 'Anna Maier'],
  ['team-berlin', 'li-wei', 'moderator', 'Li Wei'],
  ['team-berlin', '004217', 'participant', 'Omar Haddad'],
  ['team-lisbon', '004217', '', 'Omar Haddad'],
];

export const TEMPLATE_TYPES: Readonly<Record<TemplateFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: INPUTS.xlsx.mediaType,
};

export function templateFile(format: TemplateFormat): Buffer {
  return format === 'csv' ? Buffer.from(ROWS.map((row) => `${row.join(',')}\n`).join('')) : workbook();
}

/** All columns are text, so that Excel keeps leading zeros and long numbers as they are typed. */
function workbook(): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const part = (name: string, type: string) => `<Override PartName="/${name}" ContentType="${types}.${type}+xml"/>`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const files: Readonly<Record<string, string>> = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('xl/workbook.xml', 'sheet.main')}${part('xl/worksheets/sheet1.xml', 'worksheet')}${part('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships">${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Members" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'styles', 'styles.xml')}</Relationships>`,
    // Format 49 is "text".
    'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><cols><col min="1" max="4" width="20" style="1" customWidth="1"/></cols><sheetData>${ROWS.map(sheetRow).join('')}</sheetData></worksheet>`,
  };
  const declared = Object.entries(files).map(([name, xml]) => [name, strToU8(`${XML_HEAD}${xml}`)]);
  // A fixed time: the same file each time.
  return Buffer.from(zipSync(Object.fromEntries(declared), { mtime: '2026-01-01T00:00:00' }));
}

function sheetRow(cells: readonly string[], index: number): string {
  const row = index + 1;
  const text = cells.map(
    (cell, column) => `<c r="${'ABCD'[column]}${row}" s="1" t="inlineStr"><is><t>${cell}</t></is></c>`,
  );
  return `<row r="${row}">${text.join('')}</row>`;
}
