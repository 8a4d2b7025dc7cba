import type { RowProblem } from './input-row.ts';
import { MAX_DEPTH, shown } from './intake-error.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Numbers that may not survive JavaScript's own number type as they are written: long ones, decimals, exponents, -0. */
const DELICATE_NUMBER = /\d{16}|\d[.eE]|-0/;

/**
 * Finds the end of an object in pieces of text without parsing it: it counts brackets outside strings. The text between
 * them may be wrong in any other way.
 */
export class ObjectScanner {
  /** Levels that are open; 0 before the object and behind it. */
  depth = 0;
  deepest = 0;
  /** Keys of the object itself, repeated ones too. */
  keys = 0;
  #inString = false;
  #escaped = false;

  /**
   * Reads on at `from`. Gives the index behind the object's end, or -1 if it continues after this text. Stops early where
   * it gets too deep; with `arrays` also behind each `[` that opens a value of the object itself (depth is 2 then).
   */
  scan(text: string, from: number, arrays = false) {
    let inString = this.#inString;
    let escaped = this.#escaped;
    let end = -1;
    for (let index = from; index < text.length && end === -1; index += 1) {
      const code = text.charCodeAt(index);
      if (inString) {
        if (escaped) escaped = false;
        else if (code === BACKSLASH) escaped = true;
        else if (code === QUOTE) inString = false;
      } else if (code === QUOTE) inString = true;
      else if (code === COLON) {
        if (this.depth === 1) this.keys += 1;
      } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        this.depth += 1;
        if (this.depth > this.deepest) this.deepest = this.depth;
        if (this.deepest > MAX_DEPTH || (arrays && this.depth === 2 && code === OPEN_ARRAY)) end = index + 1;
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        this.depth -= 1;
        if (this.depth === 0) end = index + 1;
      }
    }
    this.#inString = inString;
    this.#escaped = escaped;
    return end;
  }
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** Parses a text that is not too deep. Numbers that JavaScript would change keep their spelling. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return DELICATE_NUMBER.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

function exactNumber(_key: string, value: unknown, context?: { source?: string }) {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

export function repetition(key: string): RowProblem {
  const reason = `the key ${shown(key)} is in this row more than once, and it is not clear which one counts`;
  return { column: key, value: '', code: 'REPEATED_KEY', reason };
}

/** The strings of a JSON text, each with a colon behind it where it is a key, and the brackets between them. */
const STRINGS_AND_BRACKETS = /("(?:[^"\\]|\\.)*")(\s*:)?|([[{])|[\]}]/g;

/** The first key that occurs more than once in an object's text; the text is valid JSON. */
export function repeatedKey(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  for (const [, string, colon, opens] of text.matchAll(STRINGS_AND_BRACKETS)) {
    if (string === undefined) depth += opens === undefined ? -1 : 1;
    else if (colon !== undefined && depth === 1) {
      const key = JSON.parse(string) as string;
      if (seen.has(key)) return key;
      seen.add(key);
    }
  }
  return undefined;
}
