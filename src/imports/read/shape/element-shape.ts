import { LIST_OF_SCOPE, SCOPES } from '../../../chat/service/lists.ts';
import type { Shape } from '../../../options/shape.ts';
import { cellOf } from '../../../text/csv-line.ts';
import { sameName } from '../../../text/same-text.ts';
import { type Field, unknownColumn } from '../columns.ts';
import { ELEMENTS_WITHOUT_UID, type Element, hasMemberLists, isMemberList, isText, originalOf } from '../element.ts';
import type { InputRow } from '../input-row.ts';
import { parseJson, repeatedKey, repetition } from '../json-text.ts';
import { compile, type Plan, recognisedBy, sourcedFields } from './compile.ts';
import type { Cells, Layout } from './field-sources.ts';
import type { Shaping } from './shaping.ts';

/** The service's own lists (docs/chat-service.md, 15), for elements that have them. */
const OWN_LISTS: Shape['lists'] = Object.fromEntries(SCOPES.map((scope) => [scope, [LIST_OF_SCOPE[scope]]]));

/** Elements of JSON and NDJSON, as memberships. Columns are keys of the element, or paths into it. */
export function shapedElements({ shape, sources, shaper, columns, hasDefaultGuid, lenient, onRepeat }: Shaping) {
  const known = new Set<string>();
  const { names, flags, absent, slotOf } = askedColumns();
  let paths = pathReader([], new Set());
  let plan: Plan;
  /** The plan for elements in the service's own shape. */
  let ownPlan: Plan | undefined;
  let rowsRead = 0;

  /** A list of the document that the shape itself opens holds no elements. */
  function isOpened(property: string) {
    return names.some((column) => column.startsWith(`${property}.`));
  }

  function* rows(element: Element, place: string, text: string, keys: number): Generator<InputRow> {
    rowsRead += 1;
    for (const key in element) {
      if (!known.has(key)) learn(key, place);
    }
    if (rowsRead === ELEMENTS_WITHOUT_UID) columns.requireMembership(hasDefaultGuid, sourced());
    for (const slot of absent) if (paths.has(element, slot)) absent.delete(slot);
    const repeated = keys === Object.keys(element).length ? undefined : repeatedKey(text);
    const exact = parseJson(text) as Element;
    const original = originalOf(element, text, repeated !== undefined);
    const problems = repeated === undefined ? undefined : [repetition(repeated)];
    const read = shaper(
      ownPlan !== undefined && hasMemberLists(element) ? ownPlan : plan,
      rowsRead,
      original,
      (slots) => paths.cells(exact, slots),
      problems,
    );
    if (read.length > 1) onRepeat(original.length * (read.length - 1));
    yield* read;
  }

  function finish() {
    if (rowsRead === 0) return;
    columns.requireMembership(hasDefaultGuid, sourced());
    const [first] = absent;
    if (first === undefined || lenient) return;
    throw unknownColumn(names[first] ?? '', flags[first] ?? '', columns.names);
  }

  function sourced(): ReadonlySet<Field> {
    const fields = sourcedFields(shape, sources);
    return [...known].some(isMemberList) ? new Set([...fields, 'uid']) : fields;
  }

  function learn(key: string, place: string) {
    const before = JSON.stringify(columns.recognised());
    known.add(key);
    columns.add(key, place);
    const isNews = shape.wide !== undefined || shape.numbered !== undefined;
    if (isNews || JSON.stringify(columns.recognised()) !== before) resolve();
  }

  /** Finds the columns among those that are known. */
  function resolve() {
    const layout: Layout = {
      columns,
      has: (name) => known.has(name) || [...known].some((key) => sameName(key) === sameName(name)),
      slotOf,
    };
    plan = compile(shape, sources, layout);
    const isOwn = shape.lists === undefined && sources.uid === undefined;
    const before = names.length;
    ownPlan = isOwn ? compile({ ...shape, lists: OWN_LISTS }, sources, layout) : undefined;
    // An element need not have all of the four lists.
    for (let slot = before; slot < names.length; slot += 1) absent.delete(slot);
    paths = pathReader(names, plan.optional);
  }

  resolve();
  return {
    isRow: () => true,
    isOpened,
    rows,
    finish,
    rowsRead: () => rowsRead,
    // A row may give several memberships, lists or not.
    hasLists: () => true,
    recognised: () => recognisedBy(plan),
  };
}

