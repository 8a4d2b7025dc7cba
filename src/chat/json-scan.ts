/**
 * Walks over JSON in UTF-8 without building anything from it: several times cheaper than JSON.parse where almost nothing
 * of a long text is wanted. It is strict: what it walks over is JSON, JSON.parse would take it. The reverse does not
 * hold: where it gives NOT_WALKED, let JSON.parse decide.
 *
 * Bytes must be followed by a 0, which is in no JSON, so that nothing is read beyond the end.
 */

/** It is not JSON, or it is nested more than MAX_NESTED times. */
export const NOT_WALKED = -1;

const MAX_NESTED = 30;

export const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/** The first place from `at` on that is not white space. */
export function skipSpace(bytes: Uint8Array, at: number) {
  let place = at;
  for (;;) {
    const byte = bytes[place];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return place;
    place++;
  }
}

/** @param at the place after the opening quote. Gives the closing quote's; NOT_WALKED where anything is escaped. */
export function endOfPlainString(bytes: Uint8Array, at: number) {
  for (let place = at; ; place++) {
    const byte = bytes[place] ?? 0;
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH || byte < 0x20) return NOT_WALKED;
  }
}

/** @param at where an object's opening brace must be. Gives the quote of its first key, or its closing brace. */
export function enterObject(bytes: Uint8Array, at: number) {
  if (bytes[at] !== OPEN_OBJECT) return NOT_WALKED;
  const place = skipSpace(bytes, at + 1);
  return bytes[place] === QUOTE || bytes[place] === CLOSE_OBJECT ? place : NOT_WALKED;
}

/** @param at the place after a value in an object. Gives the quote of the next key, or the object's closing brace. */
export function nextKey(bytes: Uint8Array, at: number) {
  const place = skipSpace(bytes, at);
  if (bytes[place] === CLOSE_OBJECT) return place;
  if (bytes[place] !== COMMA) return NOT_WALKED;
  const key = skipSpace(bytes, place + 1);
  return bytes[key] === QUOTE ? key : NOT_WALKED;
}

/** @param at the first byte of a value. Gives the place after it. @param nested the objects and lists around it */
export function endOfValue(bytes: Uint8Array, at: number, nested = 0): number {
  const byte = bytes[at];
  if (byte === QUOTE) return endOfString(bytes, at + 1);
  const isObject = byte === OPEN_OBJECT;
  if (!isObject && byte !== OPEN_LIST) return endOfScalar(bytes, at);
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === close) return place + 1;
  if (nested === MAX_NESTED) return NOT_WALKED;
  for (;;) {
    if (isObject) place = endOfKey(bytes, place);
    if (place >= 0) place = endOfValue(bytes, place, nested + 1);
    if (place < 0) return NOT_WALKED;
    place = skipSpace(bytes, place);
    if (bytes[place] === close) return place + 1;
    if (bytes[place] !== COMMA) return NOT_WALKED;
    place = skipSpace(bytes, place + 1);
  }
}

/** @param at where a key's opening quote must be. Gives the first byte of its value. */
function endOfKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NOT_WALKED;
  const end = endOfString(bytes, at + 1);
  return end < 0 ? NOT_WALKED : startOfValue(bytes, end);
}

/** @param at the place after a key. Gives the first byte of its value. */
export function startOfValue(bytes: Uint8Array, at: number) {
  const colon = skipSpace(bytes, at);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : NOT_WALKED;
}

/** @param at the place after the opening quote. Gives the place after the closing one. */
function endOfString(bytes: Uint8Array, at: number) {
  let place = at;
  for (;;) {
    const byte = bytes[place] ?? 0;
    place++;
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) place = endOfEscape(bytes, place);
    if (byte < 0x20 || place < 0) return NOT_WALKED;
  }
}

const SHORT_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));

/** @param at the place after the backslash */
function endOfEscape(bytes: Uint8Array, at: number) {
  if (SHORT_ESCAPES.has(bytes[at])) return at + 1;
  if (bytes[at] !== 0x75) return NOT_WALKED;
  for (let place = at + 1; place <= at + 4; place++) if (!isHex(bytes[place] ?? 0)) return NOT_WALKED;
  return at + 5;
}

function isHex(byte: number) {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

export function isDigit(byte: number | undefined) {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** The place after a number, or one of the words. */
function endOfScalar(bytes: Uint8Array, at: number) {
  if (isDigit(bytes[at]) || bytes[at] === MINUS) return endOfNumber(bytes, at);
  for (const word of WORDS)
    if (bytes[at] === word[0]) return startsWith(bytes, at, word) ? at + word.length : NOT_WALKED;
  return NOT_WALKED;
}

export function startsWith(bytes: Uint8Array, at: number, word: Uint8Array) {
  for (let nth = 0; nth < word.length; nth++) if (bytes[at + nth] !== word[nth]) return false;
  return true;
}

function endOfNumber(bytes: Uint8Array, at: number) {
  let place = bytes[at] === MINUS ? at + 1 : at;
  // A zero in front stands alone.
  place = bytes[place] === 0x30 ? place + 1 : endOfDigits(bytes, place);
  if (bytes[place] === 0x2e) place = endOfDigits(bytes, place + 1);
  if (((bytes[place] ?? 0) | 0x20) === 0x65) {
    place++;
    if (bytes[place] === 0x2b || bytes[place] === MINUS) place++;
    place = endOfDigits(bytes, place);
  }
  return place;
}

/** Returns the end of a run of at least one digit. */
function endOfDigits(bytes: Uint8Array, at: number) {
  let place = at;
  while (isDigit(bytes[place])) place++;
  return place === at ? NOT_WALKED : place;
}
