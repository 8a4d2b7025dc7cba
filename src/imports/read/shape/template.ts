import { MAX_ID_LENGTH } from '../../../chat/service/limits.ts';
import { badShape } from '../intake-error.ts';

/**
 * Templates: a text with columns in braces, and functions behind them: `{email|localpart|lower}`, `team-{id}`,
 * `{Login ?? E-mail|lower}` (the first of the two that is filled). `{{` is a brace. A column's name with `|`, `}` or `??`
 * in it is written in quotes.
 */

interface Placeholder {
  /** Columns of which the first filled one counts. */
  readonly columns: readonly string[];
  readonly functions: readonly TextFunction[];
}
type TextFunction = (text: string) => string;

/** Constant texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** The current value, where it does not have a column of its own: one piece of a list. */
export const VALUE = 'value';

const PLAIN: Readonly<Record<string, TextFunction>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  slug,
  cometchat: cometChatId,
  localpart: (text) => before(text, text.lastIndexOf('@')),
  domain: (text) => (text.includes('@') ? text.slice(text.lastIndexOf('@') + 1) : ''),
  digits: (text) => (isDamagedNumber(text) ? text : text.replace(/\D/g, '')),
  rdn: firstOfName,
};

/** Functions with a text behind a colon: `{dn|after:uid=|before:,}`. */
const WITH_TEXT: Readonly<Record<string, (argument: string) => TextFunction>> = {
  before: (mark) => (text) => before(text, text.indexOf(mark)),
  after: (mark) => (text) => (text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : text),
};

const FUNCTIONS = [...Object.keys(PLAIN), ...Object.keys(WITH_TEXT).map((name) => `${name}:TEXT`)].join(', ');

/**
 * A text as an id, by a rule that never changes, because ids must come out the same next year: accents are dropped, lower
 * case, everything else but a-z, 0-9 and _ becomes one -, none at the ends.
 */
function slug(text: string) {
  // It stays as it is, and is refused: 1.0 and 4E+15 are not the ids 1-0 and 4e-15.
  if (isDamagedNumber(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** By UTF-16 unit, as the rule has it: a character of two becomes two `_`. */
const UNSAFE = /[^a-z0-9_-]/g;
/** Characters that are kept of an id that gets a hash. */
const KEPT = 90;

/**
 * The UID or GUID that the vendor's migration guides make of a foreign id (docs/chat-service.md, 79): an app that
 * follows them and an import must make the same one. A small id of safe characters stays; any other is cut at 90
 * characters and gets a hash of the original, so that `a.b` and `a_b` stay two.
 */
function cometChatId(text: string) {
  const safe = text.toLowerCase().replace(UNSAFE, '_');
  if (safe === text && safe.length <= MAX_ID_LENGTH) return safe;
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return `${safe.slice(0, KEPT)}_${hash.toString(36)}`;
}

/** A whole number as a program writes it that takes ids for quantities: `1001.0`, `4.0012E+15`. */
export function isDamagedNumber(text: string) {
  return /^[+-]?\d+(?:[.,]0+|(?:[.,]\d+)?E\+?\d+)$/i.test(text.trim()) && !/^\d+E\d+$/i.test(text.trim());
}

/**
 * The first value of a name in a directory: `uid=anna,ou=people,dc=example` → `anna`; commas and other characters may be
 * escaped, also as their bytes in UTF-8 (RFC 4514).
 */
export function firstOfName(name: string) {
  const [, value = name] = /^\s*[A-Za-z0-9.-]+\s*=\s*((?:\\.|[^,+\\])*)/s.exec(name) ?? [];
  return value
    .trim()
    .replace(/((?:\\[0-9A-Fa-f]{2})+)|\\(.)/gs, (_, bytes?: string, character = '') =>
      bytes === undefined ? character : Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString(),
    );
}

function before(text: string, at: number) {
  return at === -1 ? text : text.slice(0, at);
}

/** A doubled brace, braces with what is in them (a quoted name may hold a brace), a brace alone, or text. */
const PIECES = /(\{\{|\}\})|\{((?:"[^"]*"|[^"}])*)\}|([{}])|[^{}]+/g;

export function parseTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  for (const [piece, brace, inside, alone] of text.matchAll(PIECES)) {
    if (alone !== undefined) {
      const what = alone === '{' ? 'opens a { that never closes' : 'has a } that closes nothing';
      throw badShape(`${quoted(text)} ${what}`, `Write {column}, or ${alone}${alone} for a brace in the text`);
    }
    const last = parts.at(-1);
    if (inside !== undefined) parts.push(placeholder(inside, text));
    else if (typeof last === 'string') parts[parts.length - 1] = last + (brace?.charAt(0) ?? piece);
    else parts.push(brace?.charAt(0) ?? piece);
  }
  if (parts.some((part) => typeof part !== 'string')) return parts;
  throw badShape(
    `${quoted(text)} has no column in it, so that every row would get the same value`,
    'Write a column in braces, such as {email|localpart}',
  );
}

/** Columns that a template reads, each once. */
export function columnsOfTemplate(template: Template) {
  return [...new Set(template.flatMap((part) => (typeof part === 'string' ? [] : part.columns)))];
}

/** The value for a row; empty where one of its columns is: an id of which a part is missing is not an id. */
export function fill(template: Template, cell: (column: string) => string) {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else {
      const raw = firstFilled(part.columns, cell).trim();
      const value = raw && part.functions.reduce((changed, change) => change(changed), raw);
      if (value === '') return '';
      text += value;
    }
  }
  return text;
}

/** The first of several columns that is filled, as it is written. */
export function firstFilled(columns: readonly string[], cell: (column: string) => string) {
  for (const column of columns) {
    const text = cell(column);
    if (text.trim() !== '') return text;
  }
  return '';
}

const BAR = /\|(?=(?:[^"]*"[^"]*")*[^"]*$)/;
const OTHERWISE = /\?\?(?=(?:[^"]*"[^"]*")*[^"]*$)/;

function placeholder(inside: string, text: string) {
  const [names = '', ...functions] = inside.split(BAR);
  const columns = names.split(OTHERWISE).map(unquoted);
  if (columns.some((name) => name === '')) {
    throw badShape(`${quoted(text)} has braces without a column in them`, 'Write a column in them: {email}');
  }
  return { columns, functions: functions.map((name) => functionOf(name, text)) };
}

function functionOf(written: string, text: string) {
  const [, word = '', argument] = /^([^:]*)(?::(.*))?$/s.exec(written) ?? [];
  const name = word.trim().toLowerCase();
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  if (plain !== undefined && argument === undefined) return plain;
  const make = Object.hasOwn(WITH_TEXT, name) ? WITH_TEXT[name] : undefined;
  if (make !== undefined && argument !== undefined && argument !== '') return make(argument);
  throw badShape(
    `${quoted(written.trim())} in ${quoted(text)} is not a function of a template`,
    `Allowed are ${FUNCTIONS}`,
  );
}

function unquoted(name: string) {
  const text = name.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function quoted(text: string) {
  return JSON.stringify(text);
}

/** Makes an id from a name that is not in a cell: a column's header, or a numbered column's value. */
export function nameTemplate(text: string | undefined): (name: string) => string {
  if (text === undefined) return (name) => name;
  const template = parseTemplate(text);
  const strange = columnsOfTemplate(template).find((name) => name !== 'column' && name !== VALUE);
  if (strange !== undefined) {
    throw badShape(
      `${JSON.stringify(text)} reads the column ${JSON.stringify(strange)}; this template has only {column}, the name of the group's column`,
      'Write {column}, such as {column|slug}',
    );
  }
  return (name) => fill(template, () => name);
}
