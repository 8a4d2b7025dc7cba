import { RollcallError } from '../errors/rollcall-error.ts';
/**
 * Whole lists of a group, read page by page: all of a list, or an error. A list that broke off and passed for a whole
 * one would have a sync act on members that it never saw.
 *
 * What is certain: every user who was in the group from the first page to the last is in the result, unless the list
 * hides it. The order of the pages is not known, and the list may change between them. A user who joins meanwhile can shift
 * others onto a later page, where they are listed again, which is harmless; the new user may be missing. A user who leaves
 * can shift others onto a page that was read already, where they are missed: the total shrinks, and the list is read
 * again. That does not show if another user joins between the same two pages, so being listed is better evidence than
 * not being listed.
 */
import { foldId } from '../membership/membership.ts';
import { LISTS, type ListEntry, type ListKind, type ListPages, type Page, type PageOptions } from './list-client.ts';

/** Number of times that a list is read before rollcall gives up. */
export const READINGS = 3;

interface ListOptions extends PageOptions {
  /** Called after every page with its number, from 1 in each reading, and the entries of this reading so far. */
  readonly onPage?: ((progress: { readonly page: number; readonly entries: number }) => void) | undefined;
}

/** Pages of a list of the app that are asked for before their turn: one after another they would leave most of a rate limit unused. */
const PAGES_AHEAD = 8;

/**
 * Reads a whole list into the store, each entry once. Banned users may be among the members of a group. It takes a call for each
 * `perPage` entries, and one for an empty list; more where the list does not say its length.
 * @param pages an error of theirs ends the reading, so that a page that is worth another try is best tried again there
 * @param guid empty for a list of the app
 * @throws UNTRUSTED_LISTING when no reading was whole, and what the calls throw
 */
export async function readList<Kind extends ListKind>(
  store: ListStore<ListEntry<Kind>>,
  pages: ListPages,
  kind: Kind,
  guid: string,
  options: ListOptions = {},
) {
  const { words, perPage: most } = LISTS[kind];
  const { perPage = most } = options;
  const getPage = (page: number) => pages.listPage(kind, guid, page, { perPage, signal: options.signal });
  let problem: string | undefined;
  for (let reading = 1; reading <= READINGS; reading += 1) {
    store.clear();
    const pageOf = askedAhead(getPage, guid === '' ? PAGES_AHEAD : 0);
    problem = await readOnce(store, { ...options, perPage }, pageOf);
    if (problem === undefined) return;
  }
  const list = guid === '' ? words : `${words} of group ${JSON.stringify(guid)}`;
  throw new RollcallError('UNTRUSTED_LISTING', { list, problem: problem ?? '', readings: READINGS });
}

/** The lowercased UIDs of all who are banned: a list of its own, with calls of its own. @throws as readList */
export async function readBanned(
  pages: ListPages,
  guid: string,
  options: ListOptions = {},
): Promise<ReadonlySet<string>> {
  const found = mapStore<ListEntry<'banned'>>();
  await readList(found, pages, 'banned', guid, options);
  return new Set(found.keys());
}

/** Receives the entries of a list while it is read. Ids are compared without regard to case. */
export interface ListStore<Entry> {
  /** A reading begins: nothing of an earlier one counts. */
  clear(): void;
  /** Takes the entries of a page; of an id that is there already, the later entry counts, which is newer. */
  put(entries: readonly Entry[]): void;
  /** Different ids so far. */
  size(): number;
}

type Named = { readonly uid: string } | { readonly guid: string };

function idOf(entry: Named) {
  return 'uid' in entry ? entry.uid : entry.guid;
}

export function mapStore<Entry extends Named>(): ListStore<Entry> & Pick<Map<string, Entry>, 'keys' | 'values'> {
  const found = new Map<string, Entry>();
  return {
    clear: () => found.clear(),
    put: (entries) => {
      for (const entry of entries) found.set(foldId(idOf(entry)), entry);
    },
    size: () => found.size,
    keys: () => found.keys(),
    values: () => found.values(),
  };
}

/** A list in tables of a database. @param put takes an entry, and says whether its id is new */
export function tableStore<Entry extends Named>(
  transaction: (work: () => void) => void,
  clear: () => void,
  put: (id: string, entry: Entry) => boolean,
): ListStore<Entry> {
  let size = 0;
  return {
    clear: () => {
      size = 0;
      transaction(clear);
    },
    put: (entries) =>
      transaction(() => {
        for (const entry of entries) if (put(idOf(entry), entry)) size += 1;
      }),
    size: () => size,
  };
}

/**
 * One reading; gives what is wrong with it. No single number of a page is relied on: the list ends where as many pages and
 * entries were read as it promises, exactly; where the two differ, or nothing is promised, only an empty page is its end
 * (docs/chat-service.md, 45).
 */
async function readOnce<Entry>(
  store: ListStore<Entry>,
  { perPage, onPage }: Pick<ListOptions, 'onPage'> & { readonly perPage: number },
  pageOf: (page: number) => Promise<Page<Entry>>,
): Promise<string | undefined> {
  let read = 0;
  let atFirst: number | undefined;
  let totalBefore = 0;
  let lastWasShort = false;
  for (let page = 1; ; page += 1) {
    const { entries, pagination } = await pageOf(page);
    const { total, count = 0, perPage: stated = perPage, totalPages = 0 } = pagination ?? {};

    // Published samples count more entries on a page than in the whole list (count 5, total 0): such a count says nothing.
    if (count > entries.length && count <= (total ?? count)) {
      return `page ${page} says it has ${count} entries and has ${entries.length}`;
    }
    if (total !== undefined && total < totalBefore) {
      return `it shrank from ${totalBefore} entries to ${total} while it was read`;
    }
    atFirst ??= total;
    totalBefore = total ?? totalBefore;

    if (entries.length > 0) {
      if (lastWasShort) return `page ${page - 1} was not full, and page ${page} has entries all the same`;
      const readBefore = read;
      store.put(entries);
      read = store.size();
      if (read === readBefore) return `page ${page} repeats what earlier pages had`;
      onPage?.({ page, entries: read });
      lastWasShort = entries.length < Math.min(perPage, stated);
    }
    if (read === total && page >= totalPages) return undefined;
    if (entries.length > 0) continue;

    // The end. An empty list has one page too.
    if (totalPages > Math.max(page - 1, 1)) return `page ${page} of ${totalPages} came empty`;
    if (read < (atFirst ?? 0)) return `it promised ${atFirst} entries and gave ${read}`;
    return undefined;
  }
}

/**
 * Pages in their order, some of them requested ahead. It still shows when a user leaves: if one page was requested before
 * that and a later one after it, the total shrinks from one page to the next somewhere between the two.
 */
function askedAhead<Entry>(
  getPage: (page: number) => Promise<Page<Entry>>,
  ahead: number,
): (page: number) => Promise<Page<Entry>> {
  const asked = new Map<number, Promise<Page<Entry>>>();
  let pages = 0;
  const ask = (page: number): Promise<Page<Entry>> => {
    const known = asked.get(page);
    if (known !== undefined) return known;
    const answer = getPage(page);
    // The reading may end before its turn.
    answer.catch(() => {});
    asked.set(page, answer);
    return answer;
  };
  return async (page) => {
    const answer = ask(page);
    for (let next = page + 1; next <= Math.min(page + ahead, pages); next += 1) void ask(next);
    const found = await answer;
    asked.delete(page);
    pages = found.pagination?.totalPages ?? 0;
    return found;
  };
}
