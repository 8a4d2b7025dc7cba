import { sameWord } from './same-text.ts';

/**
 * Patterns that users give, matched against texts that users give. The time is at most the length of the pattern times
 * that of the text: after a mismatch only the last star takes one more item, and no earlier one is tried again.
 */

/** A star: any number of items, or none. */
const ANY = Symbol('any number of items');
type Part<Item> = typeof ANY | ((item: Item) => boolean);

/** Whether a path may be a pattern. */
export function hasWildcards(path: string) {
  return /[*?[{]/.test(path);
}

/** A text in which `*` stands for any characters; case does not matter. */
export function starPattern(pattern: string): (text: string) => boolean {
  const parts = [...sameWord(pattern)].map((char) => (char === '*' ? ANY : is(char)));
  return (text) => matches(parts, [...sameWord(text)]);
}

/**
 * A path with `/`, as shells know it: `*` and `?` stand for characters of one name, `[a-z]` and `[!a-z]` for one of a
 * set, and `**` for any number of folders. As there, a dot at the start of a name must be written.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const parts = pattern.split('/').map((name) => (name === '**' ? ANY : namePattern(name)));
  return (path) => matches(parts, path.split('/'));
}

/** Max number of patterns that alternatives in one pattern may stand for. */
const MAX_ALTERNATIVES = 100;

/** `{channels,groups}.json` as the patterns that it stands for. More than MAX_ALTERNATIVES are taken to the letter. */
export function alternatives(pattern: string): readonly string[] {
  const texts = pattern.split(/\{([^{}]*)\}/).map((text, at) => (at % 2 === 1 ? text.split(',') : [text]));
  if (texts.reduce((product, { length }) => product * length, 1) > MAX_ALTERNATIVES) return [pattern];
  return texts.reduce<string[]>((all, next) => all.flatMap((front) => next.map((back) => front + back)), ['']);
}

/** One name of such a path. */
export function namePattern(pattern: string): (name: string) => boolean {
  const parts = [...pattern.normalize('NFC').matchAll(/\[([!^]?)(\]?[^\]]*)\]|(.)/gsu)].map(([, not, set, char]) => {
    if (set !== undefined) return oneOf(set, not !== '');
    if (char === '*') return ANY;
    return char === '?' ? () => true : is(char ?? '');
  });
  const takesHidden = pattern.startsWith('.');
  return (name) => (takesHidden || !name.startsWith('.')) && matches(parts, [...name.normalize('NFC')]);
}

function is(wanted: string): (char: string) => boolean {
  return (char) => char === wanted;
}

/** `a-z_`: the characters of a set, or with `not` all others. */
function oneOf(set: string, not: boolean): (char: string) => boolean {
  const ranges = [...set.matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, one]) => [from ?? one, to ?? one] as const);
  return (char) => ranges.some(([from = '', to = '']) => from <= char && char <= to) !== not;
}

function matches<Item>(parts: readonly Part<Item>[], items: readonly Item[]) {
  let part = 0;
  let item = 0;
  let star = -1;
  let afterStar = 0;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted === ANY) {
      star = part;
      afterStar = item;
      part += 1;
    } else if (wanted?.(items[item] as Item) === true) {
      part += 1;
      item += 1;
    } else if (star >= 0) {
      part = star + 1;
      afterStar += 1;
      item = afterStar;
    } else return false;
  }
  while (parts[part] === ANY) part += 1;
  return part === parts.length;
}
