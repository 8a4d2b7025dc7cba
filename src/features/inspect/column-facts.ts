import type { FileFacts } from '../../api/look.ts';
import { ID } from '../../chat/service/limits.ts';
import { isRole, mentions, wordsOf } from '../../imports/read/column-words.ts';
import { cut } from '../../text/terminal-text.ts';
import { groupName } from './column-names.ts';
import { isNothing, isOneOf, isOut, meaningOf, plain } from './meanings.ts';

const saysSecret = mentions(
  '…password…, …passwd…, …passphrase…, …passcode…, pwd, pin, …secret…, …token…, …credential…, …apikey…, …api key…, …privatekey…, …private key…, …passwort…, …kennwort…, …contrasena…, …mot de passe…',
);
/** Looks at the name as it is, too: `PassWord` and `TOKENs` are not two words each. */
const isSecretName = (name: string) => [name, wordsOf(name)].some((text) => saysSecret(plain(text)));
/** A key of JSON, with a value. */
const KEY = /"([^"]*)"\s*:(?!\s*(?:""|null))/g;

/** Whether the values of a column may be passwords or tokens: people do not need them to understand a file. */
export function isSecret({ name, filled, examples }: Pick<ColumnFacts, 'name' | 'filled' | 'examples'>): boolean {
  return filled > 0 && (isSecretName(name) || examples.some(hasSecretKey));
}

/** The first lines of a file, as far as they name no secret. @param headerLines lines at the top that have no values */
export function withoutSecrets(lines: readonly string[], isHidden: boolean, headerLines: number): string[] {
  if (isHidden) return lines.slice(0, headerLines);
  return lines.some(hasSecretKey) ? [] : [...lines];
}

function hasSecretKey(text: string) {
  return text.matchAll(KEY).some(([, key = '']) => isSecretName(key));
}

/** A column of a file, as far as its first rows show it. */
export interface ColumnFacts extends Omit<FileFacts['columns'][number], 'words'> {
  /** All different values with their rows, where they are few; else empty. */
  readonly few: ReadonlyMap<string, number>;
  /** The values row by row; only of a table. */
  readonly cells?: readonly string[];
  /** The values are entries of a list. */
  readonly isList?: boolean;
}

const EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;
/** Share of the values that must look alike. */
const MIN_SHARE = 0.8;
/** A column with more different values holds no words for scopes or states. */
const MAX_WORDS = 12;

export const EMAIL = /^[^\s@,;|<>"]+@[^\s@,;|<>"][^\s@,;|<>".]*\.[^\s@,;|<>"]+$/;
const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d{1,2}:\d{2}.*)?$/;
/** Seconds or milliseconds since 1970, in this century. */
const EPOCH = /^1[0-9]{9}(?:\d{3})?$/;

/** Whether a text is a value: no column is called so. */
export function isValue(text: string): boolean {
  return EMAIL.test(text) || DATE.test(text) || /^\d+$/.test(text);
}

/** Words that say yes or no about anything. */
export const isBoolean = isOneOf(
  'true, false, yes, no, wahr, falsch, ja, nein, vrai, faux, oui, non, verdadero, falso, si, vero',
);
const MARK = /^(?:x|✓|✔|yes|no|y|n|true|false|0|1|-)$/i;
/** A mark, even where there is only one in a column. */
export const CROSS = /^[x✓✔]$/i;
const PERSON_NAME = /^(?!user).*(?:name|vorname|nom|apellido|cognome)/i;
/** The name of an entry of a directory: `CN=Lee\, Anna,OU=People,DC=x`. */
export const DN = /^[A-Za-z][A-Za-z0-9-]*=(?:\\.|[^,\\])+(?:,[A-Za-z][A-Za-z0-9-]*=(?:\\.|[^,\\])+)+$/;

/** @param values row by row; absent ones are empty texts  @param isList they are entries of lists */
export function columnFacts(name: string, values: readonly string[], isList = false): ColumnFacts {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '');
  const counts = new Map<string, number>();
  for (const value of filled) counts.set(value, (counts.get(value) ?? 0) + 1);
  const different = [...counts.keys()];
  const separator = separatorOf(name, filled);
  const looksLike = separator === undefined ? lookOf(name, filled, different) : 'list';
  return {
    name,
    looksLike,
    ...(separator !== undefined && { separator }),
    examples: different.slice(0, EXAMPLES).map((text) => cut(text, MAX_EXAMPLE_LENGTH)),
    filled: filled.length,
    different: different.length,
    few: different.length <= MAX_WORDS ? counts : new Map(),
    ...(isList && { isList }),
  };
}

