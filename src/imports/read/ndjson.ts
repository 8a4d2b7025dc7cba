import { option, words } from '../../errors/named-options.ts';
import { messageOf } from '../../errors/rollcall-error.ts';
import { isObject } from '../../platform/stored-json.ts';
import { chunked, type Element, type Elements, hasMemberLists, tooDeep, wrongShape } from './element.ts';
import type { InputRow } from './input-row.ts';
import { type Bounds, intakeError, MAX_DEPTH, shown, tooLong } from './intake-error.ts';
import { ObjectScanner, parseJson } from './json-text.ts';

/**
 * Rows of an NDJSON text in UTF-8: an object on each line, blank lines skipped.
 * Throws JSON_BROKEN, JSON_SHAPE or ROW_TOO_LONG with the line, and the errors of Columns.
 */
export async function* ndjsonRows(
  blocks: AsyncIterable<Buffer>,
  reader: Elements,
  bounds: Bounds,
): AsyncGenerator<InputRow[]> {
  const rowsUpTo = lineReader(reader, bounds);
  for await (const block of blocks) yield* chunked(rowsUpTo(block.toString(), block.length));
  yield* chunked(rowsUpTo('\n', 1));
  reader.finish();
}

function lineReader(reader: Elements, bounds: Bounds) {
  let unfinished = '';
  let unfinishedBytes = 0;
  let number = 0;

  /** Rows of the lines that are complete when `text` is read. */
  function* rowsUpTo(text: string, bytes: number): Generator<InputRow> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = (unfinished + text.slice(start, end)).trim();
      unfinished = '';
      unfinishedBytes = 0;
      number += 1;
      if (line !== '') yield* rows(line);
      start = end + 1;
    }
    unfinished += text.slice(start);
    unfinishedBytes += start === 0 ? bytes : Buffer.byteLength(text.slice(start));
    if (unfinishedBytes <= bounds.element) return;
    const line = number + 1;
    const advice = words`Put each object on a line of its own, say ${option('format', 'json')} if the file is one JSON document`;
    throw tooLong('line', bounds, advice, { place: `line ${line}`, line });
  }

  function rows(line: string): Generator<InputRow> {
    const place = `line ${number}`;
    // This also counts brackets and colons inside strings: the line is scanned only where there are too many.
    const brackets = occurrences(line, '[') + occurrences(line, '{');
    if (brackets > MAX_DEPTH && scanned(line).deepest > MAX_DEPTH) throw tooDeep(place);
    const value = parse(line, number);
    if (!isObject(value)) {
      throw wrongShape(place, `${shown(line)} is not an object; NDJSON has one object on each line`);
    }
    const colons = occurrences(line, ':');
    const keys = colons === Object.keys(value).length ? colons : scanned(line).keys;
    // UIDs in lists become rows of their own, so numbers must keep their spelling.
    const element = hasMemberLists(value) ? (parseJson(line) as Element) : value;
    return reader.rows(element, place, line, keys);
  }

  return rowsUpTo;
}

function scanned(line: string) {
  const scanner = new ObjectScanner();
  scanner.scan(line, 0);
  return scanner;
}

function occurrences(text: string, character: string) {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

function parse(line: string, number: number) {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw intakeError(
      'JSON_BROKEN',
      `${shown(line)} is not valid JSON (${messageOf(cause)})`,
      number === 1
        ? words`Correct this line, or leave out ${option('format')}, so that the format is detected`
        : 'Correct this line; objects over several lines become one line each with jq -c . <file> | rollcall import -',
      { place: `line ${number}`, cause, line: number },
    );
  }
}
