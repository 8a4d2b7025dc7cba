import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { option, words } from '../../errors/named-options.ts';
import { intakeError, shown } from './intake-error.ts';

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface Encoding {
  /** `utf-8`, `utf-16le`, `utf-16be`, or the name that was asked for. */
  readonly name: string;
  /** Bytes of a UTF-8 byte order mark; the decoder handles the marks of other encodings. */
  readonly bomBytes: number;
}

const BYTE_ORDER_MARKS: ReadonlyArray<readonly [string, Buffer]> = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/**
 * The encoding of an input that starts with `head`: what was asked for, else what the byte order mark says, else UTF-8.
 * Throws UNKNOWN_ENCODING; BAD_ENCODING for UTF-16 without mark and without being asked for; BINARY for other NUL bytes.
 */
export function detectEncoding(head: Buffer, asked: string | undefined): Encoding {
  const mark = BYTE_ORDER_MARKS.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes))?.[0];
  if (asked !== undefined && !/^utf-?8$/i.test(asked)) {
    if (!iconv.encodingExists(asked)) {
      throw intakeError(
        'UNKNOWN_ENCODING',
        `the encoding ${shown(asked)} is not known; allowed are utf-8, utf-16le, utf-16be, windows-1252, iso-8859-15, shift_jis, gb18030 and the like`,
        words`Name the encoding with which the file was written, or leave ${option('encoding')} out for UTF-8`,
        { encoding: asked },
      );
    }
    if (!/^(utf|ucs)/i.test(asked)) refuseNul(head);
    return { name: asked, bomBytes: 0 };
  }
  if (mark !== undefined && mark !== 'utf-8') {
    if (asked === undefined) return { name: mark, bomBytes: 0 };
  } else refuseNul(head);
  return { name: 'utf-8', bomBytes: mark === 'utf-8' ? 3 : 0 };
}

function refuseNul(head: Buffer) {
  if (!head.includes(0)) return;
  const guess = utf16WithoutMark(head);
  if (guess !== undefined) {
    throw intakeError(
      'BAD_ENCODING',
      `every second byte is NUL and there is no byte order mark: this looks like ${guess.toUpperCase()}, not UTF-8`,
      words`Import it with ${option('encoding', guess)}, or save it as UTF-8`,
      { place: `byte ${head.indexOf(0)}`, encoding: guess },
    );
  }
  throw intakeError(
    'BINARY',
    'there is a NUL byte where text is expected: this is not a text file',
    'Save it as CSV or JSON, plain or gzipped',
    { place: `byte ${head.indexOf(0)}` },
  );
}

/** Latin letters in UTF-16 have a NUL as every second byte; other binary data has them anywhere. */
function utf16WithoutMark(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const nulsFrom = (first: number) => head.filter((byte, at) => byte === 0 && at % 2 === first).length;
  const [even, odd] = [nulsFrom(0), nulsFrom(1)];
  const most = (head.length / 2) * 0.4;
  const few = (head.length / 2) * 0.1;
  if (odd > most && even < few) return 'utf-16le';
  return even > most && odd < few ? 'utf-16be' : undefined;
}

/**
 * Blocks of any encoding → blocks of valid UTF-8, whole characters each, without byte order mark.
 * Throws BAD_ENCODING with line, byte offset and byte when the input is not valid UTF-8; single characters that
 * another encoding does not know become U+FFFD.
 */
export function decode(blocks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  return encoding.name === 'utf-8' ? validUtf8(blocks, encoding.bomBytes) : converted(blocks, encoding);
}

/** The beginning of a character that the end of a block cuts, or nothing. Other bytes are refused with their block. */
const CUT_CHARACTER = /^(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})?$/;

/** The first block holds the whole byte order mark, however the source cut it: it comes from readHead. */
async function* validUtf8(blocks: AsyncIterable<Buffer>, bomBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer = NOTHING;
  let skip = bomBytes;
  let offset = bomBytes;
  let line = 1;
  for await (const block of blocks) {
    const bytes = rest.length === 0 ? block.subarray(skip) : Buffer.concat([rest, block]);
    skip = 0;
    const whole = [0, 1, 2, 3].map((cut) => bytes.subarray(0, bytes.length - cut)).find(isUtf8);
    rest = bytes.subarray(whole?.length);
    if (whole === undefined || !CUT_CHARACTER.test(rest.toString('latin1'))) throw notUtf8(bytes, offset, line);
    offset += whole.length;
    line += countLines(whole);
    if (whole.length > 0) yield whole;
  }
  if (rest.length > 0) throw notUtf8(rest, offset, line);
}

function countLines(bytes: Buffer) {
  let lines = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    if (bytes[index] === LINE_FEED) lines += 1;
  }
  return lines;
}

function notUtf8(bytes: Buffer, offset: number, line: number) {
  // Broken bytes are decoded as U+FFFD: the copy is the same up to the first of them, or to a byte of it.
  const copy = Buffer.from(bytes.toString());
  let bad = 0;
  while (bad < bytes.length && bytes[bad] === copy[bad]) bad += 1;
  while (!isUtf8(bytes.subarray(0, bad))) bad -= 1;
  const byte = (bytes[bad] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return intakeError(
    'BAD_ENCODING',
    `the byte 0x${byte} is not valid UTF-8 here`,
    words`Name the encoding of the file, for instance ${option('encoding', 'windows-1252')}, or save it as UTF-8`,
    { place: `line ${line + countLines(bytes.subarray(0, bad))}, byte ${offset + bad}`, byte: offset + bad },
  );
}

async function* converted(blocks: AsyncIterable<Buffer>, encoding: Encoding) {
  const decoder = iconv.getDecoder(encoding.name);
  let half = '';
  let bytes = 0;
  for await (const block of blocks) {
    bytes += block.length;
    const text = half + decoder.write(block);
    // A character outside the basic plane is two UTF-16 units, which a block may cut in two.
    const last = text.charCodeAt(text.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    half = text.slice(cut);
    if (cut > 0) yield Buffer.from(text.slice(0, cut));
  }
  const unit = /^(utf-?32|ucs-?4)/i.test(encoding.name) ? 4 : /^(utf-?16|ucs-?2)/i.test(encoding.name) ? 2 : 1;
  if (bytes % unit !== 0) {
    throw intakeError(
      'BAD_ENCODING',
      `the file ends in the middle of a character: ${encoding.name.toUpperCase()} has ${unit} bytes for each, and the file has ${bytes}`,
      words`Transfer it again, it may have been cut off; or name its encoding with ${option('encoding')}`,
      { place: `byte ${bytes}`, encoding: encoding.name, bytes },
    );
  }
  const end = half + (decoder.end() ?? '');
  if (end.length > 0) yield Buffer.from(end);
}
