import type { ACTION_MEANINGS, Scope, ScopeMeaning } from '../../../membership/membership.ts';
import { sameWord } from '../../../text/same-text.ts';
import { scopeOfWord } from '../membership-row.ts';

/** Words of a file and what they mean. */

type ActionMeaning = (typeof ACTION_MEANINGS)[number];

const ANY = '*';

/** Meanings by word, without regard to case and surrounding spaces; `*` is every word that is not empty. */
function lookUp<Meaning>(words: Readonly<Record<string, Meaning>> = {}): (text: string) => Meaning | undefined {
  const meanings = new Map(Object.entries(words).map(([word, meaning]) => [sameWord(word), meaning]));
  const other = meanings.get(ANY);
  return (text) => {
    const word = sameWord(text);
    return meanings.get(word) ?? (word === '' ? undefined : other);
  };
}

/**
 * Returns the function that reads the scope from a text: a text for the reader, or undefined for no membership. A word
 * that is not listed goes on as it is: it may be a scope, and if it is not, the reader says so.
 */
export function scopeWords(
  words: Readonly<Record<string, ScopeMeaning>> | undefined,
): (text: string) => string | undefined {
  const meaningOf = lookUp(words);
  return (text) => {
    const meaning = meaningOf(text) ?? text;
    return meaning === 'none' ? undefined : meaning;
  };
}

const YES = new Set(['x', '✓', '✔', '1', 'y', 'yes', 'true']);
/** A word for any other mark says nothing about these. */
const NO = { '': 'none', '-': 'none', '0': 'none', n: 'none', no: 'none', false: 'none' } as const;

type Mark =
  | { readonly kind: 'member'; readonly scope: Scope | '' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** Returns the function that reads a person's cell in the column of a group. */
export function marks(words: Readonly<Record<string, ScopeMeaning>> | undefined): (text: string) => Mark {
  const meaningOf = lookUp<ScopeMeaning>({ ...NO, ...words });
  return (text) => {
    const word = text.trim().toLowerCase();
    const meaning = meaningOf(text);
    if (meaning === 'none') return { kind: 'none' };
    if (meaning !== undefined) return { kind: 'member', scope: meaning };
    if (YES.has(word)) return { kind: 'member', scope: '' };
    const scope = scopeOfWord(word);
    return scope === undefined ? { kind: 'unknown' } : { kind: 'member', scope };
  };
}

/** The action that a text asks for; an unlisted word is passed on as it is, and an empty cell is `add`. */
export function actionWords(words: Readonly<Record<string, ActionMeaning>> | undefined): (text: string) => string {
  const meaningOf = lookUp(words);
  return (text) => meaningOf(text) ?? text.trim().toLowerCase();
}
