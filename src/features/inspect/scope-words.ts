import { option, type Words, words } from '../../errors/named-options.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { scopeOfWord } from '../../imports/read/membership-row.ts';
import type { ScopeMeaning } from '../../membership/membership.ts';
import type { ColumnFacts } from './column-facts.ts';
import { isRole, wordsOf } from './column-names.ts';
import { isNothing, isOut, meaningOf } from './meanings.ts';

/** In place of the scope that only a person can say; an import refuses it. */
export const OPEN_SCOPE = '<scope>';

/** The highest of several scopes of a person counts. */
const HIGHEST = ['admin', 'moderator', 'participant'] as const;

/** The meaning of a word in the scope column; of several in a cell ("admin,moderator") the highest. Undefined: nobody knows. */
export function scopeMeaning(text: string): ScopeMeaning | undefined {
  const parts = text.split(/[,;|/+&\n]/).filter((part) => part.trim() !== '');
  const meanings = new Set(parts.map((part) => scopeOfWord(part) ?? meaningOf(part)));
  const [only] = meanings;
  if (meanings.size === 1 && isOut(only as ReturnType<typeof meaningOf>)) return 'none';
  if (meanings.size === 1 && only === 'ban') return 'ban';
  const others = [...meanings].filter((meaning) => !HIGHEST.some((scope) => scope === meaning));
  return others.length > 0 ? undefined : HIGHEST.find((scope) => meanings.has(scope));
}

/** Rates how surely a column has the scopes: its words are known, or it is called so. */
export function scopeRank({ name, looksLike, few }: ColumnFacts): number {
  if (few === undefined || few.size === 0 || looksLike === 'date') return 0;
  const known = few.keys().some((word) => scopeMeaning(word) !== undefined);
  if (isRole(name)) return known ? 4 : looksLike === 'scope' || looksLike === 'id' ? 3 : 0;
  if (looksLike !== 'scope' || /\b(?:type|kind|class|status|state|title|job)\b/.test(wordsOf(name))) return 0;
  return known ? 2 : 0;
}

interface ScopeWords {
  /** Every word that is not a scope itself, with its meaning or OPEN_SCOPE. */
  readonly words: Readonly<Record<string, ScopeMeaning | typeof OPEN_SCOPE>>;
  readonly isOpen: boolean;
  readonly advice: Words;
}

/** The words of a scope column; undefined where all are scopes. @param map how the column becomes that of the scope, if it must */
export function scopeWordsOf({ name, few = new Map() }: ColumnFacts, map?: string): ScopeWords | undefined {
  const foreign = [...few].filter(([word]) => scopeOfWord(word) === undefined);
  if (foreign.length === 0) return undefined;
  const meant = foreign.map(([word, rows]) => ({
    word,
    rows,
    meaning: isNothing(word) ? 'participant' : scopeMeaning(word),
  }));
  const isOpen = meant.some(({ meaning }) => meaning === undefined);
  const each = meant.map(
    ({ word, rows, meaning = 'not known' }, index) =>
      `${shown(word)} (${rows}${index > 0 ? '' : rows === 1 ? ' row' : ' rows'}) ${meaning === 'none' ? 'no membership' : meaning}`,
  );
  const how = map === undefined ? '' : words`${option('map', map)} and `;
  return {
    words: Object.fromEntries(meant.map(({ word, meaning = OPEN_SCOPE }) => [word, meaning as ScopeMeaning])),
    isOpen,
    advice: words`Column ${shown(name)} has other words for scopes: ${each.join(', ')}: say with ${how}${option('scopeWords')} which scope each means.`,
  };
}
