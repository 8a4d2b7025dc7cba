import { jsonParser } from 'stream-json/parser.js';
import { messageOf } from '../../errors/message-of.ts';
import { option, type Words, words } from '../../errors/named-options.ts';
import { fieldByAlias } from './columns.ts';
import {
  chunked,
  type Element,
  type Elements,
  hasMemberLists,
  isMemberList,
  keysOf,
  tooDeep,
  wrongShape,
} from './element.ts';
import type { InputRow } from './input-row.ts';
import { type Bounds, IntakeError, MAX_DEPTH, shown, tooLong } from './intake-error.ts';
import { ObjectScanner, parseJson } from './json-text.ts';
import { refusePage } from './next-page.ts';

/**
 * Rows of a JSON document in UTF-8: an array of elements, an object with one array of elements (`{"data": […]}`), or
 * one object that is a row or in the service's own shape. Holds one element in memory at a time, however large the
 * document is. Throws JSON_BROKEN and JSON_SHAPE with the element, ROW_TOO_LONG, and the errors of Columns.
 */
export async function* jsonRows(
  blocks: AsyncIterable<Buffer>,
  reader: Elements,
  bounds: Bounds,
): AsyncGenerator<InputRow[]> {
  const document = new JsonDocument(reader, bounds);
  for await (const block of blocks) yield* chunked(document.read(block));
  document.finish();
  reader.finish();
}

/**
 * The parser's state: before the document; where an element may come, must come or has come; inside one; inside
 * the outermost object; after the `[` of one of its values; after the document.
 */
type Position = 'start' | 'first' | 'next' | 'behind' | 'inside' | 'object' | 'array' | 'end';

/** Cuts a document into the texts of its elements, which JSON.parse reads. */
class JsonDocument {
  readonly #reader: Elements;
  readonly #bounds: Bounds;
  #position: Position = 'start';
  /** Scanners of the element and of the outermost object. */
  readonly #element = new ObjectScanner();
  readonly #outer = new ObjectScanner();
  /** The part of the current element from earlier blocks. */
  #started = '';
  /** The outermost object without its elements; undefined where the document is an array. */
  #outerText: string | undefined;
  /** The place at which the elements were cut out of it, and their number of bytes. */
  #cut: { readonly at: number; bytes: number } | undefined;
  /** Property of the outermost object that holds the elements. */
  #property: string | undefined;
  #elements = 0;
  /** Offset of this block, and of the element or outermost object that is being read. */
  #offset = 0;
  #start = 0;
  #outerStart = 0;
  #text = '';
  #bytes = 0;
  /** The number of bytes of this block's text up to an index. */
  #counted = { index: 0, bytes: 0 };

  constructor(reader: Elements, bounds: Bounds) {
    this.#reader = reader;
    this.#bounds = bounds;
  }

