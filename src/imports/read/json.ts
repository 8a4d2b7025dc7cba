import { jsonParser } from 'stream-json/parser.js';
import { option, type Words, words } from '../../errors/named-options.ts';
import { messageOf } from '../../errors/rollcall-error.ts';
import { isObject } from '../../platform/stored-json.ts';
import { jsonOrUndefined } from '../../text/json-or-undefined.ts';
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
import { type Bounds, intakeError, MAX_DEPTH, shown, tooLong } from './intake-error.ts';
import { ObjectScanner, parseJson } from './json-text.ts';

/**
 * The parser's state: before the document; where an element may come, must come or has come; inside one; inside
 * the outermost object; after the `[` of one of its values; after the document.
 */
type Position = 'start' | 'first' | 'next' | 'behind' | 'inside' | 'object' | 'array' | 'end';

/** Moves that characters outside the objects make; `]` leads out of the elements. */
const MOVES: Readonly<Partial<Record<Position, Readonly<Record<string, Position | 'out'>>>>> = {
  start: { '[': 'first', '{': 'object' },
  array: { '{': 'inside' },
  first: { '{': 'inside', ']': 'out' },
  next: { '{': 'inside' },
  behind: { ',': 'next', ']': 'out' },
};

/** An object that is being read: an element, or the outermost object without its elements. */
interface Part {
  readonly scanner: ObjectScanner;
  text: string;
  /** Offset of its first byte. */
  readonly start: number;
  /** The place in the text at which elements were cut out, and their number of bytes. */
  cut?: { readonly at: number; bytes: number };
}

const partAt = (start: number): Part => ({ scanner: new ObjectScanner(), text: '', start });

/**
 * Rows of a JSON document in UTF-8: an array of elements, an object with one array of elements (`{"data": […]}`), or
 * one object that is a row or in the service's own shape. Holds one element in memory at a time, however large the
 * document is: its text is cut into those of its elements, which JSON.parse reads.
 * Throws JSON_BROKEN and JSON_SHAPE with the element, ROW_TOO_LONG, and the errors of Columns.
 */
export async function* jsonRows(
  blocks: AsyncIterable<Buffer>,
  reader: Elements,
  bounds: Bounds,
): AsyncGenerator<InputRow[]> {
  const block = openBlock();
  let position: Position = 'start';
  let element = partAt(0);
  /** Undefined where the document is an array. */
  let outer: Part | undefined;
  /** Property of the outermost object that holds the elements. */
  let property: string | undefined;
  let elements = 0;

  const rowsOf = (part: Part) => reader.rows(parsed(part, elements), placeOf(elements), part.text, part.scanner.keys);

  function* read(): Generator<InputRow> {
    for (let index = 0; index < block.text.length; ) {
      const part = position === 'inside' ? element : position === 'object' ? outer : undefined;
      if (part === undefined) {
        index = between(index);
        continue;
      }
      const end = part.scanner.scan(block.text, index, part === outer);
      part.text += block.text.slice(index, end === -1 ? undefined : end);
      checkSize(part, block.offsetOf(end) - part.start - (part.cut?.bytes ?? 0), elements, bounds);
      if (end === -1) return;
      index = end;
      if (part === element) {
        position = 'behind';
        yield* rowsOf(part);
      } else if (part.scanner.depth > 0) position = 'array';
      else {
        position = 'end';
        const object = parsed(part, elements);
        if (property !== undefined) checkEnvelope(object, property, elements);
        else if (isElement(object, reader)) yield* rowsOf(part);
      }
    }
  }

  /** The next character outside the element and the outermost object's own text; returns the index to go on at. */
  function between(index: number) {
    const character = block.text.charAt(index);
    if (/[ \t\r\n]/.test(character)) {
      if (position === 'array' && outer !== undefined) outer.text += character;
      return index + 1;
    }
    if (position === 'array' && outer !== undefined) {
      // The first character behind `[` tells whether these are the elements or a value like any other.
      const list = character === '{' ? lastProperty(outer, elements) : undefined;
      if (list === undefined || reader.isOpened?.(list)) {
        position = 'object';
        return index;
      }
      property = propertyOfElements(list, property, reader);
      outer.cut = { at: outer.text.length, bytes: -block.offsetOf(index) };
    }
    const move = MOVES[position]?.[character];
    if (move === undefined) throw refused(position, block, index, elements, outer);
    if (move === 'inside') {
      element = partAt(block.offsetOf(index));
      elements += 1;
    }
    if (move === 'object') outer = partAt(block.offsetOf(index));
    if (move === 'out' && outer?.cut !== undefined) outer.cut.bytes += block.offsetOf(index);
    position = move !== 'out' ? move : outer === undefined ? 'end' : 'object';
    return position === 'inside' || position === 'object' ? index : index + 1;
  }

  for await (const bytes of blocks) {
    block.next(bytes);
    yield* chunked(read());
  }
  const last = position as Position;
  if (last !== 'end') {
    const part = last === 'inside' ? element : outer;
    if (part !== undefined) refuseMistake(part, elements);
    throw broken(part === element ? elements : elements + 1, block.offsetOf(-1), 'the document ends in the middle');
  }
  reader.finish();
}

