import { MAX_ID_LENGTH } from '../../../chat/service/ids.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';

/**
 * Templates: a text with columns in braces, and functions behind them: `{email|localpart|lower}`, `team-{id}`,
 * `{Login ?? E-mail|lower}` (the first of the two that is filled). `{{` is a brace. A column's name with `|`, `}` or `??`
 * in it is written in quotes.
 */

/** A column in braces. */
export interface Placeholder {
  /** Columns of which the first filled one counts. */
  readonly columns: readonly string[];
  readonly functions: readonly TextFunction[];
}
type TextFunction = (text: string) => string;

/** Constant texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** An error in a template, with its remedy. */
export class TemplateError extends RollcallError {
  constructor(what: string, remedy: string) {
    super('BAD_SHAPE', what, { remedy });
  }
}

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
export function isDamagedNumber(text: string): boolean {
  return /^[+-]?\d+(?:[.,]0+|(?:[.,]\d+)?E\+?\d+)$/i.test(text.trim()) && !/^\d+E\d+$/i.test(text.trim());
}

/**
 * The first value of a name in a directory: `uid=anna,ou=people,dc=example` → `anna`; commas and other characters may be
 * escaped, also as their bytes in UTF-8 (RFC 4514).
 */
export function firstOfName(name: string): string {
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

/** @throws TemplateError */
export function parseTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  let constant = '';
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    if ((character === '{' || character === '}') && text.charAt(at + 1) === character) {
      constant += character;
      at += 2;
    } else if (character === '{') {
      const end = endOfPlaceholder(text, at);
      if (constant !== '') parts.push(constant);
      constant = '';
      parts.push(placeholder(text.slice(at + 1, end), text));
      at = end + 1;
    } else if (character === '}') {
      throw new TemplateError(
        `${quoted(text)} has a } that closes nothing`,
        'Write {column}, or }} for a brace in the text',
      );
    } else {
      constant += character;
      at += 1;
    }
  }
  if (constant !== '') parts.push(constant);
  if (!parts.some((part) => typeof part !== 'string')) {
    throw new TemplateError(
      `${quoted(text)} has no column in it, so that every row would get the same value`,
      'Write a column in braces, such as {email|localpart}',
    );
  }
  return parts;
}

/** Columns that a template reads. */
export function columnsOfTemplate(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : part.columns));
}

/** The value for a row; empty where one of its columns is: an id of which a part is missing is not an id. */
export function fill(template: Template, cell: (column: string) => string): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else {
      const value = filled(part, cell);
      if (value === '') return '';
      text += value;
    }
  }
  return text;
}

function filled({ columns, functions }: Placeholder, cell: (column: string) => string) {
  for (const column of columns) {
    const raw = cell(column).trim();
    if (raw !== '') return functions.reduce((text, change) => change(text), raw);
  }
  return '';
}

function endOfPlaceholder(text: string, start: number) {
  let inQuotes = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') inQuotes = !inQuotes;
    else if (!inQuotes && character === '}') return at;
  }
  throw new TemplateError(
    `${quoted(text)} opens a { that never closes`,
    'Write {column}, or {{ for a brace in the text',
  );
}

function placeholder(inside: string, text: string): Placeholder {
  const [names = '', ...functions] = splitOutsideQuotes(inside, '|');
  const columns = splitOutsideQuotes(names, '??').map(unquoted);
  if (columns.some((name) => name === '')) {
    throw new TemplateError(`${quoted(text)} has braces without a column in them`, 'Write a column in them: {email}');
  }
  return { columns, functions: functions.map((name) => functionOf(name, text)) };
}

function functionOf(written: string, text: string): TextFunction {
  const [word = '', argument] = cutAt(written, ':');
  const name = word.trim().toLowerCase();
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  if (plain !== undefined && argument === undefined) return plain;
  const make = Object.hasOwn(WITH_TEXT, name) ? WITH_TEXT[name] : undefined;
  if (make !== undefined && argument !== undefined && argument !== '') return make(argument);
  throw new TemplateError(
    `${quoted(written.trim())} in ${quoted(text)} is not a function of a template`,
    `Allowed are ${FUNCTIONS}`,
  );
}

function cutAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function splitOutsideQuotes(text: string, separator: string) {
  const parts: string[] = [];
  let start = 0;
  let inQuotes = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) === '"') inQuotes = !inQuotes;
    else if (!inQuotes && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      at += separator.length - 1;
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function unquoted(name: string) {
  const text = name.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function quoted(text: string) {
  return JSON.stringify(text);
}
