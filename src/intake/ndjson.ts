import { chunked, type Element, type ElementReader, wrongShape } from './element.ts';
import type { InputRow } from './input-row.ts';
import { IntakeError, shown } from './intake-error.ts';

/** Longest line, in characters: what a file that is no NDJSON may take in memory before it is refused. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/**
 * Rows of an NDJSON text in UTF-8: an object on each line, blank lines skipped.
 * Throws JSON_BROKEN, JSON_SHAPE or ROW_TOO_LONG with the line, and the errors of Columns.
 */
export async function* ndjsonRows(blocks: AsyncIterable<Buffer>, reader: ElementReader): AsyncGenerator<InputRow[]> {
  const lines = new LineReader(reader);
  for await (const block of blocks) yield* chunked(lines.rowsUpTo(block.toString()));
  yield* chunked(lines.rowsUpTo('\n'));
  reader.finish();
}

class LineReader {
  readonly #reader: ElementReader;
  #unfinished = '';
  #number = 0;

  constructor(reader: ElementReader) {
    this.#reader = reader;
  }

  /** Rows of the lines that are complete when `text` is read. */
  *rowsUpTo(text: string): Generator<InputRow> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = (this.#unfinished + text.slice(start, end)).trim();
      this.#unfinished = '';
      this.#number += 1;
      if (line !== '') yield* this.#reader.rows(parseLine(line, this.#number), `line ${this.#number}`, line);
      start = end + 1;
    }
    this.#unfinished += text.slice(start);
    if (this.#unfinished.length <= MAX_LINE_LENGTH) return;
    throw new IntakeError({
      code: 'ROW_TOO_LONG',
      place: `line ${this.#number + 1}`,
      what: `the line is longer than ${MAX_LINE_LENGTH} characters`,
      remedy: 'Put each object on a line of its own, or say --format json if the file is one JSON document',
    });
  }
}

function parseLine(line: string, number: number): Element {
  const value = parse(line, number);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Element;
  throw wrongShape(`line ${number}`, `${shown(line)} is no object; NDJSON has one object on each line`);
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new IntakeError({
      code: 'JSON_BROKEN',
      place: `line ${number}`,
      what: `${shown(line)} is not valid JSON (${cause instanceof Error ? cause.message : ''})`,
      remedy: 'Correct this line, or say --format json if the file is one JSON document over several lines',
      cause,
    });
  }
}
