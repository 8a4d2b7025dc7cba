import { parquetMetadata, parquetSchema } from 'hyparquet';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import type { DecodedArray, FileMetaData, RowGroup, SchemaTree } from 'hyparquet/src/types.js';
import { boundText } from '../../../options/bounds.ts';
import { BLOCK_BYTES, type InputBytes } from '../byte-source.ts';
import type { FileState } from '../file-state.ts';
import { type Bounds, FREE_UNPACKED, orRaise } from '../intake-bounds.ts';
import { IntakeError, shownPath } from '../intake-error.ts';
import { type CellJson, cellJson } from './cell-json.ts';
import { ColumnPages, nestedValues, type RandomBytes, randomBytes } from './column-pages.ts';

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';

interface ParquetOptions {
  readonly bounds: Bounds;
  readonly signal: AbortSignal | undefined;
  readonly onRead?: (() => void) | undefined;
}

/**
 * Opens a Parquet file, whose rows become NDJSON: an object for each, whose values are texts, lists and maps. Throws
 * PARQUET_BROKEN, ENCRYPTED, TOO_LARGE, TOO_MANY_COLUMNS.
 */
export async function openParquet(
  from: string | Buffer,
  name: string,
  state: FileState,
  options: ParquetOptions,
): Promise<InputBytes> {
  const file = await randomBytes(from);
  try {
    const metadata = await metadataOf(file, name, options.bounds);
    const rows = new ParquetRows(file, name, metadata, options);
    return {
      name,
      kind: 'parquet',
      get bytesRead() {
        return rows.bytesRead;
      },
      blocks: async function* () {
        yield* rows.blocks();
        await state.checkUnchanged(0);
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error instanceof IntakeError ? error : broken(name, error);
  }
}

async function metadataOf(file: RandomBytes, name: string, bounds: Bounds): Promise<FileMetaData> {
  const end = await file.read(Math.max(0, file.size - 8), 8);
  const magic = end.toString('latin1', 4);
  if (magic === ENCRYPTED) throw encrypted(name);
  if (magic !== MAGIC) throw broken(name, new Error('it does not end as a Parquet file does'));
  const size = end.readUInt32LE() + 8;
  if (size > file.size) throw broken(name, new Error('its footer is longer than the file'));
  if (size > bounds.element) {
    throw new IntakeError({
      code: 'TOO_LARGE',
      what: `the footer of ${shownPath(name)}, which describes its columns and row groups, is larger than ${boundText('element', bounds.element)}`,
      remedy: orRaise('Write fewer, larger row groups', 'element', bounds, size),
      facts: { most: bounds.element },
    });
  }
  const metadata = parquetMetadata(new Uint8Array(await file.read(file.size - size, size)), { geoparquet: false });
  if (metadata.row_groups.some(({ columns }) => columns.some((column) => column.crypto_metadata !== undefined))) {
    throw encrypted(name);
  }
  const columns = metadata.schema.filter(({ type }) => type !== undefined).length;
  if (columns > bounds.columns) {
    throw new IntakeError({
      code: 'TOO_MANY_COLUMNS',
      what: `${shownPath(name)} has ${columns} columns; allowed are ${bounds.columns}`,
      remedy: orRaise('Write it without the columns that are not needed', 'columns', bounds, columns),
      facts: { columns, most: bounds.columns },
    });
  }
  return metadata;
}

/** A column, and the pages of it that are being read. */
class Column {
  readonly name: string;
  readonly node: SchemaTree;
  readonly leaves: readonly (readonly SchemaTree[])[];
  readonly json: CellJson;
  readonly isFlat: boolean;
  values: DecodedArray = [];
  at = 0;
  pages: readonly ColumnPages[] = [];
  /** Bytes that its last page takes. */
  held = 0;

  constructor(node: SchemaTree, root: SchemaTree) {
    this.node = node;
    this.name = `${JSON.stringify(node.element.name)}:`;
    this.leaves = leavesOf(node).map(({ path }) => getTreePath(root, [...path]));
    // In this order: it takes the type of a leaf from the schema.
    this.json = cellJson(node);
    this.isFlat = isFlatColumn([root, node]);
  }

  get left(): number {
    return this.values.length - this.at;
  }

  /** Reads the next page, or all values of a row group where they have a structure. */
  async fill(): Promise<void> {
    this.at = 0;
    this.values = [];
    const [first] = this.pages;
    const values = this.isFlat ? await first?.next() : await nestedValues(this.node, this.pages);
    this.values = values ?? [];
    if (this.left === 0) throw new RangeError('it has fewer values than there are rows');
  }
}

function leavesOf(node: SchemaTree): SchemaTree[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}

class ParquetRows {
  bytesRead = 0;
  readonly #file: RandomBytes;
  readonly #fileName: string;
  readonly #groups: readonly RowGroup[];
  readonly #columns: readonly Column[];
  readonly #options: ParquetOptions;
  #text = 0;
  #row = 0;

  constructor(file: RandomBytes, name: string, metadata: FileMetaData, options: ParquetOptions) {
    const root = parquetSchema(metadata);
    this.#file = file;
    this.#fileName = name;
    this.#groups = metadata.row_groups;
    if (root.children.length === 0) throw new RangeError('it has no columns');
    this.#columns = root.children.map((node) => new Column(node, root));
    this.#options = options;
  }

  async *blocks(): AsyncGenerator<Buffer> {
    const { signal, onRead = () => {} } = this.#options;
    for (const [index, group] of this.#groups.entries()) {
      const place = `row group ${index + 1}`;
      this.#open(group, place);
      for (let left = Number(group.num_rows); left > 0; ) {
        signal?.throwIfAborted();
        for (const column of this.#columns) if (column.left === 0) await this.#fill(column, place);
        const count = this.#columns.reduce((least, column) => Math.min(least, column.left), left);
        yield* this.#rows(count, place);
        onRead();
        left -= count;
      }
      this.bytesRead += Number(group.total_compressed_size ?? 0n);
    }
    this.bytesRead = this.#file.size;
  }

  /** Begins a row group. The size of its pages is counted, and bounded. */
  #open(group: RowGroup, place: string): void {
    const { bounds } = this.#options;
    let chunk = 0;
    let held = 0;
    for (const column of this.#columns) {
      column.values = [];
      column.at = 0;
      column.held = 0;
      column.pages = column.leaves.map((path) => {
        const meta = group.columns[chunk]?.meta_data;
        chunk += 1;
        if (meta === undefined) throw this.#broken(new Error('a column is missing'), place, column);
        const onPage = (bytes: number) => {
          held += bytes - (column.isFlat ? column.held : 0);
          column.held = bytes;
          if (held > bounds.page) throw pageTooLarge(place, column.node.element.name, held, bounds);
        };
        try {
          return new ColumnPages({ file: this.#file, path, meta, onPage });
        } catch (error) {
          throw this.#broken(error, place, column);
        }
      });
    }
  }

  async #fill(column: Column, place: string): Promise<void> {
    try {
      await column.fill();
    } catch (error) {
      throw error instanceof IntakeError ? error : this.#broken(error, place, column);
    }
  }

  *#rows(count: number, place: string): Generator<Buffer> {
    let text = '';
    for (let row = 0; row < count; row += 1) {
      this.#row += 1;
      let line = '';
      for (const column of this.#columns) {
        line += `${line === '' ? '{' : ','}${column.name}`;
        try {
          const cell = column.json(column.values[column.at]);
          this.#text += cell.length;
          line += cell;
        } catch (error) {
          throw this.#broken(error, place, column);
        }
        column.at += 1;
      }
      text += `${line}}\n`;
      if (text.length < BLOCK_BYTES) continue;
      this.#checkText();
      yield Buffer.from(text);
      text = '';
    }
    this.#checkText();
    if (text !== '') yield Buffer.from(text);
  }

  /** A few bytes may stand for a billion rows. */
  #checkText(): void {
    const { bounds } = this.#options;
    const bound = this.#text > bounds.unpacked ? 'unpacked' : 'expansion';
    if (bound === 'expansion' && (this.#text <= FREE_UNPACKED || this.#text <= this.#file.size * bounds.expansion))
      return;
    const allowed = boundText(bound, bounds[bound]);
    const what =
      bound === 'unpacked'
        ? `the values are more than the ${allowed} that are allowed`
        : `the values are more than ${allowed} times the size of the file (${this.#file.size} bytes became ${this.#text}); a membership file hardly ever does`;
    throw new IntakeError({
      code: 'TOO_LARGE',
      place: `row ${this.#row}`,
      what,
      remedy: orRaise('Import the right file', bound, bounds),
      facts: { bytes: this.#text, most: bounds[bound] },
    });
  }

  #broken(error: unknown, place: string, column: Column): IntakeError {
    return broken(this.#fileName, error, `${place}, column ${column.name.slice(0, -1)}`);
  }
}

function pageTooLarge(place: string, column: string, bytes: number, bounds: Bounds): IntakeError {
  return new IntakeError({
    code: 'TOO_LARGE',
    place: `${place}, column ${JSON.stringify(column)}`,
    what: `reading it would take more than ${boundText('page', bounds.page)} of memory at once`,
    remedy: orRaise('Write smaller pages, or smaller row groups where a column has lists', 'page', bounds, bytes),
    facts: { bytes, most: bounds.page },
  });
}

function encrypted(name: string): IntakeError {
  return new IntakeError({
    code: 'ENCRYPTED',
    what: `${shownPath(name)} is an encrypted Parquet file`,
    remedy: 'Write it without encryption',
    facts: { file: name },
  });
}

function broken(name: string, cause: unknown, place?: string): IntakeError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new IntakeError({
    code: 'PARQUET_BROKEN',
    ...(place !== undefined && { place }),
    what: `the Parquet file ${shownPath(name)} cannot be read (${message})`,
    remedy: 'Transfer it again, or write it again with a usual program such as DuckDB, Spark or pyarrow',
    cause,
    facts: { file: name },
  });
}