/** The text that is being read, with the offsets of its characters in bytes. */
type Block = ReturnType<typeof openBlock>;

function openBlock() {
  let start = 0;
  let length = 0;
  /** The number of bytes of the text up to an index. */
  let counted = { index: 0, bytes: 0 };
  const block = {
    text: '',
    next: (bytes: Buffer) => {
      start += length;
      length = bytes.length;
      counted = { index: 0, bytes: 0 };
      block.text = bytes.toString();
    },
    /** Offset of an index, or of the end where it is -1. Asked for in order, it counts on from the one before. */
    offsetOf: (index: number) => {
      if (index === -1) return start + length;
      if (index < counted.index) counted = { index: 0, bytes: 0 };
      const bytes = counted.bytes + Buffer.byteLength(block.text.slice(counted.index, index));
      counted = { index, bytes };
      return start + bytes;
    },
  };
  return block;
}

const placeOf = (elements: number) => `element ${Math.max(1, elements)}`;

function checkSize(part: Part, bytes: number, elements: number, bounds: Bounds) {
  if (part.scanner.deepest > MAX_DEPTH) throw tooDeep(placeOf(elements));
  if (bytes <= bounds.element) return;
  // An unclosed bracket or quote turns everything after it into one element.
  refuseMistake(part, elements);
  throw tooLong('element', bounds, 'Split it into several elements', { place: placeOf(elements) });
}

/** Name of the property whose list begins where the text ends. */
function lastProperty(outer: Part, elements: number) {
  const [, written = '""'] = /("(?:[^"\\]|\\.)*")\s*:\s*\[\s*$/.exec(outer.text.slice(-10_000)) ?? [];
  const name = jsonOrUndefined(written);
  if (name === undefined) refuseMistake(outer, elements);
  return String(name);
}

/** @param before one that was found earlier */
function propertyOfElements(property: string, before: string | undefined, reader: Elements) {
  if (isMemberList(property) && reader.isOpened === undefined)
    throw wrongShape('element 1', `${property} holds objects; it must be an array of UIDs`);
  if (before === undefined) return property;
  const both = `${shown(before)} and ${shown(property)}`;
  throw wrongShape('element 1', `${both} both hold an array of objects, and only one can be the rows`);
}

/** Whether an outermost object without elements is one itself; otherwise it is an empty envelope. */
function isElement(object: Element, reader: Elements) {
  const lists = Object.entries(object).flatMap(([key, value]) => (Array.isArray(value) ? [{ key, value }] : []));
  const [longest] = lists.toSorted((a, b) => b.value.length - a.value.length);
  const entries = lists.reduce((sum, { value }) => sum + value.length, 0);
  if (longest !== undefined) refusePage(object, longest.key, entries);
  if (hasMemberLists(object) || reader.isRow(object)) return true;
  if (lists.length === 1 && entries === 0 && Object.keys(object).length === 1) return false;
  const what = `the document is one object with ${keysOf(object)}, neither rows nor lists of UIDs`;
  throw wrongShape('element 1', what);
}

/** A group beside the rows may be meant for all of them or not: the file does not say. */
function checkEnvelope(object: Element, property: string, elements: number) {
  refusePage(object, property, elements);
  const field = Object.keys(object).find((key) => key !== property && (isMemberList(key) || fieldByAlias(key)));
  if (field === undefined) return;
  const what = `${shown(field)} is beside ${shown(property)}, outside the rows; it is not clear what it means for them`;
  throw wrongShape('element 1', what);
}

function parsed(part: Part, elements: number) {
  try {
    return parseJson(part.text) as Element;
  } catch (cause) {
    refuseMistake(part, elements);
    throw broken(Math.max(1, elements), part.start, messageOf(cause), { cause });
  }
}

/** Throws where a text that cannot be parsed goes wrong, unless only its end is missing. */
function refuseMistake({ text, start, cut }: Part, elements: number) {
  const at = firstMistake(text);
  if (at === undefined) return;
  const before = cut !== undefined && at >= cut.at ? cut.bytes : 0;
  const byte = start + Buffer.byteLength(text.slice(0, at)) + before;
  throw broken(Math.max(1, elements), byte, `unexpected ${excerpt(text, at)}`);
}

