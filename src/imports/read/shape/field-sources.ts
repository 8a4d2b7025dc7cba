import { MAX_ID_LENGTH } from '../../../chat/service/limits.ts';
import { FIELDS, type Field } from '../columns.ts';
import { badShape } from '../intake-error.ts';

/**
 * Templates: a text with columns in braces, and functions behind them: `{email|localpart|lower}`, `team-{id}`,
 * `{Login ?? E-mail|lower}` (the first of the two that is filled). `{{` is a brace. A column's name with `|`, `}` or `??`
 * in it is written in quotes.
 */

/** A column in braces. */
interface Placeholder {
  /** Columns of which the first filled one counts. */
  readonly columns: readonly string[];
  readonly functions: readonly TextFunction[];
}
type TextFunction = (text: string) => string;

/** Constant texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** The current value, where it does not have a column of its own: one piece of a list. */
const VALUE = 'value';

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

/** @throws IntakeError BAD_SHAPE */
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

/** Columns that a template reads. */
export function columnsOfTemplate(template: Template) {
  return template.flatMap((part) => (typeof part === 'string' ? [] : part.columns));
}

/** The value for a row; empty where one of its columns is: an id of which a part is missing is not an id. */
export function fill(template: Template, cell: (column: string) => string) {
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

/** Outside of quotes. */
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
  const [word = '', argument] = cutAt(written, ':');
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

function cutAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function unquoted(name: string) {
  const text = name.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function quoted(text: string) {
  return JSON.stringify(text);
}

/** The source of a field's value in a row: a column, the first filled one of several, or a template. */
export interface Source {
  /** The name for messages and reports. */
  readonly label: string;
  readonly slots: readonly number[];
  /** Whether it makes another text of what is in the file, so that two texts may become the same id. */
  readonly derives: boolean;
  /** Whether it reads one value, so that it can be given one value of a list. */
  readonly isPlain: boolean;
  /** The value of a row; `piece`: the current value of a list. */
  read(cells: Cells, piece?: string): string;
  /** Returns the text in the file. */
  raw(cells: Cells, piece?: string): string;
}

/** The cells of a row by slot. */
export interface Cells extends ReadonlyArray<string> {
  /** Values of JSON that cannot be ids, by slot: neither texts nor whole numbers. */
  readonly notText?: ReadonlyMap<number, unknown>;
}

/** Gives the slot of a column; throws where there is none. `flag` names what asks for it. */
export type Slots = (column: string, flag: string) => number;

/** The source of a field, in the form of the options. */
export type FieldSource =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'template'; readonly text: string };

export type FieldSources = Readonly<Partial<Record<Field, FieldSource>>>;

interface SourceOptions {
  readonly map: Readonly<Partial<Record<Field, string>>>;
  readonly firstOf?: Readonly<Partial<Record<Field, readonly string[] | undefined>>> | undefined;
  readonly templates?: Readonly<Partial<Record<Field, string | undefined>>> | undefined;
}

/** `Login|E-mail` in `--map`; a column may have such a name, and then it is that one. */
const ALTERNATIVES = '|';
const HAS_PLACEHOLDER = /\{[^{}]+\}/;

/** Whether `--map` says more than which column it is. */
export function isMoreThanColumn(mapped: string) {
  return mapped.includes(ALTERNATIVES) || HAS_PLACEHOLDER.test(mapped);
}

/** Returns the source of each field; absent: a column that is recognised by its name. */
export function fieldSources({ map, firstOf = {}, templates = {} }: SourceOptions): FieldSources {
  const sources: Partial<Record<Field, FieldSource>> = {};
  for (const field of FIELDS) {
    const template = templates[field];
    const several = firstOf[field];
    const mapped = map[field];
    if (template !== undefined) sources[field] = { kind: 'template', text: template };
    else if (several !== undefined) sources[field] = { kind: 'columns', columns: several };
    else if (mapped !== undefined && HAS_PLACEHOLDER.test(mapped)) sources[field] = { kind: 'template', text: mapped };
    else if (mapped !== undefined && mapped !== '') sources[field] = { kind: 'columns', columns: [mapped] };
  }
  return sources;
}

/** @throws IntakeError BAD_SHAPE; what `slots` throws */
export function openSource(source: FieldSource, flag: string, slots: Slots, known: (name: string) => boolean): Source {
  if (source.kind === 'template') return ofTemplate(parseTemplate(source.text), source.text, flag, slots);
  const columns = source.columns.flatMap((name) =>
    known(name) ? [name] : name.split(ALTERNATIVES).map((part) => part.trim()),
  );
  return ofColumns(columns, flag, slots);
}

function ofColumns(columns: readonly string[], flag: string, slotOf: Slots): Source {
  const slots = columns.map((column) => slotOf(column, flag));
  const [only = 0] = slots;
  const first = (cells: Cells) => {
    for (const slot of slots) {
      const cell = cells[slot] ?? '';
      if (cell.trim() !== '') return cell;
    }
    return '';
  };
  const read = slots.length === 1 ? (cells: Cells) => cells[only] ?? '' : first;
  return {
    label: columns.join(' | '),
    slots,
    derives: false,
    isPlain: true,
    read: (cells, piece) => piece ?? read(cells),
    raw: (cells, piece) => piece ?? read(cells),
  };
}

function ofTemplate(template: Template, text: string, flag: string, slotOf: Slots): Source {
  const columns = [...new Set(columnsOfTemplate(template))];
  const bySlot = new Map(columns.filter((name) => name !== VALUE).map((name) => [name, slotOf(name, flag)]));
  const slots = [...bySlot.values()];
  const isPlain = columns.length === 1 || template.filter((part) => typeof part !== 'string').length === 1;
  const cellOf = (cells: Cells, piece: string | undefined) => (column: string) => {
    if (piece !== undefined && (column === VALUE || (isPlain && !columns.includes(VALUE)))) return piece;
    const slot = bySlot.get(column);
    return slot === undefined ? '' : (cells[slot] ?? '');
  };
  const placeholders = template.filter((part): part is Placeholder => typeof part !== 'string');
  return {
    label: isPlain && columns[0] !== VALUE ? columns.join(' ?? ') : text,
    slots,
    derives: true,
    isPlain,
    read: (cells, piece) => fill(template, cellOf(cells, piece)),
    raw: (cells, piece) => {
      const cell = cellOf(cells, piece);
      return placeholders
        .map(({ columns: names }) => names.map((name) => cell(name).trim()).find((value) => value !== '') ?? '')
        .join(' ')
        .trim();
    },
  };
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
