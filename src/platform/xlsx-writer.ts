import { createRequire } from 'node:module';
import type { ZipDeflate } from 'fflate';
import { RollcallError } from '../errors/rollcall-error.ts';

const load = createRequire(import.meta.url);

/** Rows of a worksheet, the header included: more cannot be opened. */
const MAX_ROWS = 1_048_576;
/** Characters of XML that are compressed at a time. */
const CHUNK_LENGTH = 64 * 1024;

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML_HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `${XML_HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML_HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML_HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  // Style 1 has the number format 49: text.
  'xl/styles.xml': `${XML_HEAD}<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};

/**
 * Rows of cells as an xlsx workbook with one sheet, named `rows`, piece by piece as it is taken. Every cell is text, and so is what people type into one: no cell
 * is a formula, a date or a rounded number, and leading zeros stay. Throws a RollcallError when there are more rows than a sheet can have.
 */
export function* workbook(rows: Iterable<readonly string[]>): Generator<Uint8Array> {
  // Loaded for those alone who want a workbook.
  const { strToU8, Zip, ZipDeflate } = load('fflate') as typeof import('fflate');
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    pieces.push(piece);
  });
  const begin = (name: string): ZipDeflate => {
    const part = new ZipDeflate(name, { level: 6 });
    zip.add(part);
    return part;
  };
  for (const [name, xml] of Object.entries(PARTS)) begin(name).push(strToU8(xml), true);
  const sheet = begin('xl/worksheets/sheet1.xml');
  for (const xml of sheetXml(rows)) {
    sheet.push(strToU8(xml));
    yield* pieces.splice(0);
  }
  sheet.push(new Uint8Array(), true);
  zip.end();
  yield* pieces;
}

function* sheetXml(rows: Iterable<readonly string[]>): Generator<string> {
  let xml = `${XML_HEAD}<worksheet xmlns="${MAIN}"><cols><col min="1" max="16384" width="20" style="1" customWidth="1"/></cols><sheetData>`;
  let count = 0;
  for (const cells of rows) {
    count += 1;
    if (count > MAX_ROWS) {
      throw new RollcallError('TOO_MANY_ROWS', { max: MAX_ROWS });
    }
    xml += `<row>${cells.map(cellXml).join('')}</row>`;
    if (xml.length < CHUNK_LENGTH) continue;
    yield xml;
    xml = '';
  }
  yield `${xml}</sheetData></worksheet>`;
}

function cellXml(cell: string) {
  return cell === ''
    ? '<c s="1"/>'
    : `<c s="1" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** XML has no way to write most control characters. */
function escaped(text: string) {
  const possible = text.toWellFormed().replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  return possible.replace(/[&<>]/g, (sign) => SIGNS[sign] ?? sign);
}
