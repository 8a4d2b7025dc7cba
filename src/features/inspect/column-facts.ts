import type { Look } from '../../api/file-facts.ts';
import { ID } from '../../chat/service/ids.ts';
import { cut } from '../../text/terminal-text.ts';

const SECRET =
  /pass(?:word|wd|phrase|code)|\bpwd\b|\bpin\b|secret|token|credential|api[\s_-]?key|private[\s_-]?key|passwort|kennwort|contraseña|mot de passe/i;
/** A key of JSON, with a value. */
const KEY = /"([^"]*)"\s*:(?!\s*(?:""|null))/g;

/** Whether the values of a column may be passwords or tokens: people do not need them to understand a file. */
export function isSecret({ name, filled, examples }: Pick<ColumnFacts, 'name' | 'filled' | 'examples'>): boolean {
  return filled > 0 && (SECRET.test(name) || examples.some(hasSecretKey));
}

/** The first lines of a file, as far as they name no secret. @param headerLines lines at the top that have no values */
export function withoutSecrets(lines: readonly string[], isHidden: boolean, headerLines: number): string[] {
  if (isHidden) return lines.slice(0, headerLines);
  return lines.some(hasSecretKey) ? [] : [...lines];
}

function hasSecretKey(text: string): boolean {
  return text.matchAll(KEY).some(([, key = '']) => SECRET.test(key));
}

/** A column of a file, as far as its first rows show it. */
export interface ColumnFacts {
  readonly name: string;
  readonly looksLike: Look;
  /** A character that separates several values in a cell; only of lists. */
  readonly separator?: string;
  /** Different values, the first ones; long ones are cut. */
  readonly examples: readonly string[];
  /** Rows with a value, and different values among them. */
  readonly filled: number;
  readonly different: number;
  /** All different values, where they are few: words for scopes, states. */
  readonly words?: readonly string[];
  /** The same of any column with few. */
  readonly few?: readonly string[];
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
export const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d{1,2}:\d{2}.*)?$/;
const MARK = /^(?:x|✓|✔|yes|no|y|n|true|false|0|1|-)$/i;
/** A mark, even where there is only one in a column. */
export const CROSS = /^[x✓✔]$/i;
const STATUS =
  /^(?:active|inactive|deleted|enabled|disabled|suspended|pending|invited|completed|accepted|declined|archived)$/i;
const SCOPE_WORDS =
  /^(?:owner|admin|administrator|manager|moderator|member|participant|user|guest|teacher|student|professor|faculty|ta|observer|instructor|leader|lead|maintainer|banned|ban)s?$/i;
const PERSON_NAME = /^(?!user).*(?:name|vorname|nom|apellido|cognome)/i;
const SCOPE_NAME = /role|scope|permission|rights|position|rolle|funktion|rôle|ruolo|\brol\b|função|papel|affiliation/i;

/**
 * @param values of the column, row by row; absent ones are empty texts
 * @param isList they are entries of lists
 */
export function columnFacts(name: string, values: readonly string[], isList = false): ColumnFacts {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '');
  const different = [...new Set(filled)];
  const separator = separatorOf(name, filled);
  const looksLike = separator === undefined ? lookOf(name, filled, different) : 'list';
  return {
    name,
    looksLike,
    ...(separator !== undefined && { separator }),
    examples: different.slice(0, EXAMPLES).map((text) => cut(text, MAX_EXAMPLE_LENGTH)),
    filled: filled.length,
    different: different.length,
    ...((looksLike === 'scope' || looksLike === 'status' || looksLike === 'mark') && { words: different }),
    ...(different.length <= MAX_WORDS && { few: different }),
    ...(isList && { isList }),
  };
}

function lookOf(name: string, filled: readonly string[], different: readonly string[]): Look {
  if (filled.length === 0) return 'empty';
  const most = (pattern: RegExp) => filled.filter((value) => pattern.test(value)).length >= filled.length * MIN_SHARE;
  if (most(EMAIL)) return 'email';
  if (most(DATE)) return 'date';
  // A column of a wide table: crosses, some of them replaced by a scope or another value.
  const crosses = filled.filter((value) => CROSS.test(value)).length;
  if (crosses > 0 && filled.filter((value) => MARK.test(value) || SCOPE_WORDS.test(value)).length >= filled.length / 2)
    return 'mark';
  if (different.length <= MAX_WORDS) {
    if (most(STATUS)) return 'status';
    if (most(SCOPE_WORDS) || (SCOPE_NAME.test(name) && most(/^[\p{L} _-]{1,40}$/u))) return 'scope';
    if (different.length <= 2 && filled.length > different.length && most(MARK)) return 'mark';
  }
  if (PERSON_NAME.test(name) && most(/^[\p{L}\p{M}.'’ -]{1,80}$/u)) return 'name';
  if (most(ID)) return 'id';
  return most(/^[\p{L}\p{M}.'’, -]{2,80}$/u) ? 'name' : 'text';
}

/** The separator between the values of a cell: it is in many of the cells, and never beside a blank value. */
function separatorOf(name: string, filled: readonly string[]): string | undefined {
  return [';', '|', ','].find((separator) => {
    const several = filled.filter((value) => value.includes(separator));
    if (several.length < Math.max(1, filled.length * 0.3)) return false;
    // If each value has the same number of parts, such as auth0|1, it is one value, unless the name is a plural.
    const counts = new Set(filled.map((value) => value.split(separator).length));
    if (counts.size === 1 && !/s$/i.test(name)) return false;
    return several.every((value) =>
      value.split(separator).every((part) => EMAIL.test(part.trim()) || ID.test(part.trim())),
    );
  });
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