/** Columns that are read, by slot, who asked for them, and those that no element had. */
function askedColumns() {
  const names: string[] = [];
  const flags: string[] = [];
  const absent = new Set<number>();
  const slotOf = (written: string, flag: string) => {
    const name = written.trim();
    const asked = names.indexOf(name);
    if (asked !== -1) return asked;
    const slot = names.push(name) - 1;
    flags.push(flag);
    absent.add(slot);
    return slot;
  };
  return { names, flags, absent, slotOf };
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
function pathReader(columns: readonly string[], optional: ReadonlySet<number>) {
  function pathOf(element: Element, slot: number): Path {
    const column = columns[slot] ?? '';
    return keyIn(element, column) === undefined ? column.split('.') : [column];
  }

  /** Every combination of values, as cells by column. An element whose list of users or groups is empty gives none. */
  function* cells(element: Element, chosen: readonly number[]): Generator<Cells> {
    const wanted = chosen.map((slot) => ({ slot, path: pathOf(element, slot), mayLack: optional.has(slot) }));
    for (const assigned of combinations([{ node: element, wanted, depth: 0 }], [])) {
      // An empty list assigns nothing: its column is empty, whatever the combination before had there.
      const values = new Array<string>(columns.length).fill('');
      for (const [slot, value] of assigned) values[slot] = cellOf(value);
      const notText = assigned.filter(([, value]) => !isText(value));
      yield notText.length === 0 ? values : Object.assign(values, { notText: new Map(notText) });
    }
  }

  const has = (element: Element, slot: number) => reaches(element, pathOf(element, slot), 0);
  return { cells, has };
}

type Assigned = readonly (readonly [slot: number, value: unknown])[];

/** Columns whose paths lead on below a value. */
interface Below {
  readonly node: unknown;
  readonly wanted: readonly Wanted[];
  readonly depth: number;
  /** Below every value of an object. */
  readonly each?: boolean;
}

/** Every combination of the values that are below, each with those that are found. */
function* combinations([first, ...others]: readonly Below[], found: Assigned): Generator<Assigned> {
  if (first === undefined) {
    yield found;
    return;
  }
  const { node, wanted, depth, each } = first;
  if (Array.isArray(node)) {
    if (node.length === 0 && wanted.every(({ mayLack }) => mayLack)) yield* combinations(others, found);
    for (const entry of node) yield* combinations([{ ...first, node: entry }, ...others], found);
  } else if (each) {
    const below = wanted.filter(({ path }) => path[depth] !== KEY);
    const keys = wanted.filter(({ path }) => path[depth] === KEY);
    for (const [key, value] of typeof node === 'object' && node !== null ? Object.entries(node) : []) {
      const next = { node: value, wanted: below, depth: depth + 1 };
      yield* combinations([next, ...others], [...found, ...keys.map(({ slot }) => [slot, key] as const)]);
    }
  } else {
    const here = wanted.filter(({ path }) => path.length === depth).map(({ slot }) => [slot, node] as const);
    const deeper = wanted.filter(({ path }) => path.length > depth);
    const byKey = Map.groupBy(deeper, ({ path }) => (path[depth] === KEY ? EACH : (path[depth] as string)));
    const next = [...byKey].map(([key, below]) =>
      key === EACH
        ? { node, wanted: below, depth, each: true }
        : { node: valueAt(node, key), wanted: below, depth: depth + 1 },
    );
    yield* combinations([...next, ...others], [...found, ...here]);
  }
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
