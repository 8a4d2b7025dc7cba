import { open } from 'node:fs/promises';
import { brotliDecompressSync, crc32, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { assembleLists, assembleNested } from 'hyparquet/src/assemble.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convert, convertWithDictionary } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import type {
  ColumnDecoder,
  ColumnMetaData,
  Compressors,
  DataPage,
  DecodedArray,
  Encoding,
  PageHeader,
  SchemaTree,
} from 'hyparquet/src/types.js';
import { flatten } from 'hyparquet/src/utils.js';
import { compressors } from 'hyparquet-compressors';
import { RAW_PARSERS } from './cell-json.ts';

/** Bytes that are read at once; a page that is larger is read in one piece. */
const WINDOW_BYTES = 64 * 1024;
/** The header of a page has its smallest and largest value, which may be long. */
const MAX_HEADER_BYTES = 1024 * 1024;

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

function native(unpack: Unpack): (bytes: Uint8Array, size: number) => Uint8Array {
  return (bytes, size) => (size === 0 ? new Uint8Array() : unpack(bytes, { maxOutputLength: size }));
}

/** Node's own codec, if it has one, is the fastest, and stops at the size that the page names. */
const CODECS: Compressors = {
  ...compressors,
  GZIP: native(gunzipSync),
  BROTLI: native(brotliDecompressSync),
  ZSTD: native(zstdDecompressSync),
};

/** One column of a row group, and where its bytes are. */
export interface PageOptions {
  readonly file: RandomBytes;
  /** From the root of the schema to the leaf. */
  readonly path: readonly SchemaTree[];
  readonly meta: ColumnMetaData;
  /** Told before a page is unpacked how much it will take. */
  readonly onPage: (bytes: number) => void;
}

/** The pages of one leaf in one row group, one after the other: what is held in memory is a page and the dictionary. */
export class ColumnPages {
  readonly #options: PageOptions;
  readonly #decoder: ColumnDecoder;
  readonly #end: number;
  readonly #levels: { readonly repetition: number; readonly definition: number };
  #offset: number;
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  #dictionary: DecodedArray | undefined;
  #left: number;

  constructor(options: PageOptions) {
    const { path, meta, file } = options;
    this.#options = options;
    const leaf = path.at(-1);
    if (leaf === undefined) throw new TypeError('a column without a place in the schema');
    const schemaPath = [...path];
    this.#decoder = {
      pathInSchema: meta.path_in_schema,
      element: leaf.element,
      schemaPath,
      parsers: RAW_PARSERS,
      utf8: false,
      compressors: CODECS,
      codec: meta.codec,
      type: meta.type,
    } as ColumnDecoder;
    this.#levels = { repetition: getMaxRepetitionLevel(schemaPath), definition: getMaxDefinitionLevel(schemaPath) };
    const { dictionary_page_offset: dictionary, data_page_offset: data } = meta;
    this.#offset = Number(dictionary === undefined || dictionary === 0n || dictionary > data ? data : dictionary);
    this.#end = this.#offset + Number(meta.total_compressed_size);
    if (!(this.#offset >= 0 && this.#end <= file.size)) throw new RangeError('it lies outside of the file');
    this.#left = Number(meta.num_values);
  }

  /** Returns the name in the schema, with its path. */
  get name(): string {
    return this.#decoder.pathInSchema.join('.');
  }

  /** Values of the next page, lists assembled; undefined at the end. @param before of a page whose last list may go on */
  async next(before?: DecodedArray): Promise<DecodedArray | undefined> {
    while (this.#left > 0) {
      const header = await this.#header();
      const size = checked(header.compressed_page_size, this.#end - this.#offset, 'bytes of a page');
      const bytes = await this.#bytes(size);
      this.#offset += size;
      if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0)
        throw new Error('the check sum of a page is wrong');
      const values = this.#values(header, bytes, before);
      if (values !== undefined) return values;
    }
    return undefined;
  }

  async #header(): Promise<PageHeader> {
    if (this.#offset >= this.#end) throw new RangeError(`${this.#left} values are missing`);
    for (let length = WINDOW_BYTES; ; length *= 16) {
      const bytes = await this.#bytes(Math.min(length, this.#end - this.#offset));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#offset += reader.offset;
        return header;
      } catch (error) {
        if (length >= MAX_HEADER_BYTES || bytes.length < length) throw error;
      }
    }
  }

