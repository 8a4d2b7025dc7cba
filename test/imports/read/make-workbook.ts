import { strToU8, type ZippableFile, zipSync } from 'fflate';

/** A sheet by the XML of its rows, and of what stands behind them. */
interface MadeSheet {
  readonly name: string;
  readonly rows: string;
  readonly behind?: string;
  readonly state?: 'hidden' | 'veryHidden';
}

export interface MadeWorkbook {
  readonly sheets: readonly MadeSheet[];
  /** XML of each shared text, `<t>…</t>`. */
  readonly texts?: readonly string[];
  /** Format codes of the cell styles 1, 2, …; 0 is General. */
  readonly formats?: readonly string[];
  readonly from1904?: boolean;
  /** Further parts, or others in place of those that are made. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An Excel workbook, as little of it as a program may write. */
export function xlsx({ sheets, texts = [], formats = [], from1904 = false, parts = {} }: MadeWorkbook): Buffer {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${TYPE}/${type}" Target="${target}"/>`;
  const made: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships>${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns:r="${TYPE}"><workbookPr date1904="${from1904 ? 1 : 0}"/><sheets>${sheets
      .map(({ name, state }, at) => `<sheet name="${name}" ${state ? `state="${state}" ` : ''}r:id="s${at}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets
      .map((_, at) => relation(`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`))
      .join(
        '',
      )}${relation('t', 'sharedStrings', 'sharedStrings.xml')}${relation('f', 'styles', '/xl/styles.xml')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, at) => `<xf numFmtId="${200 + at}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ rows, behind = '' }, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${rows}</sheetData>${behind}</worksheet>`,
      ]),
    ),
    ...parts,
  };
  return archive(made);
}

/** A ZIP archive of these files. */
export function archive(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = typeof content === 'string' ? strToU8(content) : content;
    return [name, [bytes, { level: bytes.length < 10_000 ? 0 : 1 }]] satisfies [string, ZippableFile];
  });
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

/** The XML of rows with inline texts, from row 1 on; an absent cell is not written. */
export function textRows(rows: readonly (readonly (string | undefined)[])[]): string {
  return rows
    .map((cells, row) => {
      const written = cells.map((cell, column) =>
        cell === undefined ? '' : `<c r="${'ABCDEFGH'[column]}${row + 1}" t="inlineStr"><is><t>${cell}</t></is></c>`,
      );
      return `<row r="${row + 1}">${written.join('')}</row>`;
    })
    .join('');
}
