import type { Element } from '../element.ts';

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
}

/** Reads the same columns from one element after the other. A key that has the whole name comes before a path. */
export class PathReader {
  readonly #columns: readonly string[];
  readonly #paths: readonly Path[];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#paths = columns.map((column) => column.split('.'));
  }

  /** Every combination of values, as cells by column. An element whose list is empty gives none. */
  *cells(element: Element, chosen: readonly number[]): Generator<string[]> {
    const cells = new Array<string>(this.#columns.length).fill('');
    const wanted: Wanted[] = [];
    for (const slot of chosen) {
      const column = this.#columns[slot] as string;
      wanted.push({ slot, path: Object.hasOwn(element, column) ? [column] : (this.#paths[slot] as Path) });
    }
    for (const assigned of combinations(element, wanted, 0)) {
      for (const [slot, text] of assigned) cells[slot] = text;
      yield [...cells];
    }
  }

  /** Whether the element has anything at this column. */
  has(element: Element, slot: number): boolean {
    const column = this.#columns[slot] as string;
    return Object.hasOwn(element, column) || reaches(element, this.#paths[slot] as Path, 0);
  }
}

type Assigned = readonly (readonly [slot: number, text: string])[];

function* combinations(node: unknown, wanted: readonly Wanted[], depth: number): Generator<Assigned> {
  if (Array.isArray(node)) {
    for (const entry of node) yield* combinations(entry, wanted, depth);
    return;
  }
  const here = wanted.filter(({ path }) => path.length === depth).map(({ slot }) => [slot, textOf(node)] as const);
  const parts = branches(node, wanted, depth);
  yield* crossed(here, parts, 0, depth);
}

/** The values below a node: by key, and for `*` by every value. */
type Branch = () => Iterable<Assigned>;

function branches(node: unknown, wanted: readonly Wanted[], depth: number): Branch[] {
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

function valueAt(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as Element)[key] : undefined;
}

function reaches(node: unknown, path: Path, depth: number): boolean {
  if (Array.isArray(node)) return node.some((entry) => reaches(entry, path, depth));
  if (depth === path.length) return true;
  if (typeof node !== 'object' || node === null) return false;
  const key = path[depth] as string;
  if (key === KEY) return true;
  if (key === EACH) return Object.values(node).some((value) => reaches(value, path, depth + 1));
  return Object.hasOwn(node, key) && reaches((node as Element)[key], path, depth + 1);
}

/** A value as a cell: a text as it is, nothing as an empty one, all else as JSON writes it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
