import { MEMBER_LISTS, SCOPE_OF_LIST } from '../../membership/member-lists.ts';
import { MOST_DEPTH } from './bounds.ts';
import { type Columns, FIELDS, type Field } from './columns.ts';
import type { InputRow } from './input-row.ts';
import { IntakeError, listed, shown } from './intake-error.ts';
import { parseJson, repeatedKey } from './json-text.ts';
import type { MembershipReader } from './membership-row.ts';

/** An element of a JSON array or a line of NDJSON. */
export type Element = Readonly<Record<string, unknown>>;

/** Fields that an element in the service's own shape passes on to each of its memberships. */
const SHARED = ['region', 'guid', 'onBehalfOf'] as const;

/** Rows of one chunk at most: an element in the service's own shape may hold a million. */
const ROWS_PER_CHUNK = 500;

/** Elements without a UID after which the search for one ends. */
export const ELEMENTS_WITHOUT_UID = 1_000;

export function isMemberList(key: string | null): boolean {
  return key !== null && Object.hasOwn(SCOPE_OF_LIST, key);
}

/** Is this the service's own shape: an object with at least one of its four lists? */
export function hasMemberLists(element: Element): boolean {
  return MEMBER_LISTS.some((list) => list in element);
}

/** Makes rows of elements. */
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

/** The rows of elements, whether an element is one membership or a group with lists of UIDs. */
export class ElementReader implements Elements {
  readonly #columns: Columns;
  readonly #reader: MembershipReader;
  readonly #hasDefaultGuid: boolean;
  readonly #known = new Set<string>();
  /** Key that each field is read from; empty until one came to light. */
  readonly #keys: Record<Field, string> = { region: '', guid: '', uid: '', scope: '', onBehalfOf: '' };
  #line = 0;

  constructor(columns: Columns, reader: MembershipReader, hasDefaultGuid: boolean) {
    this.#columns = columns;
    this.#reader = reader;
    this.#hasDefaultGuid = hasDefaultGuid;
  }

  isRow(element: Element): boolean {
    return looksLikeRow(element, (key) => this.#columns.isFor('uid', key));
  }

  *rows(element: Element, place: string, text: string, keys: number): Generator<InputRow> {
    const repeated = keys === Object.keys(element).length ? undefined : repeatedKey(text);
    if (!hasMemberLists(element)) {
      yield this.#row(element, place, originalOf(element, text, repeated !== undefined), repeated);
      return;
    }
    if (repeated !== undefined) throw wrongShape(place, `${shown(repeated)} is in it more than once`);
    for (const membership of memberships(element, place))
      yield this.#row(membership, place, JSON.stringify(membership));
  }

  finish(): void {
    if (this.#line === 0) return;
    this.#columns.requireMembership(this.#hasDefaultGuid);
    this.#columns.requireMapped();
  }

  #row(element: Element, place: string, original: string, repeated?: string): InputRow {
    this.#line += 1;
    for (const key in element) {
      if (!this.#known.has(key)) this.#learn(key, place);
    }
    if (repeated !== undefined && FIELDS.some((field) => this.#keys[field] === repeated)) {
      const reason = `the key ${shown(repeated)} is in this row more than once, and it is not clear which one counts`;
      this.#reader.addProblem(repeated, '', 'REPEATED_KEY', reason);
    }
    if (this.#line === ELEMENTS_WITHOUT_UID) this.#columns.requireMembership(this.#hasDefaultGuid);
    return this.#reader.read(
      this.#line,
      original,
      this.#text(element, 'region', original),
      this.#text(element, 'guid', original),
      this.#text(element, 'uid', original),
      this.#text(element, 'scope', original),
      this.#text(element, 'onBehalfOf', original),
    );
  }

  #learn(key: string, place: string): void {
    this.#known.add(key);
    this.#columns.add(key, place);
    for (const field of FIELDS) this.#keys[field] = this.#columns.nameOf(field) ?? '';
  }

  #text(element: Element, field: Field, original: string): string {
    const key = this.#keys[field];
    const value = key === '' ? undefined : element[key];
    if (typeof value === 'string') return value;
    if (value === undefined || value === null || !Object.hasOwn(element, key)) return '';
    // A number is checked as it is written: 1.0 and -0 are not the ids 1 and 0.
    const exact = typeof value === 'number' ? (parseJson(original) as Element)[key] : value;
    const written = JSON.stringify(exact);
    if (Number.isSafeInteger(Number(written)) && String(Number(written)) === written) return written;
    const reason = `the ${field} ${shown(written)} is neither a text nor a whole number up to ${Number.MAX_SAFE_INTEGER}; write it in quotes`;
    this.#reader.addProblem(key, written, 'NOT_TEXT', reason);
    return '';
  }
}

/** The element as the report keeps it: its own text, on one line where that changes nothing. */
export function originalOf(element: Element, text: string, exact: boolean): string {
  return exact || !text.includes('\n') ? text : JSON.stringify(element);
}

/** An object with a UID of its own; one with an array of such objects is an envelope around them. */
export function looksLikeRow(object: object, isUid: (key: string) => boolean): boolean {
  const values: readonly unknown[] = Object.values(object);
  const isPerson = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).some(isUid);
  return Object.keys(object).some(isUid) && !values.some((value) => Array.isArray(value) && isPerson(value[0]));
}

/** The memberships of an element in the service's own shape, list by list. */
function* memberships(element: Element, place: string): Generator<Element> {
  const shared = Object.fromEntries(SHARED.filter((key) => key in element).map((key) => [key, element[key]]));
  for (const [list, scope] of Object.entries(SCOPE_OF_LIST)) {
    const uids = element[list] ?? [];
    if (!Array.isArray(uids)) {
      throw new IntakeError({
        code: 'JSON_SHAPE',
        place,
        what: `${list} is ${shown(JSON.stringify(uids))}; it must be an array of UIDs`,
        remedy: `Write it as "${list}": ["uid-1", "uid-2"]`,
      });
    }
    for (const uid of uids) yield { ...shared, uid, scope };
  }
}

/** Collects rows into chunks. */
export function* chunked(rows: Iterable<InputRow>): Generator<InputRow[]> {
  let chunk: InputRow[] = [];
  for (const row of rows) {
    if (chunk.push(row) < ROWS_PER_CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** What an object must look like, for the error about one that does not. */
export function wrongShape(place: string, what: string): IntakeError {
  return new IntakeError({
    code: 'JSON_SHAPE',
    place,
    what,
    remedy:
      'Write an array of rows, [{"guid": "group-1", "uid": "user-1", "scope": "participant"}], or groups with lists, [{"guid": "group-1", "admins": ["user-1"], "participants": ["user-2"]}]',
  });
}

export function tooDeep(place: string): IntakeError {
  return new IntakeError({
    code: 'JSON_SHAPE',
    place,
    what: `it is nested deeper than ${MOST_DEPTH} levels`,
    remedy: 'Remove what is nested so deeply: a membership needs none of it',
  });
}

export function keysOf(element: Element): string {
  const keys = Object.keys(element);
  return keys.length === 0 ? 'no keys' : listed(keys);
}