function refused(position: Position, block: Block, index: number, elements: number, outer: Part | undefined) {
  const unexpected = (needed: string, remedy?: Words) => {
    const what = `unexpected ${excerpt(block.text, index)}; ${needed}`;
    return broken(elements + 1, block.offsetOf(index), what, { remedy });
  };
  if (position === 'behind') return unexpected('a comma or ] must follow an element');
  if (position === 'end') {
    const remedy = manyDocuments(block.text.charAt(index), outer?.text);
    return unexpected('nothing may follow the end of the document', remedy);
  }
  const what = described(block.text.slice(index, index + 200));
  if (what === undefined) return unexpected('an object must be here');
  const [subject, needed] = position === 'start' ? ['the document', 'an array or an object'] : ['it', 'an object'];
  return wrongShape(`element ${elements + 1}`, `${subject} is ${what}; it must be ${needed}`);
}

function manyDocuments(next: string, before: string | undefined) {
  if (next !== '{' || before === undefined) return undefined;
  if (!before.includes('\n')) return words`It has an object per line: use ${option('format', 'ndjson')}`;
  return 'It has several objects, each over several lines: jq -c . <file> | rollcall import -';
}

function broken(
  element: number,
  byte: number,
  what: string,
  { cause, remedy }: { readonly cause?: unknown; readonly remedy?: Words | undefined } = {},
) {
  return intakeError(
    'JSON_BROKEN',
    `the JSON cannot be read any further: ${what}`,
    remedy ?? 'Correct it there, or write the file again if it was cut off',
    { place: `element ${element}, byte ${byte}`, cause, element, byte },
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

/**
 * A document that is one page of a list: read alone, it would pass for the whole list. It says so by the next page, or the one
 * before; by a flag; by a total above the number of its rows; or by a number of pages.
 */

/** Fields with another page, or with what its address needs. Names are compared in small letters without anything else. */
const NEXT =
  /^next(?:link|url|uri|href|page|pageurl|pagelink|pagetoken|token|cursor|marker|offset)?$|^(?:continuation|continue)(?:token)?$/;
const BEFORE = /^prev(?:ious)?(?:link|url|uri|href|page|pageurl|pagelink)?$/;
const MORE = /^(?:hasmore|hasnext|hasnextpage|hasmorepages|istruncated)$/;
const LAST = /^(?:is)?last(?:page)?$/;
/** Numbers of all rows, on every page. */
const TOTAL =
  /^total(?:results?|counts?|items?|elements?|rows|records|size|entries|members|users|hits)?$|^(?:results?|items?|records?)total$/;
const PAGES = /^(?:pages|totalpages|pagestotal|pagecount|numpages|lastpage)$/;
/** Objects in which APIs write these fields. */
const AROUND = /^(?:links|meta|metadata|paging|pagination|page|pageinfo|responsemetadata|cursor)$/;

interface Sign {
  /** Such as `meta.next`. */
  readonly field: string;
  /** Undefined: it is a page, whether or not another follows. */
  readonly goesOn: boolean | undefined;
}

/** @param property of the object around the rows: their list @param rows their number */
function refusePage(outermost: Element, property: string, rows: number) {
  const signs = [...signsIn(outermost, '', rows)];
  const page = signs.find(({ goesOn }) => goesOn === undefined);
  const isLast = signs.some(({ goesOn }) => goesOn === false);
  const sign = page ?? (isLast ? undefined : signs[0]);
  if (sign === undefined) return;
  throw intakeError(
    'MORE_PAGES',
    `the document is one page of several: it says so in ${shown(sign.field)}`,
    `Give the rows of all pages to rollcall import -, or those of this one alone: jq -c '.${property}[]' <file> | rollcall import -`,
    { field: sign.field },
  );
}

function* signsIn(object: object, path: string, rows: number): Generator<Sign> {
  for (const [key, value] of Object.entries(object)) {
    const field = `${path}${key}`;
    const name = key
      .replace(/^@?odata\./i, '')
      .replace(/[^a-z]/gi, '')
      .toLowerCase();
    if (typeof value === 'boolean') {
      if (MORE.test(name)) yield { field, goesOn: value };
      if (LAST.test(name)) yield { field, goesOn: !value };
    } else if (NEXT.test(name) && isPage(name, value)) yield { field, goesOn: true };
    else if (BEFORE.test(name) && isPage('next', value)) yield { field, goesOn: undefined };
    else if (TOTAL.test(name) && isAbove(value, rows)) yield { field, goesOn: undefined };
    else if (PAGES.test(name) && isAbove(value, 1)) yield { field, goesOn: undefined };
    else if (AROUND.test(name) && isObject(value)) yield* signsIn(value, `${field}.`, rows);
  }
}

function isAbove(value: unknown, least: number) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > least;
}

/** Whether a value leads to the next page. A plain `next` may be any word: only an address is meant for sure. */
function isPage(name: string, value: unknown) {
  const place = isObject(value) ? (value['href'] ?? value['url'] ?? value['link']) : value;
  if (typeof place === 'string' && /^(?:https?:\/\/|[/?])./i.test(place)) return true;
  return name !== 'next' && (typeof value === 'number' || (typeof value === 'string' && value !== ''));
}
