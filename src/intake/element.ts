import { type Columns, FIELDS, type Field } from './columns.ts';
import type { InputRow } from './input-row.ts';
import { IntakeError, listed, shown } from './intake-error.ts';
import type { MembershipReader } from './membership-row.ts';

/** An element of a JSON array or a line of NDJSON. */
export type Element = Readonly<Record<string, unknown>>;

/** The service's lists (docs/chat-service.md, 15) and the scope that each gives. */
const LISTS = [
  ['admins', 'admin'],
  ['moderators', 'moderator'],
  ['participants', 'participant'],
  ['usersToBan', 'ban'],
] as const;

/** Fields that an element in the service's own shape hands down to each of its memberships. */
const SHARED = ['region', 'guid', 'onBehalfOf'] as const;

/** Rows of one chunk at most: an element in the service's own shape may hold a million. */
const ROWS_PER_CHUNK = 500;

/** Elements without a UID after which the search for one ends. */
const ELEMENTS_WITHOUT_UID = 1_000;

export function isMemberList(key: string | null): boolean {
  return LISTS.some(([list]) => list === key);
}

/** Is this the service's own shape: an object with at least one of its four lists? */
export function hasMemberLists(element: Element): boolean {
  return 'admins' in element || 'moderators' in element || 'participants' in element || 'usersToBan' in element;
}

/** The rows of elements, whether an element is one membership or a group with lists of UIDs. */
export class ElementReader {
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

  /** `text` is the element's own JSON text where the caller has it. `place` names the element in errors. */
  *rows(element: Element, place: string, text?: string): Generator<InputRow> {
    if (!hasMemberLists(element)) {
      yield this.#row(element, text ?? JSON.stringify(element));
      return;
    }
    for (const membership of memberships(element, place)) yield this.#row(membership, JSON.stringify(membership));
  }

  /** To be called when the last element is read: a column that no element had may not be asked for. */
  finish(): void {
    if (this.#line === 0) return;
    this.#columns.requireMembership(this.#hasDefaultGuid);
    this.#columns.requireMapped();
  }

  #row(element: Element, original: string): InputRow {
    this.#line += 1;
    for (const key in element) {
      if (!this.#known.has(key)) this.#learn(key);
    }
    if (this.#line === ELEMENTS_WITHOUT_UID) this.#columns.requireMembership(this.#hasDefaultGuid);
    return this.#reader.read(
      this.#line,
      original,
      this.#text(element, 'region'),
      this.#text(element, 'guid'),
      this.#text(element, 'uid'),
      this.#text(element, 'scope'),
      this.#text(element, 'onBehalfOf'),
    );
  }

  #learn(key: string): void {
    this.#known.add(key);
    this.#columns.add(key);
    for (const field of FIELDS) this.#keys[field] = this.#columns.nameOf(field) ?? '';
  }

  #text(element: Element, field: Field): string {
    const key = this.#keys[field];
    const value = key === '' ? undefined : element[key];
    if (typeof value === 'string') return value;
    if (value === undefined || value === null || !Object.hasOwn(element, key)) return '';
    // A number is judged as it is written: the JSON reader keeps large ones as their text.
    const written = JSON.stringify(value);
    if (Number.isSafeInteger(Number(written))) return String(Number(written));
    const reason = `the ${field} ${shown(written)} is neither a text nor a whole number up to ${Number.MAX_SAFE_INTEGER}; write it in quotes`;
    this.#reader.addProblem(key, written, 'NOT_TEXT', reason);
    return '';
  }
}

/** The memberships of an element in the service's own shape, list by list. */
function* memberships(element: Element, place: string): Generator<Element> {
  const shared = Object.fromEntries(SHARED.filter((key) => key in element).map((key) => [key, element[key]]));
  for (const [list, scope] of LISTS) {
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

/** What an object must look like to be used, said to somebody whose object does not. */
export function wrongShape(place: string, what: string): IntakeError {
  return new IntakeError({
    code: 'JSON_SHAPE',
    place,
    what,
    remedy:
      'Write an array of rows, [{"guid": "group-1", "uid": "user-1", "scope": "participant"}], or groups with lists, [{"guid": "group-1", "admins": ["user-1"], "participants": ["user-2"]}]',
  });
}

export function keysOf(element: Element): string {
  return listed(Object.keys(element));
}
