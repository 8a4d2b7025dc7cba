import type { Zip } from '../archive/zip.ts';
import { interruptible } from '../byte-source.ts';
import { intakeError } from '../intake-error.ts';
import { numberText, PLAIN } from './cell-text.ts';
import { checkColumns, type Sheet, SheetRows, type Workbook } from './workbook.ts';
import { type Attributes, broken, checkLength, readXml, xmlReader } from './xml.ts';

const CONTENT = 'content.xml';

/** Opens a LibreOffice workbook (.ods). All its sheets are in one part, which is read up to the sheet that is wanted. */
export async function openOds(zip: Zip, signal: AbortSignal | undefined): Promise<Workbook> {
  if (!zip.has(CONTENT)) throw broken(CONTENT, 'this part is missing');
  await refuseEncrypted(zip);
  const read = () => interruptible(zip.read(CONTENT), signal);

  const sheets: Sheet[] = [];
  const hiddenStyles = new Set<string>();
  let style = '';
  await readXml(CONTENT, read(), {
    open: (name, attributes) => {
      if (name === 'style') style = attributes['style:name'] ?? '';
      else if (name === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
      else if (name === 'table') {
        const isVisible = !hiddenStyles.has(attributes['table:style-name'] ?? '');
        sheets.push({ name: attributes['table:name'] ?? '', isVisible });
      }
    },
  });

  return {
    sheets,
    read: async function* (sheet, warnings) {
      const rows = new SheetRows(sheets[sheet]?.name ?? '', warnings);
      const table = odsTable(sheet, rows);
      const reader = xmlReader(rows.place, table);
      for await (const block of read()) {
        reader.write(block);
        yield rows.take();
        if (table.isDone()) break;
      }
    },
  };
}

async function refuseEncrypted(zip: Zip) {
  const manifest = 'META-INF/manifest.xml';
  if (!zip.has(manifest)) return;
  let isEncrypted = false;
  await readXml(manifest, zip.read(manifest), {
    open: (name) => {
      isEncrypted ||= name === 'encryption-data';
    },
  });
  if (!isEncrypted) return;
  throw intakeError(
    'ENCRYPTED',
    'the workbook is protected by a password',
    'Open it with its password, and save it without one',
  );
}

/** Reads one of the tables. Cells and rows that are repeated are written once, with a number. @param wanted number of the table */
function odsTable(wanted: number, rows: SheetRows) {
  let table = -1;
  let rowTimes = 1;
  let isHidden = false;
  let cells: string[] = [];
  let column = 0;
  let current: Attributes | undefined;
  let paragraphs = 0;
  let content = '';
  let inParagraph = 0;

  function text(piece: string) {
    if (inParagraph === 0) return;
    content += piece;
    checkLength(content, `row ${rows.line + 1}`);
  }

  function open(name: string, attributes: Attributes) {
    if (name === 'table') table += 1;
    if (table !== wanted) return;
    if (name === 'table-row') {
      cells = [];
      column = 0;
      rowTimes = times(attributes['table:number-rows-repeated']);
      isHidden = /^(?:filter|collapse)$/.test(attributes['table:visibility'] ?? '');
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      current = attributes;
      content = '';
      paragraphs = 0;
    } else if (current === undefined) return;
    else if (name === 'p') {
      if (paragraphs > 0) content += '\n';
      paragraphs += 1;
      inParagraph += 1;
    } else if (name === 's') content += ' '.repeat(Math.min(times(attributes['text:c']), 1000));
    else if (name === 'tab') content += '\t';
    else if (name === 'line-break') content += '\n';
  }

  function close(name: string) {
    if (table !== wanted) return;
    if (name === 'p' && inParagraph > 0) inParagraph -= 1;
    else if (name === 'table-cell' || name === 'covered-table-cell') closeCell(name !== 'table-cell');
    else if (name === 'table-row') rows.add(rows.line + 1, cells, isHidden, rowTimes);
  }

  function closeCell(isCovered: boolean) {
    const cell = current ?? {};
    const count = times(cell['table:number-columns-repeated']);
    const text = isCovered ? '' : cellText(cell, content, rows, column);
    current = undefined;
    if (text === '') {
      column += count;
      return;
    }
    const { line } = rows;
    checkColumns(column + count, `row ${line + 1}`);
    rows.merge(column, line + times(cell['table:number-rows-spanned']), text);
    while (cells.length < column) cells.push('');
    for (let time = 0; time < count; time += 1) cells.push(text);
    column += count;
  }

  return { text, open, close, isDone: () => table > wanted };
}

/** The value of a cell as text. @param content what it shows */
function cellText(cell: Attributes, content: string, { warnings, line: before }: SheetRows, column: number) {
  const line = before + 1;
  switch (cell['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const text = numberText(cell['office:value'] ?? '', PLAIN, false);
      // Leading zeros that are shown belong to the value.
      const shownText = /^0\d+$/.test(content) && Number(content) === Number(text) ? content : text;
      if (shownText === text) warnings.number(text, line, column);
      return shownText;
    }
    case 'date':
      warnings.add('dates', line, column);
      return (cell['office:date-value'] ?? content).replace(/T00:00:00(?:\.0+)?$/, '');
    case 'time': {
      warnings.add('dates', line, column);
      const [, hours = '', minutes = '', seconds = ''] =
        /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(cell['office:time-value'] ?? '') ?? [];
      return hours === '' ? content : [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':');
    }
    case 'boolean':
      warnings.add('booleans', line, column);
      return cell['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE';
    default:
      warnings.text(content, line, column);
      return content;
  }
}

function times(text: string | undefined) {
  const number = text === undefined ? 1 : Number(text);
  return Number.isInteger(number) && number > 0 ? number : 1;
}
