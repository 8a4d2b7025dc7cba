import { LIST_OF_SCOPE, SCOPES } from '../../../chat/service/lists.ts';
import type { Shape } from '../../../options/shape.ts';
import { cellOf } from '../../../text/csv-line.ts';
import { sameName } from '../../../text/same-text.ts';
import { unknownColumn } from '../columns.ts';
import { ELEMENTS_WITHOUT_UID, type Element, type Elements, hasMemberLists, isText, originalOf } from '../element.ts';
import type { InputRow } from '../input-row.ts';
import { parseJson, repeatedKey, repetition } from '../json-text.ts';
import { compile, type Plan, recognisedBy, sourcedFields } from './compile.ts';
import type { Cells } from './field-sources.ts';
import type { Layout } from './groups.ts';
import type { Shaping } from './shaping.ts';

/** The service's own lists (docs/chat-service.md, 15), for elements that have them. */
const OWN_LISTS: Shape['lists'] = Object.fromEntries(SCOPES.map((scope) => [scope, [LIST_OF_SCOPE[scope]]]));

/** Elements of JSON and NDJSON, as memberships. Columns are keys of the element, or paths into it. */
export class ShapedElements implements Elements {
  readonly #shaping: Shaping;
  readonly #known = new Set<string>();
  /** Columns that are read, by slot, who asked for them, and whether an element had them. */
  readonly #slots: string[] = [];
  readonly #flags: string[] = [];
  #absent = new Set<number>();
  #paths = new PathReader([], new Set());
  #plan: Plan | undefined;
  /** The plan for elements in the service's own shape. */
  #ownPlan: Plan | undefined;
  rowsRead = 0;
  /** A row may give several memberships, lists or not. */
  readonly hasLists = true;

  constructor(shaping: Shaping) {
    this.#shaping = shaping;
    this.#compile();
  }

  isRow(): boolean {
    return true;
  }

  /** A list of the document that the shape itself opens holds no elements. */
  isOpened(property: string): boolean {
    return this.#slots.some((column) => column.startsWith(`${property}.`));
  }

