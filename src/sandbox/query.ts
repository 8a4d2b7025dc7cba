import { badRequest, type Call } from './call.ts';
import type { FaultKind } from './injected-faults.ts';

/** Query parameters of lists: applied as documented, or refused by name. */

/** A switch: true or false in any case, 1 or 0. */
export function isOn({ query }: Call, name: string) {
  const text = (query.get(name) ?? 'false').toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw badRequest(`${name} must be true or false.`, name);
}

/** The values of a comma list, which clients also write as `name[]` or `name[0]`; undefined where there is none. */
export function valuesOf({ query }: Call, name: string): readonly string[] | undefined {
  const given = [...query].filter(([key]) => key === name || key.startsWith(`${name}[`));
  const values = given.flatMap(([, value]) => value.split(',')).filter((value) => value !== '');
  return values.length === 0 ? undefined : values;
}

/** @param names documented, and not done here */
export function refuseQuery({ query }: Call, names: readonly string[]) {
  const found = names.filter((name) => query.has(name));
  if (found.length > 0) throw badRequest('The sandbox does not have this parameter.', ...found);
}

/** The items in the order of `sortBy` and `sortOrder`. @param keys what they can be sorted by */
export function sorted<Item>(
  { query }: Call,
  items: readonly Item[],
  keys: Readonly<Record<string, (item: Item) => string | number>>,
): readonly Item[] {
  const order = (query.get('sortOrder') ?? 'asc').toLowerCase();
  if (order !== 'asc' && order !== 'desc') throw badRequest('sortOrder must be asc or desc.', 'sortOrder');
  const by = query.get('sortBy');
  if (by === null) return items;
  const key = Object.hasOwn(keys, by) ? keys[by] : undefined;
  if (key === undefined) throw badRequest(`sortBy must be one of ${Object.keys(keys).join(', ')}.`, 'sortBy');
  const up = items.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
  return order === 'asc' ? up : up.reverse();
}

/** Whether a user or group is one that `searchKey`, `searchIn` and `tags` ask for. @param idName uid or guid */
export function searching(call: Call, idName: string): (id: string, name: string, tags: readonly string[]) => boolean {
  const key = call.query.get('searchKey')?.toLowerCase() ?? '';
  const fields = valuesOf(call, 'searchIn') ?? [idName, 'name'];
  const unknown = fields.find((field) => field !== idName && field !== 'name');
  if (unknown !== undefined) throw badRequest(`searchIn must be ${idName} or name.`, 'searchIn');
  const wanted = valuesOf(call, 'tags');
  return (id, name, tags) =>
    (wanted === undefined || wanted.some((tag) => tags.includes(tag))) &&
    ((fields.includes(idName) && id.startsWith(key)) ||
      (fields.includes('name') && name.toLowerCase().startsWith(key)));
}

/** Documented: 100 items per page where nothing is asked for, 1,000 at most. */
const DEFAULT_PER_PAGE = 100;
const MAX_PER_PAGE = 1000;

/** Cuts the page that the query asks for (`perPage`, `page`) out of a list. */
export function pageOf<T>(call: Call, items: readonly T[], show: (item: T) => object) {
  const perPage = wholeNumber(call, 'perPage', DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = wholeNumber(call, 'page', 1, Number.MAX_SAFE_INTEGER);
  const from = call.fault === 'repeat-page' ? 0 : (page - 1) * perPage;
  const shown = spoilt(call.fault, items.slice(from, from + perPage)).map(show);
  const { pagination } = call.behaviour;
  if (pagination === 'absent') return shown;
  const isRight = pagination === 'right';
  call.meta = {
    pagination: {
      total: isRight ? items.length : 0,
      count: pagination === 'sample' ? shown.length + 1 : shown.length,
      per_page: perPage,
      current_page: page,
      total_pages: isRight ? Math.max(1, Math.ceil(items.length / perPage)) : 1,
    },
  };
  return shown;
}

function spoilt<T>(fault: FaultKind | undefined, page: readonly T[]): readonly T[] {
  if (fault === 'empty-page') return [];
  return fault === 'short-page' ? page.slice(0, page.length >> 1) : page;
}

function wholeNumber({ query }: Call, name: string, absent: number, max: number) {
  const text = query.get(name);
  if (text === null) return absent;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw badRequest(`${name} must be a whole number from 1 to ${max}.`, name);
  return value;
}
