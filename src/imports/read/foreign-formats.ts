import { inputNames } from '../../options/input-kinds.ts';
import { IntakeError, type IntakeErrorCode } from './intake-error.ts';

interface ForeignFormat {
  readonly what: string;
  readonly remedy: string;
}

const UNPACK = (command: string) => `Unpack it on the way: ${command} <file> | rollcall import -`;
const EXPORT = 'Open it in the program that it comes from, and save the table as CSV';

const READABLE = `${inputNames('and')}, plain, gzipped or compressed with zstd`;

/** The first bytes of a file; `at`: their position. */
const SIGNATURES: readonly (readonly [bytes: Buffer, format: ForeignFormat, at?: number])[] = [
  [hex('504b0304'), notAtRandom('a workbook or a ZIP archive')],
  [Buffer.from('PAR1'), notAtRandom('a Parquet file')],
  [
    hex('d0cf11e0a1b11ae1'),
    {
      what: 'an old Excel workbook (.xls), an old Word document, or a document that a password protects',
      remedy: 'Open it in the program that it comes from, and save it as .xlsx without a password, or the table as CSV',
    },
  ],
  [Buffer.from('%PDF-'), { what: 'a PDF document', remedy: EXPORT }],
  [hex('fd377a585a00'), { what: 'compressed with xz', remedy: UNPACK('xz -dc') }],
  [hex('28b52ffd'), { what: 'compressed twice', remedy: UNPACK('zstd -dc') }],
  [hex('04224d18'), { what: 'compressed with lz4', remedy: UNPACK('lz4 -dc') }],
  [hex('1f9d'), { what: 'compressed with compress (.Z)', remedy: UNPACK('gzip -dc') }],
  [hex('314159265359'), { what: 'compressed with bzip2', remedy: UNPACK('bzip2 -dc') }, 4],
  [hex('377abcaf271c'), { what: 'a 7z archive', remedy: 'Unpack it with 7z, and import the file in it' }],
  [Buffer.from('Rar!\x1a\x07', 'latin1'), { what: 'a RAR archive', remedy: 'Unpack it, and import the file in it' }],
  [Buffer.from('ustar'), { what: 'a tar archive', remedy: UNPACK('tar -xOf') }, 257],
  [hex('1f8b'), { what: 'gzipped twice', remedy: UNPACK('gzip -dc') }],
  [Buffer.from('SQLite format 3\0'), { what: 'an SQLite database', remedy: 'Export its table as CSV' }],
  [
    hex('1e'),
    { what: 'a JSON text sequence (RFC 7464)', remedy: "Make it NDJSON: tr -d '\\036' < <file> | rollcall import -" },
  ],
  [hex('89504e470d0a1a0a'), { what: 'a PNG picture', remedy: 'Name the file with the rows' }],
  [hex('ffd8ff'), { what: 'a JPEG picture', remedy: 'Name the file with the rows' }],
];

/** Text of other kinds, by how it begins. */
const TEXTS: readonly (readonly [pattern: RegExp, format: ForeignFormat])[] = [
  [/^<(?:!doctype html|html|table|head|body)\b/i, { what: 'an HTML page', remedy: `${EXPORT}` }],
  [/^<\?xml\b/i, { what: 'XML', remedy: EXPORT }],
  [/^\{\\rtf/, { what: 'an RTF document', remedy: EXPORT }],
  [/^\/[/*]/, { what: 'JSON with comments', remedy: 'Remove the comments' }],
  [
    /^[\w$.]+\(\s*[[{]/,
    { what: 'JSONP, a function call around JSON', remedy: 'Remove the name and the brackets around it' },
  ],
];

function notAtRandom(what: string): ForeignFormat {
  return {
    what: `${what} that comes through a pipe or inside of another file`,
    remedy: 'Unpack what is around it, and name the file itself; standard input can be given as -',
  };
}

/** Throws BINARY for input that is not text, by its first bytes. */
export function refuseBinary(head: Buffer): void {
  if (isCompoundFile(head) && head.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw passwordProtected();
  for (const [bytes, format, at = 0] of SIGNATURES) {
    if (head.subarray(at, at + bytes.length).equals(bytes)) throw refused('BINARY', format);
  }
}

/** Throws OTHER_FORMAT for text that is recognised as neither CSV nor JSON. */
export function refuseOtherText(head: string): void {
  const start = head.trimStart();
  const found = TEXTS.find(([pattern]) => pattern.test(start));
  if (found !== undefined) throw refused('OTHER_FORMAT', found[1]);
}

function refused(code: IntakeErrorCode, { what, remedy }: ForeignFormat): IntakeError {
  return new IntakeError({
    code,
    what: `this is ${what}; rollcall reads ${READABLE}`,
    remedy,
  });
}

function isCompoundFile(head: Buffer): boolean {
  return head.subarray(0, 8).equals(hex('d0cf11e0a1b11ae1'));
}

/** Excel keeps an encrypted workbook inside a file of the old kind. */
function passwordProtected(): IntakeError {
  return new IntakeError({
    code: 'ENCRYPTED',
    what: 'this is a workbook that a password protects',
    remedy: 'Open it with its password, remove the password (File, Info, Protect Workbook), and save it again',
  });
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
