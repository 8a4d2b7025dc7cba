import { MEMBER_LISTS, SCOPE_OF_LIST } from '../../chat/service/lists.ts';
import { cellOf } from '../../text/csv-line.ts';
import { BLOCK_BYTES } from './byte-source.ts';
import { FIELDS, type Field } from './columns.ts';
import { type InputRow, noMembership, type RowProblem, shortValue, tooManyMemberships } from './input-row.ts';
import { intakeError, listed, shown, TOO_DEEP } from './intake-error.ts';
import { parseJson, repeatedKey, repetition } from './json-text.ts';
import type { MembershipReader, RowReading } from './membership-row.ts';

export type Element = Readonly<Record<string, unknown>>;

/** Fields that an element in the service's own shape passes on to each of its memberships. */
const SHARED = ['region', 'guid', 'onBehalfOf', 'until'] as const;

/** Rows of one chunk at most: an element in the service's own shape may hold a million. */
const ROWS_PER_CHUNK = 500;

/** Elements without a UID after which the search for one ends. */
export const ELEMENTS_WITHOUT_UID = 1_000;

export function isMemberList(key: string) {
  return Object.hasOwn(SCOPE_OF_LIST, key);
}

/** Is this the service's own shape: an object with at least one of its four lists? */
export function hasMemberLists(element: Element) {
  return MEMBER_LISTS.some((list) => list in element);
}

export interface Elements {
  /** Is this object a membership by itself, and no envelope around rows? */
  isRow(element: Element): boolean;
  /** Whether a list of the outermost object belongs to that object, and holds no elements. */
  isOpened?(property: string): boolean;
  /**
   * @param place names the element in errors
   * @param text the element's JSON text
   * @param keys of the text; more than the element has where one is repeated, of which JSON keeps the last
   */
  rows(element: Element, place: string, text: string, keys: number): Generator<InputRow>;
  /** To be called after the last element. Throws where a setting names a column that no element had. */
  finish(): void;
}

export interface ElementRows extends Elements {
  rowsRead(): number;
  /** Whether an element may have given several memberships. */
  hasLists(): boolean;
}

/**
 * The rows of elements, whether an element is one membership or a group with lists of UIDs. If the user or the group is
 * a list, each user is combined with each group.
 */
export function elementReader({ columns, reader, hasDefaultGuid, bounds, onRepeat }: RowReading): ElementRows {
  const known = new Set<string>();
  /** Key that each field is read from; empty until one came to light. */
  const keyOf = Object.fromEntries(FIELDS.map((field) => [field, ''])) as Record<Field, string>;
  let line = 0;
  let hasLists = false;

  function* rows(element: Element, place: string, text: string, keys: number): Generator<InputRow> {
    const repeated = keys === Object.keys(element).length ? undefined : repeatedKey(text);
    if (!hasMemberLists(element)) {
      yield* rowsOf(element, place, originalOf(element, text, repeated !== undefined), repeated);
      return;
    }
    if (repeated !== undefined) throw wrongShape(place, `${shown(repeated)} is in it more than once`);
    for (const membership of memberships(element, place)) yield* rowsOf(membership, place, JSON.stringify(membership));
  }

  function finish() {
    if (line === 0) return;
    columns.requireMembership(hasDefaultGuid);
    columns.requireMapped();
  }

  function* rowsOf(element: Element, place: string, original: string, repeated?: string): Generator<InputRow> {
    line += 1;
    for (const key in element) {
      if (!known.has(key)) learn(key, place);
    }
    if (line === ELEMENTS_WITHOUT_UID) columns.requireMembership(hasDefaultGuid);
    if (isList(element, 'guid') || isList(element, 'uid')) yield* combined(original, repeated);
    else yield rowOf(element, original, original, repeated);
  }

  const valueIn = (element: Element, field: Field) => (keyOf[field] === '' ? undefined : element[keyOf[field]]);
  const isList = (element: Element, field: Field) => Array.isArray(valueIn(element, field));

  /** A row for each user in each group. The first one has the original of all. */
  function* combined(original: string, repeated: string | undefined) {
    hasLists = true;
    const element = parseJson(original) as Element;
    const lists = (['guid', 'uid'] as const).filter((field) => isList(element, field));
    const guids = [valueIn(element, 'guid')].flat();
    const uids = [valueIn(element, 'uid')].flat();
    const count = guids.length * uids.length;
    if (count === 0 || count > bounds.memberships) {
      const column = keyOf[guids.length === 1 ? 'uid' : 'guid'];
      const problem =
        count === 0 ? noMembership(column, 'the list is empty') : tooManyMemberships(column, bounds.memberships);
      const skipped = count === 0 && { shaped: { part: 1, value: '', skipped: true as const } };
      yield { line, original, ...reader.none, problems: [problem], ...skipped };
      return;
    }
    onRepeat(original.length * (count - 1));
    let part = 0;
    for (const guid of guids) {
      for (const uid of uids) {
        part += 1;
        const one: Element = { ...element, [keyOf.guid]: guid, [keyOf.uid]: uid };
        const row = rowOf(one, part === 1 ? original : '', undefined, repeated);
        const value = lists.map((field) => `${keyOf[field]}=${written(one[keyOf[field]])}`).join(', ');
        yield { ...row, shaped: { part, value: count === 1 ? '' : shortValue(value) } };
      }
    }
  }

  function rowOf(element: Element, original: string, text: string | undefined, repeated: string | undefined): InputRow {
    if (repeated !== undefined && FIELDS.some((field) => keyOf[field] === repeated)) {
      reader.addProblem(repetition(repeated));
    }
    const read = (field: Field) => textOf(element, field, keyOf[field], text, reader);
    const [region, guid, uid] = [read('region'), read('guid'), read('uid')];
    const [scope, actor] = [read('scope'), read('onBehalfOf')];
    const joinedAt = reader.isSilent ? read('joinedAt') : '';
    return reader.read(line, original, region, guid, uid, scope, actor, joinedAt, undefined, read('until'));
  }

  function learn(key: string, place: string) {
    known.add(key);
    columns.add(key, place);
    for (const field of FIELDS) keyOf[field] = columns.nameOf(field) ?? '';
  }

  const isRow = (element: Element) => looksLikeRow(element, columns.isUid);
  return { isRow, rows, finish, rowsRead: () => line, hasLists: () => hasLists };
}

