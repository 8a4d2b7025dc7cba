import { jsonParser } from 'stream-json/parser.js';

/** Characters that are parsed at a time to find the place of an error. */
const SLICE_LENGTH = 1024;

/** Index of the first character with which a text cannot be the beginning of a JSON value; undefined if it can. */
export function firstMistake(text: string): number | undefined {
  const good = goodSlices(text);
  if (good === undefined) return undefined;
  const tokenize = jsonParser({ streamValues: false });
  for (let start = 0; start < good; start += SLICE_LENGTH) tokenize(text.slice(start, start + SLICE_LENGTH));
  for (let index = good; index < text.length; index += 1) {
    try {
      tokenize(text.charAt(index));
    } catch {
      return index;
    }
  }
  return undefined;
}

/** Characters in front of the slice that holds the mistake. */
function goodSlices(text: string): number | undefined {
  const tokenize = jsonParser({ streamValues: false });
  for (let start = 0; start < text.length; start += SLICE_LENGTH) {
    try {
      tokenize(text.slice(start, start + SLICE_LENGTH));
    } catch {
      return start;
    }
  }
  return undefined;
}
