import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
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

interface Relation {
  readonly type: string;
  readonly target: string;
}

/** Opens an Excel workbook (.xlsx, .xlsm). Macros, links and formulas in it are not looked at. */
export async function openXlsx(zip: Zip, signal: AbortSignal | undefined, scratch: string): Promise<Workbook> {
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
      if (sheets.length === MAX_SHEETS)
        throw tooMany('the workbook', MAX_SHEETS, 'sheets', 'Save the sheet with the rows as CSV');
      const isVisible = (attributes['state'] ?? 'visible') === 'visible';
      sheets.push({ name: unescaped(attributes['name'] ?? ''), isVisible, entry: relation.target });
    },
  });

  const styles = partOf('styles');
  const formats = styles === undefined ? [] : await formatsOf(styles, parse);
  const texts = textTable(scratch);
  try {
    const shared = partOf('sharedStrings');
    if (shared !== undefined) await readTexts(texts, shared, parse);
  } catch (error) {
    texts.close();
    throw error;
  }

  return {
    kind: 'xlsx',
    sheets,
    read: async function* (number, onRow, warnings) {
      const sheet = sheets[number];
      if (sheet === undefined) throw new TypeError(`there is no sheet ${number}`);
      const merged = warnings === undefined ? new Map() : await mergedAreas(read(sheet.entry));
      const textOf = (index: number) => texts.get(index);
      const rows = new SheetRows(sheet.name, onRow, warnings);
      const reader = xmlReader(rows.place, sheetReader({ rows, textOf, formats, from1904, merged }));
      for await (const block of read(sheet.entry)) {
        reader.write(block);
        yield;
      }
      reader.end();
      yield;
    },
    close: () => {
      texts.close();
      zip.close();
    },
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

/** Bytes of texts that stay in memory. */
const KEPT_BYTES = 64 * 1024 ** 2;
/** Bytes that are written to the file at a time. */
const PIECE_BYTES = 64 * 1024;
/** Texts that a workbook may share: eight bytes of memory each. */
const MAX_TEXTS = 20_000_000;

/**
 * Texts by number, as a workbook keeps those of its cells: each once, all of them needed until the last row is read. The
 * first 64 MB stay in memory, the rest goes to a file without a name, which the system removes when it is closed.
 * @param folder where the file is made
 */
export function textTable(folder: string) {
  let kept = Buffer.allocUnsafeSlow(PIECE_BYTES);
  /** End of each text, in bytes from the first. */
  let ends = new Float64Array(1024);
  let count = 0;
  let file: { readonly descriptor: number; readonly start: number } | undefined;
  let unwritten: Buffer[] = [];
  let unwrittenBytes = 0;

  /** Throws TOO_LARGE. */
  function add(text: string): void {
    if (count === MAX_TEXTS)
      throw tooMany(
        'the workbook',
        MAX_TEXTS,
        'different texts',
        'Save the sheet with the rows as CSV, or split the workbook',
      );
    const bytes = Buffer.from(text);
    const start = ends[count - 1] ?? 0;
    const end = start + bytes.length;
    if (end > KEPT_BYTES) file ??= { descriptor: namelessFile(folder), start };
    if (file === undefined) {
      if (end > kept.length) kept = Buffer.concat([kept], Math.max(end, kept.length * 2));
      bytes.copy(kept, start);
    } else {
      unwritten.push(bytes);
      unwrittenBytes += bytes.length;
      if (unwrittenBytes >= PIECE_BYTES) write(file.descriptor);
    }
    if (count === ends.length) {
      const longer = new Float64Array(count * 2);
      longer.set(ends);
      ends = longer;
    }
    ends[count] = end;
    count += 1;
  }

  /** Undefined where no text has this number. */
  function get(index: number): string | undefined {
    const end = index < count ? ends[index] : undefined;
    if (end === undefined) return undefined;
    const start = ends[index - 1] ?? 0;
    if (file === undefined || end <= file.start) return kept.toString('utf8', start, end);
    write(file.descriptor);
    const bytes = Buffer.alloc(end - start);
    readSync(file.descriptor, bytes, 0, bytes.length, start - file.start);
    return bytes.toString();
  }

  function close(): void {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  }

  /** Writes behind what was written before. */
  function write(descriptor: number) {
    if (unwrittenBytes > 0) writeFileSync(descriptor, Buffer.concat(unwritten));
    unwritten = [];
    unwrittenBytes = 0;
  }

  return { add, get, close };
}

/** Opens a file for what does not fit into memory. It has no name any more: whatever happens, nothing is left of it. */
function namelessFile(folder: string) {
  const own = mkdtempSync(join(folder, 'passing-'));
  const file = openSync(join(own, 'file'), 'wx+', 0o600);
  rmSync(own, { recursive: true, force: true });
  return file;
}
