import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { messageOf } from '../../../errors/rollcall-error.ts';
import { intakeError, isIntakeError } from '../intake-error.ts';

/** Levels of nesting that a part of a workbook may have; honest ones have ten. */
const MAX_LEVELS = 100;
/** Bytes that may pass without the end of a text or tag, and characters of a cell. */
const MAX_PIECE_LENGTH = 1024 * 1024;

export type Attributes = Readonly<Record<string, string>>;

/**
 * Elements that are left out: extensions of other namespaces, which may repeat names of the document, such as
 * `x15:workbookPr`; and what is not the text of a cell itself: reading aids, comments, notes.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['extLst', 'rPh', 'annotation', 'note', 'ruby-text']);

/** Handlers of the tags and texts of an XML document. Names come without their prefix: some programs write `x:row`. */
export interface XmlHandlers {
  open(name: string, attributes: Attributes): void;
  /** @param text between this tag and the one before */
  close?(name: string, text: string): void;
  text?(text: string): void;
}

export async function readXml(place: string, blocks: AsyncIterable<Buffer>, handlers: XmlHandlers) {
  const reader = xmlReader(place, handlers);
  for await (const block of blocks) reader.write(block);
  reader.end();
}

/**
 * Reads an XML document block by block. Entities of its own are not expanded and nothing is fetched, so that what it
 * takes is bounded by its size. Throws WORKBOOK_BROKEN, ROW_TOO_LONG.
 * @param place names the part in errors
 */
export function xmlReader(place: string, handlers: XmlHandlers) {
  const parser = new SaxesParser({ position: false, xmlns: false as const });
  let decoder: TextDecoder | undefined;
  let levels = 0;
  /** The level of the element that is being left out; 0 outside. */
  let leftOut = 0;
  let sinceEvent = 0;
  let sinceTag = '';
  parser.on('opentag', ({ name, attributes }) => {
    sinceEvent = 0;
    levels += 1;
    if (levels > MAX_LEVELS) throw broken(place, `it is nested deeper than ${MAX_LEVELS} levels`);
    if (leftOut === 0 && LEFT_OUT.has(local(name))) leftOut = levels;
    if (leftOut === 0) handlers.open(local(name), attributes);
    sinceTag = '';
  });
  parser.on('closetag', ({ name }) => {
    sinceEvent = 0;
    if (leftOut === 0) handlers.close?.(local(name), sinceTag);
    else if (leftOut === levels) leftOut = 0;
    levels -= 1;
    sinceTag = '';
  });
  const text = (piece: string) => {
    sinceEvent = 0;
    if (leftOut > 0) return;
    sinceTag += piece;
    checkLength(sinceTag, place);
    handlers.text?.(piece);
  };
  parser.on('text', text);
  parser.on('cdata', text);

  function write(block: Buffer) {
    decoder ??= new TextDecoder(encodingOf(block), { fatal: true });
    sinceEvent += block.length;
    parse(() => parser.write(decoder?.decode(block, { stream: true }) ?? ''));
    if (sinceEvent > MAX_PIECE_LENGTH) throw tooLong(place);
  }

  function end() {
    parse(() => parser.close());
  }

  function parse(step: () => void) {
    try {
      step();
    } catch (error) {
      if (isIntakeError(error)) throw error;
      throw broken(place, messageOf(error).replace(/\.$/, ''), error);
    }
  }

  return { write, end };
}

/** Throws ROW_TOO_LONG for a text that no program writes into a cell. */
export function checkLength(text: string, place: string) {
  if (text.length > MAX_PIECE_LENGTH) throw tooLong(place);
}

function tooLong(place: string) {
  return intakeError(
    'ROW_TOO_LONG',
    `a text in it is longer than ${MAX_PIECE_LENGTH} characters; a cell of a workbook holds 32,767`,
    'Open the workbook in the program that it comes from, and save it again',
    { place, most: MAX_PIECE_LENGTH },
  );
}

export function broken(place: string, what: string, cause?: unknown) {
  return intakeError(
    'WORKBOOK_BROKEN',
    `the workbook cannot be read: ${what}`,
    'Open it in the program that it comes from, and save it again as .xlsx or as CSV',
    { place, cause },
  );
}

function local(name: string) {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(at + 1);
}

function encodingOf(block: Buffer) {
  if (block[0] === 0xfe && block[1] === 0xff) return 'utf-16be';
  return block[0] === 0xff && block[1] === 0xfe ? 'utf-16le' : 'utf-8';
}
