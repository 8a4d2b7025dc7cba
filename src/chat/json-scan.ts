/**
 * Walks over JSON in UTF-8 without building anything from it, which takes two thirds of the time of JSON.parse where almost
 * nothing of a long text is wanted. It is strict: what it walks over is JSON. A SyntaxError means that the text is not JSON, or not
 * plain: let JSON.parse decide.
 */

/** The greatest depth of objects and lists in a value that is passed over. */
const MAX_NESTED = 30;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export function notPlain() {
  return new SyntaxError('this is not plain JSON');
}

/** The first place from `at` on that is not white space. */
export function skipSpace(bytes: Uint8Array, at: number) {
  let place = at;
  for (;;) {
    const byte = bytes[place];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return place;
    place++;
  }
}

/**
 * Walks over the fields of an object, whose keys have no escapes; gives the place after it.
 * @param at where its opening brace must be
 * @param visit is given the first byte of a key, that of its value, and where the key ends; it gives the place after the value
 */
export function walkObject(
  bytes: Uint8Array,
  at: number,
  visit: (key: number, value: number, keyEnd: number) => number,
): number {
  if (bytes[at] !== OPEN_OBJECT) throw notPlain();
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === CLOSE_OBJECT) return place + 1;
  for (;;) {
    const keyEnd = endOfKey(bytes, place);
    place = skipSpace(bytes, visit(place + 1, startOfValue(bytes, keyEnd), keyEnd));
    if (bytes[place] === CLOSE_OBJECT) return place + 1;
    if (bytes[place] !== COMMA) throw notPlain();
    place = skipSpace(bytes, place + 1);
  }
}

/** Gives the place after a value. (`walkObject` would take twice as long.) @param nested objects and lists around it */
export function endOfValue(bytes: Uint8Array, at: number, nested = 0): number {
  const byte = bytes[at];
  if (byte === QUOTE) return endOfString(bytes, at);
  const isObject = byte === OPEN_OBJECT;
  if (!isObject && byte !== OPEN_LIST) return endOfScalar(bytes, at);
  if (nested === MAX_NESTED) throw notPlain();
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === close) return place + 1;
  for (;;) {
    if (isObject) place = startOfValue(bytes, endOfKey(bytes, place));
    place = skipSpace(bytes, endOfValue(bytes, place, nested + 1));
    if (bytes[place] === close) return place + 1;
    if (bytes[place] !== COMMA) throw notPlain();
    place = skipSpace(bytes, place + 1);
  }
}

/** @param at the closing quote of a key. Gives the first byte of its value. */
function startOfValue(bytes: Uint8Array, at: number) {
  const colon = skipSpace(bytes, at + 1);
  if (bytes[colon] !== COLON) throw notPlain();
  return skipSpace(bytes, colon + 1);
}

/** @param at its opening quote */
function endOfString(bytes: Uint8Array, at: number) {
  let hasEscapes = false;
  for (let place = at + 1; ; place++) {
    const byte = bytes[place];
    if (byte === undefined || byte < 0x20) throw notPlain();
    if (byte === QUOTE) return hasEscapes ? parsed(bytes, at, place + 1) : place + 1;
    if (byte !== BACKSLASH) continue;
    hasEscapes = true;
    place++;
  }
}

/** A number, or one of the words. */
function endOfScalar(bytes: Uint8Array, at: number) {
  let place = at;
  while (isDigit(bytes[place])) place++;
  const isPlain = place > at && bytes[at] !== ZERO && !IN_NUMBER.has(bytes[place]);
  if (isPlain) return place;
  for (const word of WORDS) if (startsWith(bytes, at, word)) return at + word.length;
  while (IN_NUMBER.has(bytes[place])) place++;
  return parsed(bytes, at, place);
}

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

const IN_NUMBER: ReadonlySet<number | undefined> = new Set(Buffer.from('0123456789+-.eE'));

function isDigit(byte = 0) {
  return byte >= ZERO && byte <= 0x39;
}

/** Short and rare: its rules are those of JSON.parse. */
function parsed(bytes: Uint8Array, from: number, to: number) {
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'));
  return to;
}

/** @param at where its opening quote must be. Gives the closing one: it has no escapes. */
function endOfKey(bytes: Uint8Array, at: number) {
  if (bytes[at] !== QUOTE) throw notPlain();
  for (let place = at + 1; ; place++) {
    const byte = bytes[place];
    if (byte === undefined || byte < 0x20 || byte === BACKSLASH) throw notPlain();
    if (byte === QUOTE) return place;
  }
}

export function startsWith(bytes: Uint8Array, at: number, word: Uint8Array) {
  for (let nth = 0; nth < word.length; nth++) if (bytes[at + nth] !== word[nth]) return false;
  return true;
}
