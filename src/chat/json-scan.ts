/**
 * Walks over JSON in UTF-8 without building anything from it: several times cheaper than JSON.parse where almost nothing
 * of a long text is wanted. What is passed over is not checked beyond its quotes and brackets. A SyntaxError means that the
 * text is not JSON, or not plain: let JSON.parse decide.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
const BACKSLASH = 0x5c;
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
    if (bytes[place] !== QUOTE) throw notPlain();
    const key = place + 1;
    const keyEnd = endOfKey(bytes, key);
    const colon = skipSpace(bytes, keyEnd + 1);
    if (bytes[colon] !== COLON) throw notPlain();
    place = skipSpace(bytes, visit(key, skipSpace(bytes, colon + 1), keyEnd));
    if (bytes[place] === CLOSE_OBJECT) return place + 1;
    if (bytes[place] !== COMMA) throw notPlain();
    place = skipSpace(bytes, place + 1);
  }
}

/** @param at the first byte of a value. Gives the place after it, and after white space behind it. */
export function endOfValue(bytes: Uint8Array, at: number): number {
  let nested = 0;
  for (let place = at; ; place++) {
    const byte = bytes[place];
    if (byte === undefined) throw notPlain();
    if (byte === QUOTE) place = endOfString(bytes, place + 1);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) nested++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (nested === 0) return place;
      nested--;
    } else if (byte === COMMA && nested === 0) return place;
  }
}

/** @param at the place after the opening quote. Gives that of the closing one. */
function endOfString(bytes: Uint8Array, at: number) {
  for (let place = at; ; place++) {
    const byte = bytes[place];
    if (byte === undefined) throw notPlain();
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) place++;
  }
}

function endOfKey(bytes: Uint8Array, at: number) {
  for (let place = at; ; place++) {
    const byte = bytes[place];
    if (byte === undefined) throw notPlain();
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) throw notPlain();
  }
}

export function startsWith(bytes: Uint8Array, at: number, word: Uint8Array) {
  for (let nth = 0; nth < word.length; nth++) if (bytes[at + nth] !== word[nth]) return false;
  return true;
}
