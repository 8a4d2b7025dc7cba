import { Assembler } from 'stream-json/assembler.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { fieldByAlias } from './columns.ts';
import {
  chunked,
  type Element,
  type ElementReader,
  hasMemberLists,
  isMemberList,
  keysOf,
  wrongShape,
} from './element.ts';
import type { InputRow } from './input-row.ts';
import { IntakeError, shown } from './intake-error.ts';

/** Deepest nesting inside an element; rows are flat, and what is far deeper would exhaust the stack when written. */
const MAX_DEPTH = 100;

/** Characters that are parsed at once: how near the place of a syntax error can be told. */
const SLICE_LENGTH = 1024;

/**
 * Rows of a JSON document in UTF-8: an array of elements, an object with one array of elements (`{"data": […]}`), or
 * one object in the service's own shape. Holds one element in memory at a time, however large the document is.
 * Throws JSON_BROKEN and JSON_SHAPE with the element, and the errors of Columns.
 */
export async function* jsonRows(blocks: AsyncIterable<Buffer>, reader: ElementReader): AsyncGenerator<InputRow[]> {
  const document = new JsonDocument();
  for await (const block of blocks) yield* chunked(rowsOf(document.read(block), document, reader));
  yield* chunked(rowsOf(document.finish(), document, reader));
  reader.finish();
}

function* rowsOf(elements: Iterable<Element>, document: JsonDocument, reader: ElementReader): Generator<InputRow> {
  for (const element of elements) yield* reader.rows(element, document.place());
}

/** Where the reading stands: before the document, among elements, or inside its outermost object. */
type Position = 'start' | 'elements' | 'object' | 'end';

/** Tokens → elements. */
class JsonDocument {
  readonly #tokenize = jsonParser({ streamValues: false });
  #position: Position = 'start';
  /** The outermost object, without the array of elements that it may hold. */
  #outer: Assembler<Element> | undefined;
  #element: Assembler<Element> | undefined;
  /** An array opened in the outermost object: its first token tells whether it holds elements. */
  #undecidedArray = false;
  /** Property of the outermost object that holds the elements. */
  #property: string | undefined;
  #elementCount = 0;
  #bytes = 0;

  place(): string {
    return `element ${Math.max(1, this.#elementCount)}`;
  }

  *read(block: Buffer): Generator<Element> {
    const text = block.toString();
    for (let start = 0; start < text.length; start += SLICE_LENGTH) {
      const slice = text.slice(start, start + SLICE_LENGTH);
      for (const token of this.#tokens(slice)) {
        const element = this.#take(token);
        if (element !== undefined) yield element;
      }
      this.#bytes += Buffer.byteLength(slice);
    }
  }

  *finish(): Generator<Element> {
    yield* this.read(Buffer.from('\n')); // ends a number or word at the very end
    if (this.#position !== 'end') throw this.#broken('the document ends in the middle');
  }

  #tokens(text: string): readonly Token[] {
    try {
      const tokens = this.#tokenize(text);
      return typeof tokens === 'symbol' ? [] : tokens.values;
    } catch (cause) {
      throw this.#broken(cause instanceof Error ? cause.message.replace('Parser cannot parse input: ', '') : '', cause);
    }
  }

  #take(token: Token): Element | undefined {
    if (this.#element !== undefined) return this.#takeInto(this.#element, token);
    switch (this.#position) {
      case 'elements':
        return this.#betweenElements(token);
      case 'object':
        return this.#insideObject(token);
      case 'start':
        return this.#open(token);
      case 'end':
        return undefined;
    }
  }

