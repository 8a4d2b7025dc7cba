import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import iconv from 'iconv-lite';
import { detectEncoding } from '../../imports/read/decode.ts';
import { type Compression, compressionOf } from '../../imports/read/decompress.ts';
import { notReadable } from '../../imports/read/intake-error.ts';

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
  const file = await open(path).catch((error: unknown) => {
    throw notReadable(path, 'be opened', error);
  });
  try {
    if (!(await file.stat()).isFile()) return await headOf(Buffer.alloc(0), encoding);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return await headOf(buffer.subarray(0, bytesRead), encoding);
  } finally {
    await file.close();
  }
}

export async function headOf(bytes: Buffer, encoding: string | undefined): Promise<Head> {
  const compression = compressionOf(bytes);
  const plain = (compression === undefined ? bytes : await unpacked(bytes, compression)).subarray(0, HEAD);
  const text = textOf(plain, encoding);
  const lines = text.split(/\r\n|\n|\r/).slice(0, LINES);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return { compression, text, firstLines: lines.map((line) => [...line.slice(0, MAX_LINE_LENGTH)].join('')) };
}

/** Unpacks as much as possible. */
async function unpacked(bytes: Buffer, compression: Compression): Promise<Buffer> {
  const inflated = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of Readable.from([bytes]).pipe(inflated) as AsyncIterable<Buffer>) {
      length += pieces.push(piece) && piece.length;
      if (length >= HEAD) break;
    }
  } catch {
    // The beginning of a gzipped file breaks off somewhere.
  }
  return Buffer.concat(pieces);
}

function textOf(bytes: Buffer, asked: string | undefined): string {
  try {
    const { name, bomBytes } = detectEncoding(bytes, asked);
    const text = iconv.decode(bytes.subarray(bomBytes), name);
    return isText(text.slice(0, 1_000)) ? text : '';
  } catch {
    return '';
  }
}

/** Text has no control characters other than tabs and line ends. */
function isText(text: string): boolean {
  // Many bytes are not characters: it is something else, such as a PDF document.
  if (/^%PDF-|\uFFFD{4}/.test(text)) return false;
  return ![...text].some((character) => character < '\t' || (character > '\r' && character < '\u001b'));
}