function lookOf(name: string, filled: readonly string[], different: readonly string[]) {
  if (filled.length === 0) return 'empty';
  const mostly = (is: (value: string) => boolean) => filled.filter(is).length >= filled.length * MIN_SHARE;
  const most = (pattern: RegExp) => mostly((value) => pattern.test(value));
  if (most(EMAIL)) return 'email';
  if (most(DATE)) return 'date';
  if (filled.length > 1 && different.length > 1 && filled.every((value) => EPOCH.test(value) || value === '0'))
    return 'date';
  if (filled.every(isBoolean)) return 'mark';
  // A column of a wide table: crosses, some of them replaced by a scope or another value.
  const crosses = filled.filter((value) => CROSS.test(value)).length;
  const isMark = (value: string) => MARK.test(value) || isScopeWord(value);
  if (crosses > 0 && filled.filter(isMark).length >= filled.length / 2) return 'mark';
  if (different.length <= MAX_WORDS) {
    if (mostly(isStateWord)) return 'status';
    if (mostly(isScopeWord)) return 'scope';
    if (isRole(name) && most(/^[\p{L}\p{M} ,;|/_-]{1,60}$/u)) return 'scope';
    if (different.length <= 2 && filled.length > different.length && most(MARK)) return 'mark';
  }
  if (PERSON_NAME.test(name) && most(/^[\p{L}\p{M}.'’ -]{1,80}$/u)) return 'name';
  if (most(ID)) return 'id';
  return most(/^[\p{L}\p{M}.'’, -]{2,80}$/u) ? 'name' : 'text';
}

function isStateWord(text: string) {
  const meaning = meaningOf(text);
  return meaning === 'here' || isOut(meaning);
}

function isScopeWord(text: string) {
  return meaningOf(text) !== undefined && !isStateWord(text);
}

const SEPARATORS = ['\n', ';', '|', ','];
const PLURAL = /(?:s|gruppen|r[äa]ume|kurse|kanäle|klassen|gruppi|corsi|canali|stanze|squadre)$/i;
/** "Lee, Anna": one person, or two users. */
const LAST_FIRST = /^\p{Lu}[^,]*, \p{Lu}[^,]*$/u;

/**
 * The separator between the values of a cell. A comma is also part of names ("Lee, Anna" or "Sales, North"), so that it needs
 * more evidence: a name in the plural, or parts that are values of other cells as well.
 */
function separatorOf(name: string, filled: readonly string[]) {
  if (isRole(name)) return undefined;
  const values = filled.filter((value) => !isNothing(value));
  if (values.length > 0 && values.every((value) => value.split(';').every((part) => DN.test(part)))) {
    return values.some((value) => value.includes(';')) ? ';' : undefined;
  }
  const isGroup = groupName(name) !== undefined;
  return SEPARATORS.find((separator) => {
    const several = values.filter((value) => value.includes(separator));
    if (several.length === 0) return false;
    // If each value has the same number of parts, such as auth0|1, it is one value, unless the name is a plural.
    const counts = new Set(values.map((value) => value.split(separator).length));
    if (counts.size === 1 && !PLURAL.test(name)) return false;
    const parts = several.flatMap((value) => value.split(separator).map((part) => part.trim()));
    if (parts.some((part) => part === '')) return false;
    if (isGroup && (separator !== ',' || PLURAL.test(name) || areValues(parts, values, separator))) return true;
    if (separator === ',' && several.every((value) => LAST_FIRST.test(value))) return false;
    return several.length >= values.length * 0.3 && parts.every((part) => EMAIL.test(part) || ID.test(part));
  });
}

/** Whether the parts of cells are values by themselves: they are in other cells too, or one is and all are called alike. */
function areValues(parts: readonly string[], values: readonly string[], separator: string) {
  const cells = values.map((value) => new Set(value.split(separator).map((part) => part.trim())));
  const isElsewhere = (part: string) => cells.filter((cell) => cell.has(part)).length > 1;
  const firstWords = new Set(parts.map((part) => /^\p{L}+(?= )/u.exec(part)?.[0]));
  return parts.every(isElsewhere) || (parts.some(isElsewhere) && firstWords.size === 1 && !firstWords.has(undefined));
}

/** Levels below an element that are looked into. */
const MAX_LEVELS = 3;

/** The texts of elements by path, such as `user.id` or `members.role`; entries of lists one by one. */
export function elementColumns(elements: readonly unknown[]): Map<string, { values: string[]; inList: boolean }> {
  const columns = new Map<string, { values: string[]; inList: boolean }>();
  const walk = (path: string, value: unknown, inList: boolean, level: number): void => {
    if (Array.isArray(value)) {
      for (const entry of value) walk(path, entry, true, level);
    } else if (typeof value === 'object' && value !== null && level < MAX_LEVELS) {
      for (const [key, inner] of Object.entries(value)) {
        walk(path === '' ? key : `${path}.${key}`, inner, inList, level + 1);
      }
    } else {
      const column = columns.get(path) ?? { values: [], inList };
      columns.set(path, column);
      column.inList ||= inList;
      column.values.push(typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));
    }
  };
  for (const element of elements) walk('', element, false, 0);
  return columns;
}
