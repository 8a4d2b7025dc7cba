import { posix } from 'node:path';
import { KIB, MIB } from '../../../options/bounds.ts';
import type { Zip } from '../archive/zip.ts';
import { interruptible } from '../byte-source.ts';
import { tooMany } from '../intake-error.ts';
import { builtInFormat, formatKind, type NumberKind, PLAIN, unescaped } from './cell-text.ts';
import { mergedAreas, sheetReader } from './sheet-reader.ts';
import { type Sheet, SheetRows, type Workbook } from './workbook.ts';
import { broken, checkLength, readXml, type XmlHandlers, xmlReader } from './xml.ts';

const MAX_SHEETS = 20_000;
/** Cell styles that a workbook may have; Excel allows 65,490. */
const MAX_STYLES = 200_000;

/** Bytes of the texts that a workbook shares, each once: they are kept in memory. */
const MAX_TEXT_BYTES = 256 * MIB;
const SAVE_AS_CSV = 'Save the sheet with the rows as CSV';

interface Relation {
  readonly type: string;
  readonly target: string;
}

/** Opens an Excel workbook (.xlsx, .xlsm). Macros, links and formulas in it are not looked at. */
export async function openXlsx(zip: Zip, signal: AbortSignal | undefined): Promise<Workbook> {
  const read = (entry: string) => interruptible(zip.read(entry), signal);
  const parse: Parse = (entry, handlers) => readXml(entry, read(entry), handlers);
  const relationsOf = async (part: string) => {
    const entry = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
    const relations = new Map<string, Relation>();
    if (!zip.has(entry)) return relations;
    await parse(entry, {
      open: (name, { Id, Type = '', Target = '', TargetMode }) => {
        if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
        const target = Target.startsWith('/') ? Target.slice(1) : posix.join(posix.dirname(part), Target);
        if (relations.size < MAX_SHEETS * 2) relations.set(Id, { type: posix.basename(Type), target });
      },
    });
    return relations;
  };

  const top = await relationsOf('');
  const main = [...top.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (!zip.has(main)) throw broken(main, 'this part is missing');
  const relations = await relationsOf(main);
  const partOf = (type: string) => {
    const found = [...relations.values()].find((relation) => relation.type === type)?.target;
    return found !== undefined && zip.has(found) ? found : undefined;
  };

  const sheets: (Sheet & { readonly entry: string })[] = [];
  let from1904 = false;
  await parse(main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key === 'r:id' || /:id$/.test(key))?.[1] ?? '';
      const relation = relations.get(id);
      if (relation?.type !== 'worksheet' || !zip.has(relation.target)) return; // a chart, for instance
      if (sheets.length === MAX_SHEETS) throw tooMany('the workbook', MAX_SHEETS, 'sheets', SAVE_AS_CSV);
      const isVisible = (attributes['state'] ?? 'visible') === 'visible';
      sheets.push({ name: unescaped(attributes['name'] ?? ''), isVisible, entry: relation.target });
    },
  });

  const styles = partOf('styles');
  const formats = styles === undefined ? [] : await formatsOf(styles, parse);
  const texts = textTable();
  const shared = partOf('sharedStrings');
  if (shared !== undefined) await readTexts(texts, shared, parse);

  return {
    kind: 'xlsx',
    sheets,
    read: async function* (number, onRow, warnings) {
      const sheet = sheets[number];
      if (sheet === undefined) throw new TypeError(`there is no sheet ${number}`);
      const merged = warnings === undefined ? new Map() : await mergedAreas(read(sheet.entry));
      const rows = new SheetRows(sheet.name, onRow, warnings);
      const reader = xmlReader(rows.place, sheetReader({ rows, textOf: texts.get, formats, from1904, merged }));
      for await (const block of read(sheet.entry)) {
        reader.write(block);
        yield;
      }
      reader.end();
      yield;
    },
    close: () => zip.close(),
  };
}

type Parse = (entry: string, handlers: XmlHandlers) => Promise<void>;

/** Returns the number formats, by cell style. */
async function formatsOf(entry: string, parse: Parse) {
  const own = new Map<number, NumberKind>();
  const formats: NumberKind[] = [];
  let inCells = false;
  await parse(entry, {
    open: (name, attributes) => {
      if (name === 'cellXfs') inCells = true;
      else if (name === 'numFmt' && own.size < MAX_STYLES) {
        own.set(Number(attributes['numFmtId']), formatKind(attributes['formatCode'] ?? ''));
      } else if (name === 'xf' && inCells && formats.length < MAX_STYLES) {
        const id = Number(attributes['numFmtId'] ?? 0);
        formats.push(own.get(id) ?? builtInFormat(id) ?? PLAIN);
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

/** Reads the texts that cells name by number: each once, and all are needed until the last row is read. */
async function readTexts(texts: ReturnType<typeof textTable>, entry: string, parse: Parse) {
  let text = '';
  let isReading = false;
  let inReadingAid = false;
  await parse(entry, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') inReadingAid = true;
      else if (name === 't') isReading = !inReadingAid;
    },
    text: (piece) => {
      if (!isReading) return;
      text += piece;
      checkLength(text, entry);
    },
    close: (name) => {
      if (name === 't') isReading = false;
      else if (name === 'rPh') inReadingAid = false;
      else if (name === 'si') texts.add(unescaped(text));
    },
  });
}

/** Texts by number, as bytes one behind the other: strings of their own would take five times the memory. */
function textTable() {
  let bytes = Buffer.alloc(64 * KIB);
  /** The place behind each text. */
  const ends: number[] = [];
  return {
    /** Throws TOO_LARGE. */
    add: (text: string) => {
      const start = ends[ends.length - 1] ?? 0;
      const end = start + Buffer.byteLength(text);
      if (end > MAX_TEXT_BYTES) throw tooMany('the workbook', MAX_TEXT_BYTES, 'bytes of different texts', SAVE_AS_CSV);
      if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, bytes.length * 2));
      bytes.write(text, start);
      ends.push(end);
    },
    /** Undefined where no text has this number. */
    get: (index: number) => {
      const end = ends[index];
      return end === undefined ? undefined : bytes.toString('utf8', ends[index - 1] ?? 0, end);
    },
  };
}