  *read(block: Buffer): Generator<InputRow> {
    this.#text = block.toString();
    this.#bytes = block.length;
    this.#counted = { index: 0, bytes: 0 };
    for (let index = 0; index < this.#text.length; ) {
      if (this.#position === 'inside') {
        const end = this.#element.scan(this.#text, index);
        this.#take(index, end);
        index = end === -1 ? this.#text.length : end;
        if (this.#position !== 'inside') yield* this.#rows(this.#started, this.#element.keys);
      } else if (this.#position === 'object') {
        const end = this.#outer.scan(this.#text, index, true);
        this.#takeOuter(index, end);
        index = end === -1 ? this.#text.length : end;
        if (this.#outer.depth === 0) yield* this.#outermost();
      } else {
        index = this.#between(index);
      }
    }
    this.#offset += block.length;
    this.#text = '';
  }

  finish(): void {
    if (this.#position === 'end') return;
    const text = this.#position === 'inside' ? this.#started : this.#outerText;
    if (text !== undefined) this.#throwMistake(text);
    const element = this.#position === 'inside' ? this.#elements : this.#elements + 1;
    throw broken(element, this.#offset, 'the document ends in the middle');
  }

  /** The next character outside the element and the outermost object's own text. */
  #between(index: number) {
    const character = this.#text.charAt(index);
    if (/[ \t\r\n]/.test(character)) {
      if (this.#position === 'array') this.#outerText += character;
      return index + 1;
    }
    switch (this.#position) {
      case 'start':
        if (character === '[') this.#position = 'first';
        else if (character === '{') return this.#open('object', index);
        else throw this.#other('the document', index);
        return index + 1;
      case 'array':
        // The first character behind `[` tells whether these are the elements or a value like any other.
        if (character === '{' && !this.#reader.isOpened?.(this.#currentProperty())) {
          this.#enterElements(index);
          return this.#open('inside', index);
        }
        this.#position = 'object';
        return index;
      case 'first':
      case 'next':
        if (character === '{') return this.#open('inside', index);
        if (character === ']' && this.#position === 'first') return this.#closeElements(index);
        throw this.#other('it', index);
      case 'behind':
        if (character === ']') return this.#closeElements(index);
        if (character !== ',') throw this.#unexpected(index, 'a comma or ] must follow an element');
        this.#position = 'next';
        return index + 1;
      default:
        throw this.#unexpected(index, 'nothing may follow the end of the document', this.#manyDocuments(character));
    }
  }

  #open(position: 'inside' | 'object', index: number) {
    this.#position = position;
    if (position === 'object') {
      this.#outerStart = this.#offsetOf(index);
      this.#outerText = '';
      return index;
    }
    this.#start = this.#offsetOf(index);
    this.#started = '';
    this.#element.reset();
    this.#elements += 1;
    return index;
  }

  #take(from: number, end: number) {
    this.#started += this.#text.slice(from, end === -1 ? undefined : end);
    this.#checkSize(this.#element, this.#started, this.#endOf(end) - this.#start);
    if (end !== -1) this.#position = 'behind';
  }

  #takeOuter(from: number, end: number) {
    this.#outerText += this.#text.slice(from, end === -1 ? undefined : end);
    this.#checkSize(this.#outer, this.#outerText ?? '', this.#endOf(end) - this.#outerStart - (this.#cut?.bytes ?? 0));
    if (end !== -1) this.#position = this.#outer.depth === 0 ? 'end' : 'array';
  }

  #checkSize(scanner: ObjectScanner, text: string, bytes: number) {
    if (scanner.deepest > MAX_DEPTH) throw tooDeep(this.#place());
    if (bytes <= this.#bounds.element) return;
    // An unclosed bracket or quote turns everything after it into one element.
    this.#throwMistake(text);
    throw tooLong('element', this.#bounds, { place: this.#place(), advice: 'Split it into several elements' });
  }

  #enterElements(index: number) {
    const outer = this.#outerText ?? '';
    const property = this.#currentProperty();
    if (isMemberList(property) && this.#reader.isOpened === undefined)
      throw wrongShape('element 1', `${property} holds objects; it must be an array of UIDs`);
    if (this.#property !== undefined) {
      const both = `${shown(this.#property)} and ${shown(property)}`;
      throw wrongShape('element 1', `${both} both hold an array of objects, and only one can be the rows`);
    }
    this.#property = property;
    this.#cut = { at: outer.length, bytes: -this.#offsetOf(index) };
  }

  /** Name of the property whose list begins here. */
  #currentProperty() {
    const outer = this.#outerText ?? '';
    const [, written = '""'] = /("(?:[^"\\]|\\.)*")\s*:\s*\[\s*$/.exec(outer.slice(-10_000)) ?? [];
    return JSON.parse(written) as string;
  }

  #closeElements(index: number) {
    if (this.#outerText === undefined) {
      this.#position = 'end';
      return index + 1;
    }
    if (this.#cut !== undefined) this.#cut.bytes += this.#offsetOf(index);
    this.#position = 'object';
    return index;
  }

  #rows(text: string, keys: number): Generator<InputRow> {
    return this.#reader.rows(this.#parsed(text), this.#place(), text, keys);
  }

  /** The outermost object is complete: it is one element itself, or was the envelope of the elements. */
  *#outermost(): Generator<InputRow> {
    const text = this.#outerText ?? '';
    const object = this.#parsed(text);
    const values = Object.values(object);
    if (this.#property === undefined) {
      const lists = Object.entries(object).flatMap(([key, value]) => (Array.isArray(value) ? [{ key, value }] : []));
      const [longest] = lists.toSorted((a, b) => b.value.length - a.value.length);
      const entries = lists.reduce((sum, { value }) => sum + value.length, 0);
      if (longest !== undefined) refusePage(object, longest.key, entries);
      if (hasMemberLists(object) || this.#reader.isRow(object)) yield* this.#rows(text, this.#outer.keys);
      else if (values.length !== 1 || !Array.isArray(values[0]) || values[0].length > 0) {
        const what = `the document is one object with ${keysOf(object)}, neither rows nor lists of UIDs`;
        throw wrongShape('element 1', what);
      }
      return;
    }
    refusePage(object, this.#property, this.#elements);
    // A group beside the rows may be meant for all of them or not: the file does not say.
    const field = Object.keys(object).find((key) => key !== this.#property && (isMemberList(key) || fieldByAlias(key)));
    if (field === undefined) return;
    const what = `${shown(field)} is beside ${shown(this.#property)}, outside the rows; it is not clear what it means for them`;
    throw wrongShape('element 1', what);
  }

  #parsed(text: string) {
    try {
      return parseJson(text) as Element;
    } catch (cause) {
      this.#throwMistake(text);
      const start = text === this.#outerText ? this.#outerStart : this.#start;
      throw broken(Math.max(1, this.#elements), start, messageOf(cause), { cause });
    }
  }

  /** Throws where a text that cannot be parsed goes wrong, unless only its end is missing. */
  #throwMistake(text: string) {
    const at = firstMistake(text);
    if (at === undefined) return;
    const isOuter = text === this.#outerText;
    const cut = isOuter && this.#cut !== undefined && at >= this.#cut.at ? this.#cut.bytes : 0;
    const byte = (isOuter ? this.#outerStart : this.#start) + Buffer.byteLength(text.slice(0, at)) + cut;
    throw broken(Math.max(1, this.#elements), byte, `unexpected ${excerpt(text, at)}`);
  }

  #place() {
    return `element ${Math.max(1, this.#elements)}`;
  }

  /** Offset of an index in this block, or of the block's end where it is -1. */
  #endOf(end: number) {
    return end === -1 ? this.#offset + this.#bytes : this.#offsetOf(end);
  }

  /** Offset of an index in this block. Asked for in order, it counts on from the one before. */
  #offsetOf(index: number) {
    if (index < this.#counted.index) this.#counted = { index: 0, bytes: 0 };
    const bytes = this.#counted.bytes + Buffer.byteLength(this.#text.slice(this.#counted.index, index));
    this.#counted = { index, bytes };
    return this.#offset + bytes;
  }

  /** Something other than an object, where an object must be. */
  #other(subject: 'the document' | 'it', index: number) {
    const what = described(this.#text.slice(index, index + 200));
    if (what === undefined) return this.#unexpected(index, 'an object must be here');
    const needed = subject === 'it' ? 'an object' : 'an array or an object';
    return wrongShape(`element ${this.#elements + 1}`, `${subject} is ${what}; it must be ${needed}`);
  }

  /** The remedy for a text of several documents: an object on each line, or on several. */
  #manyDocuments(next: string) {
    if (next !== '{' || this.#outerText === undefined) return undefined;
    if (!this.#outerText.includes('\n')) return words`It has an object per line: use ${option('format', 'ndjson')}`;
    return 'It has several objects, each over several lines: jq -c . <file> | rollcall import -';
  }

  #unexpected(index: number, needed: string, remedy?: Words) {
    const what = `unexpected ${excerpt(this.#text, index)}; ${needed}`;
    return broken(this.#elements + 1, this.#offsetOf(index), what, { remedy });
  }
}

function broken(
  element: number,
  byte: number,
  what: string,
  { cause, remedy }: { readonly cause?: unknown; readonly remedy?: Words | undefined } = {},
) {
  return new IntakeError(
    'JSON_BROKEN',
    `the JSON cannot be read any further: ${what}`,
    remedy ?? 'Correct it there, or write the file again if it was cut off',
    { place: `element ${element}, byte ${byte}`, cause, facts: { element, byte } },
  );
}

/** The text at an index, with a little of what is before it. */
function excerpt(text: string, at: number) {
  const before = text.slice(Math.max(0, at - 30), at).trimStart();
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return before === '' ? shown(character) : `${shown(character)} behind ${shown(before)}`;
}

/** The JSON value that a text begins with, for a message. Undefined where it does not begin with one. */
function described(text: string) {
  if (text.startsWith('[')) return 'an array';
  if (text.startsWith('{')) return 'an object';
  if (text.startsWith('"')) {
    const [written] = /^"(?:[^"\\\r\n]|\\.)*"?/.exec(text) ?? [''];
    return `the text ${shown(written.slice(1).replace(/"$/, ''))}`;
  }
  const [number] = /^-?\d[\d.eE+-]*/.exec(text) ?? [];
  return number === undefined ? /^(?:true|false|null)/.exec(text)?.[0] : `the number ${number}`;
}

/** Characters that are parsed at a time to find the place of an error. */
const SLICE_LENGTH = 1024;

/** Index of the first character with which a text cannot be the beginning of a JSON value; undefined if it can. */
function firstMistake(text: string) {
  const slice = firstBadPiece(text, text.length);
  return slice === undefined ? undefined : firstBadPiece(text, slice);
}

/** Index of the first piece that cannot be read: of a slice, or of a character from `single` on. */
function firstBadPiece(text: string, single: number) {
  const tokenize = jsonParser({ streamValues: false });
  for (let start = 0; start < text.length; ) {
    const end = start < single ? start + SLICE_LENGTH : start + 1;
    try {
      tokenize(text.slice(start, end));
    } catch {
      return start;
    }
    start = end;
  }
  return undefined;
}