  async #bytes(length: number): Promise<Buffer> {
    const at = this.#offset - this.#window.start;
    if (at < 0 || at + length > this.#window.bytes.length) {
      const wanted = Math.min(Math.max(length, WINDOW_BYTES), this.#end - this.#offset);
      this.#window = { start: this.#offset, bytes: await this.#options.file.read(this.#offset, wanted) };
      if (this.#window.bytes.length < wanted) throw new RangeError('the file ends in it');
      return this.#window.bytes.subarray(0, length);
    }
    return this.#window.bytes.subarray(at, at + length);
  }

  /** Undefined for a dictionary, or an index, which is not needed. */
  #values(header: PageHeader, bytes: Buffer, before: DecodedArray | undefined): DecodedArray | undefined {
    const { element, schemaPath, type, codec } = this.#decoder;
    const data = header.data_page_header_v2 ?? header.data_page_header;
    const count = checked((data ?? header.dictionary_page_header)?.num_values ?? 0, 0x7fff_ffff, 'values of a page');
    const size = checked(header.uncompressed_page_size, 0x7fff_ffff, 'unpacked bytes of a page');
    this.#options.onPage(size + count * VALUE_BYTES);
    if (header.type === 'DICTIONARY_PAGE') {
      const page = decompressPage(bytes, size, codec, CODECS);
      const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
      this.#dictionary = convert(readPlain(reader, type, count, element.type_length), this.#decoder);
      return undefined;
    }
    if (data === undefined) return undefined;
    this.#left -= count;
    const { definitionLevels, repetitionLevels, dataPage } = this.#decoded(header, bytes, size);
    const values = convertWithDictionary(dataPage, this.#dictionary, data.encoding, this.#decoder);
    const output = Array.isArray(before) ? before : [];
    return assembleLists(output, definitionLevels, repetitionLevels, values, schemaPath);
  }

  #decoded(header: PageHeader, bytes: Buffer, size: number): DataPage {
    const { codec } = this.#decoder;
    const { data_page_header: v1, data_page_header_v2: v2 } = header;
    const { repetition, definition } = this.#levels;
    if (v2 === undefined) {
      if (v1 === undefined) throw new TypeError('a page without a header');
      const page = decompressPage(bytes, size, codec, CODECS);
      let at = 0;
      let present = v1.num_values;
      for (const level of [repetition, definition]) {
        if (level === 0) continue;
        const length = viewOf(page).getUint32(at, true);
        present = countOf(level, page.subarray(at + 4, at + 4 + length), v1.num_values);
        at += 4 + length;
      }
      this.#checkValues(page.subarray(at), v1.encoding, definition === 0 ? v1.num_values : present);
      return readDataPage(page, v1, this.#decoder);
    }
    const nulls = checked(v2.num_nulls, v2.num_values, 'empty values of a page');
    const first = checked(v2.repetition_levels_byte_length, bytes.length, 'bytes of levels');
    const second = checked(v2.definition_levels_byte_length, bytes.length - first, 'bytes of levels');
    if (repetition > 0) countOf(repetition, bytes.subarray(0, first), v2.num_values);
    if (definition > 0) countOf(definition, bytes.subarray(first, first + second), v2.num_values);
    const packed = bytes.subarray(first + second);
    const page = v2.is_compressed === false ? packed : decompressPage(packed, size - first - second, codec, CODECS);
    this.#checkValues(page, v2.encoding, v2.num_values - nulls);
    const whole = Buffer.concat([bytes.subarray(0, first + second), page]);
    const plain = { ...header, uncompressed_page_size: whole.length };
    return readDataPageV2(whole, { ...plain, data_page_header_v2: { ...v2, is_compressed: false } }, this.#decoder);
  }

  /** A few bytes may stand for many, in runs and in texts that begin as the one before: checked before they are made. */
  #checkValues(page: Uint8Array, encoding: Encoding, count: number): void {
    if (count === 0) return;
    if (encoding === 'RLE') checkRuns(page.subarray(4), 1, count);
    else if (encoding.endsWith('_DICTIONARY')) {
      if (this.#dictionary === undefined) throw new TypeError('a page without its dictionary');
      checkRuns(page.subarray(1), page[0] ?? 0, count);
    } else if (encoding === 'DELTA_BYTE_ARRAY') {
      const reader = { view: viewOf(page), offset: 0 };
      const lengths = [new Int32Array(count), new Int32Array(count)];
      for (const all of lengths) deltaBinaryUnpack(reader, count, all);
      this.#options.onPage(lengths.reduce((sum, all) => all.reduce((bytes, length) => bytes + length, sum), 0));
    }
  }
}

/** A value in memory takes at least its place in a list. */
const VALUE_BYTES = 8;

/** Checks the levels of a page, and counts those that are the highest: the values that are not empty. */
function countOf(highest: number, bytes: Uint8Array, count: number): number {
  const width = 32 - Math.clz32(highest);
  if (checkRuns(bytes, width, count) < count) throw new RangeError('levels are missing');
  const levels = new Array<number>(count);
  readRleBitPackedHybrid({ view: viewOf(bytes), offset: 0 }, width, levels, bytes.length);
  return levels.reduce((present, level) => present + (level === highest ? 1 : 0), 0);
}

/** Values in runs, of which none may be longer than its page. Returns how many there are, up to `count`. */
function checkRuns(bytes: Uint8Array, width: number, count: number): number {
  if (width > 32) throw new RangeError(`values of ${width} bits`);
  let at = 0;
  let seen = 0;
  while (seen < count && at < bytes.length) {
    let header = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at] ?? 0;
      at += 1;
      header += (byte % 128) * shift;
      if (byte < 128 || shift > 2 ** 35) break;
    }
    const isPacked = header % 2 === 1;
    const groups = Math.floor(header / 2);
    if (!isPacked && groups > count - seen)
      throw new RangeError(`a run of ${groups} values where ${count - seen} are left`);
    at += isPacked ? groups * width : Math.ceil(width / 8);
    seen += isPacked ? groups * 8 : groups;
  }
  return Math.min(seen, count);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checked(value: number, most: number, what: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new RangeError(`${value} ${what}`);
}

/** All values of a column with a structure in one row group: a list may go on in the next page. */
export async function nestedValues(column: SchemaTree, leaves: readonly ColumnPages[]): Promise<DecodedArray> {
  const parts = new Map<string, DecodedArray>();
  for (const leaf of leaves) {
    const chunks: DecodedArray[] = [];
    for (let values = await leaf.next(); values !== undefined; values = await leaf.next(values)) {
      if (values !== chunks.at(-1)) chunks.push(values);
    }
    parts.set(leaf.name, flatten(chunks));
  }
  assembleNested(parts, column, RAW_PARSERS);
  return parts.get(column.path.join('.')) ?? [];
}

/** A file that is read at random places. */
export interface RandomBytes {
  readonly size: number;
  /** Fewer bytes only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): void;
}

export async function randomBytes(from: string | Buffer): Promise<RandomBytes> {
  if (typeof from !== 'string') {
    return {
      size: from.length,
      read: async (offset, length) => from.subarray(offset, offset + length),
      close: () => {},
    };
  }
  const file = await open(from);
  const { size } = await file.stat();
  return {
    size,
    read: async (offset, length) => {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    },
    // Nobody waits for this; what was read is there, and what is being read ends with an error.
    close: () => void file.close().catch(() => {}),
  };
}
