import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import iconv from 'iconv-lite';
import { mapLookups } from '../../options/lookups.ts';
import { firstBytes } from '../../platform/files.ts';
import type { IntakeSource } from './byte-source.ts';
import { detectEncoding } from './decode.ts';
import { type Compression, compressionOf, decompress } from './decompress.ts';
import type { InputRow } from './input-row.ts';
import { openIntake } from './intake.ts';
import { boundsWith, type IntakeError, isIntakeError, notReadable } from './intake-error.ts';
import type { Intake, IntakeOptions } from './intake-options.ts';
import type { IntakeNote } from './notes.ts';
import type { Lookup, Lookups } from './shape/parties.ts';
import type { Sheet } from './workbook/workbook.ts';

/** Bytes of the beginning of a file that are looked at. */
const HEAD = 64 * 1024;
/** Most characters of a line, and most lines, that are shown. */
const MAX_LINE_LENGTH = 200;
const LINES = 5;

/** The beginning of a file, as far as it is text. */
export interface Head {
  readonly compression: Compression | undefined;
  /** Empty where it is not text. */
  readonly text: string;
  readonly firstLines: readonly string[];
}

/** A folder has none. */
export async function headOfFile(path: string, encoding: string | undefined): Promise<Head> {
  const bytes = async () => ((await stat(path)).isFile() ? firstBytes(path, HEAD) : Buffer.alloc(0));
  return headOf(
    await bytes().catch((error: unknown) => {
      throw notReadable(path, 'be opened', error);
    }),
    encoding,
  );
}

export async function headOf(bytes: Buffer, encoding: string | undefined): Promise<Head> {
  const compression = compressionOf(bytes);
  const { bytes: plain } = await unpacked(bytes, HEAD);
  const isClosed = compression !== undefined && plain === bytes;
  const text = isClosed ? '' : decodedText(plain.subarray(0, HEAD), encoding);
  const lines = text.split(/\r\n|\n|\r/).slice(0, LINES);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return { compression, text, firstLines: lines.map((line) => [...line.slice(0, MAX_LINE_LENGTH)].join('')) };
}

/**
 * The first bytes, `most` or a few more, of what is in a compressed file, as far as they can be unpacked. A file that gives
 * none is passed on as it is: reading it gives the error.
 */
export async function unpacked(bytes: Buffer, most: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const compression = compressionOf(bytes);
  if (compression === undefined) return { bytes, isCut: false };
  const pieces: Buffer[] = [];
  let length = 0;
  let isCut = false;
  try {
    for await (const piece of decompress(Readable.from([bytes]), compression, boundsWith(), undefined)) {
      pieces.push(piece);
      length += piece.length;
      if (length >= most) {
        isCut = true;
        break;
      }
    }
  } catch {
    isCut = true;
  }
  return length === 0 ? { bytes, isCut } : { bytes: Buffer.concat(pieces), isCut };
}

function decodedText(bytes: Buffer, asked: string | undefined) {
  try {
    const { name, bomBytes } = detectEncoding(bytes, asked);
    const text = iconv.decode(bytes.subarray(bomBytes), name);
    return isText(text.slice(0, 1_000)) ? text : '';
  } catch {
    return '';
  }
}

/** Text has no control characters other than tabs and line ends. */
function isText(text: string) {
  // Many bytes are not characters: it is something else, such as a PDF document.
  if (/^%PDF-|\uFFFD{4}/.test(text)) return false;
  return ![...text].some((character) => character < '\t' || (character > '\r' && character < '\u001b'));
}

/** The beginning of a file as it is read: nothing of an intake where it cannot be opened. */
export interface ReadBeginning extends Partial<Pick<Intake, 'format' | 'kind' | 'encoding' | 'delimiter'>> {
  readonly sheets: readonly Sheet[];
  readonly notes: readonly IntakeNote[];
  readonly names: readonly string[];
  readonly recognised: Readonly<Record<string, string>>;
  readonly rows: readonly InputRow[];
  /** The reason why it cannot be read: at all, or behind these rows. */
  readonly refusal: IntakeError | undefined;
}

/** Identity and group file are not read for a look at the first rows. */
const KNOWN: Lookup = { find: () => [{ id: 'known' }] };
export const NOT_READ = ({ shape }: IntakeOptions): Lookups => mapLookups(shape ?? {}, () => KNOWN);

/** @param most rows that are looked at */
export async function lookAt(source: IntakeSource, options: IntakeOptions, most: number): Promise<ReadBeginning> {
  let intake: Intake | undefined;
  let refusal: IntakeError | undefined;
  let sheets: readonly Sheet[] = [];
  const onSheets = (found: readonly Sheet[]) => {
    sheets = found;
  };
  const rows: InputRow[] = [];
  try {
    intake = await openIntake(source, { ...options, onSheets });
    for await (const chunk of intake.chunks()) {
      rows.push(...chunk.slice(0, most - rows.length));
      if (rows.length >= most) break;
    }
  } catch (error) {
    if (!isIntakeError(error)) throw error;
    refusal = error;
  }
  return {
    ...intake,
    sheets,
    notes: intake?.notes() ?? [],
    names: intake?.columns() ?? [],
    recognised: intake?.recognised() ?? {},
    rows,
    refusal,
  };
}
