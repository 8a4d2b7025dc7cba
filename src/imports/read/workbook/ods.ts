import type { Zip } from '../archive/zip.ts';
import { interruptible } from '../byte-source.ts';
import { IntakeError } from '../intake-error.ts';
import { numberText, PLAIN } from './cell-text.ts';
import { checkColumns, type Sheet, SheetRows, type Workbook } from './workbook.ts';
import { type Attributes, broken, checkLength, readXml, type XmlHandlers, XmlReader } from './xml.ts';

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
    kind: 'ods',
    sheets,
    read: async function* (sheet, onRow, warnings) {
      const rows = new SheetRows(sheets[sheet]?.name ?? '', onRow, warnings);
      const table = new OdsTable(sheet, rows);
      const reader = new XmlReader(rows.place, table);
      for await (const block of read()) {
        reader.write(block);
        yield;
        if (table.isDone) break;
      }
    },
    close: () => zip.close(),
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
  throw new IntakeError(
    'ENCRYPTED',
    'the workbook is protected by a password',
    'Open it with its password, and save it without one',
  );
}

/** Reads one of the tables. Cells and rows that are repeated are written once, with a number. */
class OdsTable implements XmlHandlers {
  isDone = false;
  readonly #wanted: number;
  readonly #rows: SheetRows;
  #table = -1;
  #rowTimes = 1;
  #isHidden = false;
  #cells: string[] = [];
  #column = 0;
  #cell: Attributes | undefined;
  #paragraphs = 0;
  #text = '';
  /** Open elements whose text is not the cell's, such as comments. */
  #asides = 0;
  #inParagraph = 0;

  /** @param wanted number of the table */
  constructor(wanted: number, rows: SheetRows) {
    this.#wanted = wanted;
    this.#rows = rows;
  }

  text(text: string): void {
    if (this.#inParagraph === 0 || this.#asides > 0) return;
    this.#text += text;
    checkLength(this.#text, `row ${this.#rows.line + 1}`);
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'table') this.#table += 1;
    if (this.#table !== this.#wanted || this.isDone) return;
    if (name === 'table-row') {
      this.#cells = [];
      this.#column = 0;
      this.#rowTimes = times(attributes['table:number-rows-repeated']);
      this.#isHidden = /^(?:filter|collapse)$/.test(attributes['table:visibility'] ?? '');
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#cell = attributes;
      this.#text = '';
      this.#paragraphs = 0;
    } else if (this.#cell !== undefined) this.#openedInCell(name, attributes);
  }

  #openedInCell(name: string, attributes: Attributes) {
    if (name === 'annotation' || name === 'note' || name === 'ruby-text') this.#asides += 1;
    if (this.#asides > 0) return;
    if (name === 'p') {
      if (this.#paragraphs > 0) this.#text += '\n';
      this.#paragraphs += 1;
      this.#inParagraph += 1;
    } else if (name === 's') this.#text += ' '.repeat(Math.min(times(attributes['text:c']), 1000));
    else if (name === 'tab') this.#text += '\t';
    else if (name === 'line-break') this.#text += '\n';
  }

  close(name: string): void {
    if (this.#table !== this.#wanted || this.isDone) return;
    if (name === 'annotation' || name === 'note' || name === 'ruby-text') this.#asides -= 1;
    else if (name === 'p' && this.#asides === 0 && this.#inParagraph > 0) this.#inParagraph -= 1;
    else if (name === 'table-cell') this.#closeCell(this.#cell ?? {});
    else if (name === 'covered-table-cell') this.#closeCell({ covered: 'yes', ...this.#cell });
    else if (name === 'table-row') this.#rows.add(this.#rows.line + 1, this.#cells, this.#isHidden, this.#rowTimes);
    else if (name === 'table') this.isDone = true;
  }

  #closeCell(cell: Attributes) {
    const count = times(cell['table:number-columns-repeated']);
    const text = cell['covered'] === undefined ? this.#cellText(cell) : '';
    this.#cell = undefined;
    if (text === '') {
      this.#column += count;
      return;
    }
    const { line } = this.#rows;
    checkColumns(this.#column + count, `row ${line + 1}`);
    this.#rows.merge(this.#column, line + times(cell['table:number-rows-spanned']), text);
    while (this.#cells.length < this.#column) this.#cells.push('');
    for (let time = 0; time < count; time += 1) this.#cells.push(text);
    this.#column += count;
  }

  #cellText(cell: Attributes) {
    const { warnings } = this.#rows;
    const [line, column] = [this.#rows.line + 1, this.#column];
    switch (cell['office:value-type']) {
      case 'float':
      case 'percentage':
      case 'currency': {
        const text = numberText(cell['office:value'] ?? '', PLAIN, false);
        // Leading zeros that are shown belong to the value.
        const shownText = /^0\d+$/.test(this.#text) && Number(this.#text) === Number(text) ? this.#text : text;
        if (shownText === text) warnings.number(text, line, column);
        return shownText;
      }
      case 'date':
        warnings.date(line, column);
        return (cell['office:date-value'] ?? this.#text).replace(/T00:00:00(?:\.0+)?$/, '');
      case 'time': {
        warnings.date(line, column);
        const [, hours = '', minutes = '', seconds = ''] =
          /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(cell['office:time-value'] ?? '') ?? [];
        return hours === '' ? this.#text : [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':');
      }
      case 'boolean':
        warnings.boolean(line, column);
        return cell['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE';
      default:
        warnings.text(this.#text, line, column);
        return this.#text;
    }
  }
}

function times(text: string | undefined) {
  const number = text === undefined ? 1 : Number(text);
  return Number.isInteger(number) && number > 0 ? number : 1;
}