  #open(token: Token): undefined {
    if (token.name === 'startArray') {
      this.#position = 'elements';
    } else if (token.name === 'startObject') {
      this.#position = 'object';
      this.#outer = new Assembler();
      this.#outer.consume(token);
    } else {
      throw wrongShape('element 1', `the document is ${described(token)}, no array and no object`);
    }
  }

  #betweenElements(token: Token): undefined {
    if (token.name === 'startObject') {
      this.#elementCount += 1;
      this.#element = new Assembler();
      this.#element.consume(token);
    } else if (token.name === 'endArray') {
      this.#position = this.#outer === undefined ? 'end' : 'object';
    } else {
      throw wrongShape(`element ${this.#elementCount + 1}`, `it is ${described(token)}, no object`);
    }
  }

  #takeInto(assembler: Assembler<Element>, token: Token): Element | undefined {
    consume(assembler, token);
    if (assembler.depth > MAX_DEPTH) throw wrongShape(this.place(), `it is nested deeper than ${MAX_DEPTH} levels`);
    if (!assembler.done) return undefined;
    this.#element = undefined;
    return assembler.current ?? undefined;
  }

  #insideObject(token: Token): Element | undefined {
    const outer = this.#outer;
    if (outer === undefined) return undefined;
    if (this.#undecidedArray) {
      this.#undecidedArray = false;
      if (token.name === 'startObject') {
        this.#enterProperty(outer.key ?? '');
        outer.nullValue();
        return this.#betweenElements(token);
      }
      outer.startArray();
    } else if (token.name === 'startArray' && outer.depth === 1) {
      this.#undecidedArray = true;
      return undefined;
    }
    const object = this.#takeInto(outer, token);
    if (object === undefined) return undefined;
    this.#position = 'end';
    return this.#outermost(object);
  }

  #enterProperty(property: string): void {
    if (isMemberList(property)) throw wrongShape('element 1', `${property} holds objects; it must be an array of UIDs`);
    if (this.#property !== undefined) {
      const both = `${shown(this.#property)} and ${shown(property)}`;
      throw wrongShape('element 1', `${both} both hold an array of objects, and only one can be the rows`);
    }
    this.#property = property;
    this.#position = 'elements';
  }

  /** The outermost object is complete: it is one element itself, or was the envelope of the elements. */
  #outermost(object: Element): Element | undefined {
    if (this.#property === undefined) {
      if (hasMemberLists(object)) return object;
      const values = Object.values(object);
      if (values.length === 1 && Array.isArray(values[0]) && values[0].length === 0) return undefined;
      throw wrongShape(
        'element 1',
        `the document is one object with ${keysOf(object)}, neither rows nor lists of UIDs`,
      );
    }
    // A group beside the rows may be meant for all of them or not: nobody can tell.
    const field = Object.keys(object).find((key) => key !== this.#property && (isMemberList(key) || fieldByAlias(key)));
    if (field === undefined) return undefined;
    const what = `${shown(field)} stands beside ${shown(this.#property)}, outside of the rows; it cannot be told what it means for them`;
    throw wrongShape('element 1', what);
  }

  #broken(what: string, cause?: unknown): IntakeError {
    const element = this.#element === undefined ? this.#elementCount + 1 : this.#elementCount;
    return new IntakeError({
      code: 'JSON_BROKEN',
      place: `element ${element}, near byte ${this.#bytes}`,
      what: `the JSON cannot be read on: ${what}`,
      remedy:
        'Correct it there, write the file again if it was cut off, or say --format ndjson if it has an object per line',
      cause,
    });
  }
}

/** Numbers that JavaScript would change (large, or written in another way) keep their text for `original`. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

function consume(assembler: Assembler<Element>, token: Token): void {
  if (token.name === 'numberValue' && String(Number(token.value)) !== token.value) {
    assembler.stringValue(rawJSON(token.value) as unknown as string);
  } else {
    assembler.consume(token);
  }
}

function described(token: Token): string {
  switch (token.name) {
    case 'stringValue':
      return `the text ${shown(token.value)}`;
    case 'numberValue':
      return `the number ${token.value}`;
    case 'startArray':
      return 'an array';
    default:
      return token.name.replace('Value', '');
  }
}