  *rows(element: Element, place: string, text: string, keys: number): Generator<InputRow> {
    this.rowsRead += 1;
    for (const key in element) {
      if (!this.#known.has(key)) this.#learn(key, place);
    }
    const { shaper, onRepeat, columns, hasDefaultGuid } = this.#shaping;
    if (this.rowsRead === ELEMENTS_WITHOUT_UID) columns.requireMembership(hasDefaultGuid, this.#sourced(element));
    for (const slot of this.#absent) if (this.#paths.has(element, slot)) this.#absent.delete(slot);
    const repeated = keys === Object.keys(element).length ? undefined : repeatedKey(text);
    const exact = parseJson(text) as Element;
    const original = originalOf(element, text, repeated !== undefined);
    const problems = repeated === undefined ? undefined : [repetition(repeated)];
    const plan = this.#ownPlan !== undefined && hasMemberLists(element) ? this.#ownPlan : this.#plan;
    if (plan === undefined) throw new Error('the shape was not read');
    const rows = shaper.rows(plan, this.rowsRead, original, (slots) => this.#paths.cells(exact, slots), problems);
    if (rows.length > 1) onRepeat(original.length * (rows.length - 1));
    yield* rows;
  }

  finish(): void {
    if (this.rowsRead === 0) return;
    const { columns, hasDefaultGuid, lenient } = this.#shaping;
    columns.requireMembership(hasDefaultGuid, this.#sourced({}));
    const [absent] = this.#absent;
    if (absent === undefined || lenient) return;
    throw unknownColumn(this.#slots[absent] ?? '', this.#flags[absent] ?? '', columns.names);
  }

  recognised() {
    return this.#plan === undefined ? {} : recognisedBy(this.#plan);
  }

  #sourced(element: Element) {
    const { shape, sources } = this.#shaping;
    const sourced = new Set(sourcedFields(shape, sources));
    if (hasMemberLists(element) || [...this.#known].some((key) => hasMemberLists({ [key]: true }))) sourced.add('uid');
    return sourced;
  }

  #learn(key: string, place: string) {
    const { columns, shape } = this.#shaping;
    const before = JSON.stringify(columns.recognised());
    this.#known.add(key);
    columns.add(key, place);
    const isNews = shape.wide !== undefined || shape.numbered !== undefined;
    if (isNews || JSON.stringify(columns.recognised()) !== before) this.#compile();
  }

  #compile() {
    const { shape, sources, columns } = this.#shaping;
    const layout: Layout = {
      columns,
      names: () => columns.names,
      has: (name) => this.#known.has(name) || [...this.#known].some((key) => sameName(key) === sameName(name)),
      slotOf: (name, flag) => this.#slotOf(name.trim(), flag),
    };
    this.#plan = compile(shape, sources, layout);
    const isOwn = shape.lists === undefined && sources.uid === undefined;
    const known = this.#slots.length;
    this.#ownPlan = isOwn ? compile({ ...shape, lists: OWN_LISTS }, sources, layout) : undefined;
    // An element need not have all of the four lists.
    for (let slot = known; slot < this.#slots.length; slot += 1) this.#absent.delete(slot);
    this.#paths = new PathReader(this.#slots, this.#plan.optional);
  }

  #slotOf(name: string, flag: string) {
    const known = this.#slots.indexOf(name);
    if (known !== -1) return known;
    const slot = this.#slots.push(name) - 1;
    this.#flags.push(flag);
    this.#absent.add(slot);
    return slot;
  }
}

/**
 * Paths into JSON elements: `item.user_id`, `user.teams.channels.name`, `teams.*.members`, `teams.@key`. Lists on the way
 * are expanded automatically; `*` is every value of an object and `@key` the name of that value. Paths through the same
 * list stay together (a channel's name and its role); different lists are combined, each entry with each.
 */
type Path = readonly string[];

const EACH = '*';
const KEY = '@key';

interface Wanted {
  /** Place of its value in the cells. */
  readonly slot: number;
  readonly path: Path;
  readonly mayLack: boolean;
}

/** Reads the same columns from one element after the other. A key that has the whole name comes before a path. */
class PathReader {
  readonly #columns: readonly string[];
  readonly #paths: readonly Path[];
  readonly #optional: ReadonlySet<number>;

  constructor(columns: readonly string[], optional: ReadonlySet<number>) {
    this.#columns = columns;
    this.#optional = optional;
    this.#paths = columns.map((column) => column.split('.'));
  }

  /** Every combination of values, as cells by column. An element whose list of users or groups is empty gives none. */
  *cells(element: Element, chosen: readonly number[]): Generator<Cells> {
    const cells = new Array<string>(this.#columns.length).fill('');
    const notText = new Map<number, unknown>();
    const wanted: Wanted[] = [];
    for (const slot of chosen) {
      const column = this.#columns[slot] as string;
      const mayLack = this.#optional.has(slot);
      wanted.push({
        slot,
        mayLack,
        path: keyIn(element, column) === undefined ? (this.#paths[slot] as Path) : [column],
      });
    }
    for (const assigned of combinations(element, wanted, 0)) {
      for (const [slot, value] of assigned) {
        cells[slot] = cellOf(value);
        if (isText(value)) notText.delete(slot);
        else notText.set(slot, value);
      }
      yield notText.size === 0 ? [...cells] : Object.assign([...cells], { notText: new Map(notText) });
    }
  }

  /** Whether the element has anything at this column. */
  has(element: Element, slot: number): boolean {
    const column = this.#columns[slot] as string;
    return keyIn(element, column) !== undefined || reaches(element, this.#paths[slot] as Path, 0);
  }
}

type Assigned = readonly (readonly [slot: number, value: unknown])[];

function* combinations(node: unknown, wanted: readonly Wanted[], depth: number): Generator<Assigned> {
  if (Array.isArray(node)) {
    if (node.length === 0 && wanted.every(({ mayLack }) => mayLack)) yield [];
    for (const entry of node) yield* combinations(entry, wanted, depth);
    return;
  }
  const found = wanted.filter(({ path }) => path.length === depth).map(({ slot }) => [slot, node] as const);
  const parts = branches(node, wanted, depth);
  yield* crossed(found, parts, 0, depth);
}

/** The values below a node: by key, and for `*` by every value. */
type Branch = () => Iterable<Assigned>;

function branches(node: unknown, wanted: readonly Wanted[], depth: number) {
  const deeper = wanted.filter(({ path }) => path.length > depth);
  const byKey = Map.groupBy(deeper, ({ path }) => (path[depth] === KEY ? EACH : (path[depth] as string)));
  return [...byKey].map(
    ([key, below]) =>
      () =>
        key === EACH ? eachValue(node, below, depth) : combinations(valueAt(node, key), below, depth + 1),
  );
}

function* eachValue(node: unknown, wanted: readonly Wanted[], depth: number): Generator<Assigned> {
  if (typeof node !== 'object' || node === null) return;
  const keys = wanted.filter(({ path }) => path[depth] === KEY);
  const below = wanted.filter(({ path }) => path[depth] !== KEY);
  for (const [key, value] of Object.entries(node)) {
    const own = keys.map(({ slot }) => [slot, key] as const);
    for (const assigned of combinations(value, below, depth + 1)) yield [...own, ...assigned];
  }
}

function* crossed(before: Assigned, parts: readonly Branch[], index: number, depth: number): Generator<Assigned> {
  const part = parts[index];
  if (part === undefined) {
    yield before;
    return;
  }
  for (const assigned of part()) yield* crossed([...before, ...assigned], parts, index + 1, depth);
}

function valueAt(node: unknown, key: string) {
  const found = typeof node === 'object' && node !== null ? keyIn(node, key) : undefined;
  return found === undefined ? undefined : (node as Element)[found];
}

/** The key of an object that is written so, perhaps in another form of its letters. */
function keyIn(node: object, key: string) {
  if (Object.hasOwn(node, key)) return key;
  if (/^[ -~]*$/.test(key)) return undefined;
  return Object.keys(node).find((other) => sameName(other) === sameName(key));
}

function reaches(node: unknown, path: Path, depth: number): boolean {
  if (depth === path.length) return true;
  if (Array.isArray(node)) return node.some((entry) => reaches(entry, path, depth));
  if (typeof node !== 'object' || node === null) return false;
  const key = path[depth] as string;
  if (key === KEY) return true;
  if (key === EACH) return Object.values(node).some((value) => reaches(value, path, depth + 1));
  return keyIn(node, key) !== undefined && reaches(valueAt(node, key), path, depth + 1);
}
