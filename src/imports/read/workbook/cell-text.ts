/** The format of a cell's number, as far as it changes an id or a date. */
export type NumberKind =
  | { readonly kind: 'plain' }
  /** Filled up with zeros in front: the format 00000. */
  | { readonly kind: 'zeros'; readonly digits: number }
  | { readonly kind: 'date' | 'time' };

export const PLAIN: NumberKind = { kind: 'plain' };
const DATE: NumberKind = { kind: 'date' };
const TIME: NumberKind = { kind: 'time' };

const DAY_MS = 86_400_000;
/** Day 0 of the two calendars of Excel. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** Characters of a format code; Excel allows no more. */
const MAX_FORMAT_LENGTH = 255;
const LAST_DAY = 2_958_465;

/** Formats that a workbook names by number only (ECMA-376, 18.8.30); those of Asian calendars are dates as well. */
export function builtInFormat(id: number): NumberKind {
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return DATE;
  return (id >= 18 && id <= 21) || (id >= 45 && id <= 47) ? TIME : PLAIN;
}

/** Returns the kind of a format code: `yyyy-mm-dd` a date, `00000` five digits at least. */
export function formatKind(code: string): NumberKind {
  const [first = ''] = code.slice(0, MAX_FORMAT_LENGTH).split(';');
  if (/^0{2,40}$/.test(first)) return { kind: 'zeros', digits: first.length };
  // Texts, colours, conditions, and characters that are literal or set a width.
  const letters = first.replace(/"[^"]*"|\[(?!h+\]|m+\]|s+\])[^\]]*\]|[\\_*]./gi, '').toLowerCase();
  if (letters.includes('general')) return PLAIN;
  if (/[yd]/.test(letters) || (letters.includes('m') && !/[hs]/.test(letters))) return DATE;
  return /[hs]/.test(letters) ? TIME : PLAIN;
}

/** The number of a cell as text: whole numbers with all the digits that the file has, dates as ISO 8601 says. */
export function numberText(written: string, format: NumberKind, from1904: boolean) {
  const number = Number(written);
  if (written.trim() === '' || !Number.isFinite(number)) return written;
  if (format.kind === 'date' || format.kind === 'time') return dateText(number, format.kind, from1904) ?? written;
  const text = wholeNumber(written) ?? String(Number.isInteger(number) ? number : rounded(number));
  return format.kind === 'zeros' && /^\d+$/.test(text) ? text.padStart(format.digits, '0') : text;
}

/** `12`, `-0.0` and `1.25E+2` as the digits of a whole number; undefined where it is not one. */
function wholeNumber(written: string) {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^\s*(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?\s*$/.exec(written) ?? [];
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  const zeros = Number(power) - end;
  if (whole === '' || zeros < 0) return undefined;
  return String(BigInt(sign + whole + fraction.slice(0, end) + '0'.repeat(zeros)));
}

/** With the fifteen digits that Excel shows: the file has 1.1 as 1.1000000000000001. */
function rounded(number: number) {
  return Number(number.toPrecision(15));
}

function dateText(serial: number, kind: 'date' | 'time', from1904: boolean) {
  if (serial < 0 || serial >= LAST_DAY + 1) return undefined;
  // The calendar of 1900 counts 29 February 1900, a day that never was: days before it are one less.
  const days = !from1904 && serial < 60 ? serial + 1 : serial;
  const ms = Math.round(days * 86_400) * 1000;
  const iso = new Date((from1904 ? EPOCH_1904 : EPOCH_1900) + ms).toISOString();
  const time = iso.slice(11, 19);
  if (kind === 'time') {
    const hours = Math.floor(Math.round(serial * 86_400) / 3600);
    return `${String(hours).padStart(2, '0')}${time.slice(2)}`;
  }
  return ms % DAY_MS === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** A workbook writes characters that XML cannot hold as `_x000D_`, and such a text itself as `_x005F_x000D_`. */
export function unescaped(text: string) {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const A = 'A'.charCodeAt(0);

/** 0-based column → `A`, `XFD`. */
export function columnLetters(column: number) {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(A + ((left - 1) % 26)) + letters;
  }
  return letters;
}

/** `B7` → 0-based column; -1 where it is not an address. */
export function columnOf(address: string) {
  let column = 0;
  for (let index = 0; index < address.length; index += 1) {
    const letter = address.charCodeAt(index) - A;
    if (letter < 0 || letter > 25) return index === 0 ? -1 : column - 1;
    column = column * 26 + letter + 1;
  }
  return -1;
}