/** @param text of the element, where its numbers may not be as they are written */
function textOf(element: Element, field: Field, key: string, text: string | undefined, reader: MembershipReader) {
  const value = key === '' ? undefined : element[key];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null || !Object.hasOwn(element, key)) return '';
  // A number is checked as it is written: 1.0 and -0 are not the ids 1 and 0.
  const exact = typeof value === 'number' && text !== undefined ? (parseJson(text) as Element)[key] : value;
  if (isText(exact)) return JSON.stringify(exact);
  reader.addProblem(notText(field, key, exact));
  return '';
}

function written(value: unknown) {
  return value === null ? 'null' : cellOf(value);
}

/** Whether a value can be an id: a text, or a whole number as it is written; also nothing. */
export function isText(value: unknown) {
  if (typeof value === 'string' || value === null || value === undefined) return true;
  const written = JSON.stringify(value);
  return Number.isSafeInteger(Number(written)) && String(Number(written)) === written;
}

export function notText(field: Field, column: string, value: unknown): RowProblem {
  const written = JSON.stringify(value);
  const [first] = written.startsWith('{') ? Object.keys(value as Element) : [];
  const isOpened = field === 'guid' || field === 'uid';
  const why = Array.isArray(value)
    ? `a list${isOpened ? ' inside of a list' : ''}; only users and groups may be lists, of texts or whole numbers`
    : first === undefined
      ? `neither a text nor a whole number up to ${Number.MAX_SAFE_INTEGER}; write it in quotes`
      : `an object; name the value in it that is meant, such as ${column}.${first}`;
  return { column, value: written, code: 'NOT_TEXT', reason: `the ${field} ${shown(written)} is ${why}` };
}

/** The element as the report keeps it: its own text, on one line where that changes nothing. */
export function originalOf(element: Element, text: string, exact: boolean) {
  return exact || !text.includes('\n') ? text : JSON.stringify(element);
}

/** An object with a UID of its own; one with an array of such objects is an envelope around them. */
export function looksLikeRow(object: object, isUid: (key: string) => boolean) {
  const values: readonly unknown[] = Object.values(object);
  const isPerson = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).some(isUid);
  return Object.keys(object).some(isUid) && !values.some((value) => Array.isArray(value) && isPerson(value[0]));
}

function* memberships(element: Element, place: string) {
  const shared = Object.fromEntries(SHARED.filter((key) => key in element).map((key) => [key, element[key]]));
  for (const [list, scope] of Object.entries(SCOPE_OF_LIST)) {
    const uids = element[list] ?? [];
    if (!Array.isArray(uids)) {
      throw intakeError(
        'JSON_SHAPE',
        `${list} is ${shown(JSON.stringify(uids))}; it must be an array of UIDs`,
        `Write it as "${list}": ["uid-1", "uid-2"]`,
        { place },
      );
    }
    for (const uid of uids) yield { ...shared, uid, scope };
  }
}

/**
 * Collects rows, or something else, into chunks.
 * @param lengthOf the characters of an item; needed where items do not come from blocks of text, which keep chunks small
 */
export function* chunked<Item = InputRow>(items: Iterable<Item>, lengthOf = (_: Item) => 0): Generator<Item[]> {
  let chunk: Item[] = [];
  let length = 0;
  for (const item of items) {
    length += lengthOf(item);
    if (chunk.push(item) < ROWS_PER_CHUNK && length < BLOCK_BYTES) continue;
    yield chunk;
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** Returns the error for an object of the wrong shape; it says which shape is expected. */
export function wrongShape(place: string, what: string) {
  return intakeError(
    'JSON_SHAPE',
    what,
    'Write an array of rows, [{"guid": "group-1", "uid": "user-1", "scope": "participant"}], or groups with lists, [{"guid": "group-1", "admins": ["user-1"], "participants": ["user-2"]}]',
    { place },
  );
}

export function tooDeep(place: string) {
  return intakeError('JSON_SHAPE', TOO_DEEP, 'Remove what is nested so deeply: a membership needs none of it', {
    place,
  });
}

export function keysOf(element: Element) {
  const keys = Object.keys(element);
  return keys.length === 0 ? 'no keys' : listed(keys);
}
