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
import { UntrustedListing } from './call-errors.ts';
import type { BannedPage, MembersPage, PageOptions } from './member-client.ts';
import type { GroupFacts, ListedMember, Pagination, UserFacts } from './replies.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from './service/limits.ts';

/** Number of times that a list is read before rollcall gives up. */
export const READINGS = 3;

interface ListOptions {
  /** Entries per page. Default as of the page's call: MAX_PER_PAGE for members, BANNED_PER_PAGE for the banned. */
  readonly perPage?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Pages that are asked for before their turn, where the list says that it has them. Default: none. */
  readonly ahead?: number | undefined;
  /** Called after every page with its number, from 1 in each reading, and the entries of this reading so far. */
  readonly onPage?: ((progress: { readonly page: number; readonly entries: number }) => void) | undefined;
}

/** The source of the pages: a client, or a queue that passes its calls on when the rate limit allows them. */
export interface MembersPages {
  listMembersPage(
    guid: string,
    page: number,
    options: PageOptions,
  ): Promise<Pick<MembersPage, 'members' | 'pagination'>>;
}
export interface BannedPages {
  listBannedPage(guid: string, page: number, options: PageOptions): Promise<Pick<BannedPage, 'uids' | 'pagination'>>;
}

/**
 * All members of a group, each once, in the order of the list. Banned users may be among them: see `markBanned`.
 * It takes ceil(members / 1000) calls, and one for an empty group; more where the list does not say its length.
 * @param pages an error of theirs ends the reading, so that a page that is worth another try is best tried again there
 * @throws UntrustedListing when no reading was whole, and what the calls throw
 */
export async function readMembers(
  pages: MembersPages,
  guid: string,
  options: ListOptions = {},
): Promise<ListedMember[]> {
  const found = mapStore<ListedMember>();
  await readMembersInto(found, pages, guid, options);
  return [...found.entries()];
}

/** The same for a list that may be too long for memory: what is in the store afterwards is the list. @throws as readMembers */
export async function readMembersInto(
  store: ListStore<ListedMember>,
  pages: MembersPages,
  guid: string,
  options: ListOptions = {},
): Promise<void> {
  const what = `members of group ${JSON.stringify(guid)}`;
  await readList(store, what, perPageOr(MAX_PER_PAGE, options), async (page, pageOptions) => {
    const { members, pagination } = await pages.listMembersPage(guid, page, pageOptions);
    return { entries: members.map((member) => [member.uid, member] as const), pagination };
  });
}

/**
 * The lowercased UIDs of all who are banned from a group. That is a list of its own and takes calls of its own, at
 * least one for each group and one for every 100 banned: ask only where it matters.
 * @throws as readMembers
 */
export async function readBanned(
  pages: BannedPages,
  guid: string,
  options: ListOptions = {},
): Promise<ReadonlySet<string>> {
  const found = mapStore<string>();
  await readBannedInto(found, pages, guid, options);
  return new Set([...found.entries()].map(foldId));
}

/** The same into a store. @throws as readMembers */
export async function readBannedInto(
  store: ListStore<string>,
  pages: BannedPages,
  guid: string,
  options: ListOptions = {},
): Promise<void> {
  const what = `banned users of group ${JSON.stringify(guid)}`;
  await readList(store, what, perPageOr(BANNED_PER_PAGE, options), async (page, pageOptions) => {
    const { uids, pagination } = await pages.listBannedPage(guid, page, pageOptions);
    return { entries: uids.map((uid) => [uid, uid] as const), pagination };
  });
}

/** Receives the entries of a list while it is read. Ids are compared without regard to case. */
export interface ListStore<Entry> {
  /** A reading begins: nothing of an earlier one counts. */
  clear(): void;
  /** Takes the entries of a page; of an id that is there already, the later entry counts, which is newer. */
  put(entries: readonly (readonly [id: string, entry: Entry])[]): void;
  /** Different ids so far. */
  size(): number;
}

export function mapStore<Entry>(): ListStore<Entry> & { entries(): Iterable<Entry> } {
  const found = new Map<string, Entry>();
  return {
    clear: () => found.clear(),
    put: (entries) => {
      for (const [id, entry] of entries) found.set(foldId(id), entry);
    },
    size: () => found.size,
    entries: () => found.values(),
  };
}

/**
 * A list in tables of a database; how many different ids it has is counted as they come.
 * @param put takes an entry, and says whether its id is new
 */
export function tableStore<Entry>(
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
        for (const [id, entry] of entries) if (put(id, entry)) size += 1;
      }),
    size: () => size,
  };
}

interface ReadingOptions extends ListOptions {
  readonly perPage: number;
}

function perPageOr(perPage: number, options: ListOptions): ReadingOptions {
  return { ...options, perPage: options.perPage ?? perPage };
}

interface Page<Entry> {
  readonly entries: readonly (readonly [id: string, entry: Entry])[];
  readonly pagination: Pagination | undefined;
}

type GetPage<Entry> = (page: number, options: Pick<ListOptions, 'perPage' | 'signal'>) => Promise<Page<Entry>>;

/** Reads a whole list into the store. @throws UntrustedListing, and what `getPage` throws */
async function readList<Entry>(
  store: ListStore<Entry>,
  what: string,
  options: ReadingOptions,
  getPage: GetPage<Entry>,
): Promise<void> {
  let problem: string | undefined;
  for (let reading = 1; reading <= READINGS; reading += 1) {
    store.clear();
    problem = await readOnce(store, options, getPage);
    if (problem === undefined) return;
  }
  throw new UntrustedListing(what, problem ?? '', READINGS);
}

/**
 * One reading; gives what is wrong with it. No single number of a page is relied on: the list ends where as many pages and
 * entries were read as it promises, exactly; where the two differ, or nothing is promised, only an empty page is its end
 * (docs/chat-service.md, 45).
 */
async function readOnce<Entry>(
  store: ListStore<Entry>,
  { perPage, signal, ahead = 0, onPage }: ReadingOptions,
  getPage: GetPage<Entry>,
): Promise<string | undefined> {
  const pageOf = askedAhead((page) => getPage(page, { perPage, signal }), ahead);
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

/** Whole lists of an app's users and groups, read as those of a group: all of a list, or an error. */

interface DirectoryPage<Entry> {
  readonly entries: readonly Entry[];
  readonly pagination: Pagination | undefined;
}

export interface UsersPages {
  listUsersPage(
    page: number,
    options: Pick<ListOptions, 'perPage' | 'signal'> & { readonly onlyDeactivated?: boolean | undefined },
  ): Promise<DirectoryPage<UserFacts>>;
}

export interface GroupsPages {
  listGroupsPage(page: number, options: Pick<ListOptions, 'perPage' | 'signal'>): Promise<DirectoryPage<GroupFacts>>;
}

/** Pages of a directory that are requested ahead: one after another they would leave most of a rate limit unused. */
const PAGES_AHEAD = 8;

/**
 * All users of an app, the deactivated too, or only these. One call for every 1,000.
 * @throws UntrustedListing when no reading was whole, and what the calls throw
 */
export async function readUsersInto(
  store: ListStore<UserFacts>,
  pages: UsersPages,
  { onlyDeactivated, ...options }: ListOptions & { readonly onlyDeactivated?: boolean } = {},
): Promise<void> {
  const what = onlyDeactivated ? 'deactivated users' : 'users';
  await readList(
    store,
    what,
    perPageOr(MAX_PER_PAGE, { ahead: PAGES_AHEAD, ...options }),
    async (page, pageOptions) => {
      const { entries, pagination } = await pages.listUsersPage(page, { ...pageOptions, onlyDeactivated });
      return { entries: entries.map((user) => [user.uid, user] as const), pagination };
    },
  );
}

/** All groups of an app. @throws as readUsersInto */
export async function readGroupsInto(
  store: ListStore<GroupFacts>,
  pages: GroupsPages,
  options: ListOptions = {},
): Promise<void> {
  await readList(
    store,
    'groups',
    perPageOr(MAX_PER_PAGE, { ahead: PAGES_AHEAD, ...options }),
    async (page, pageOptions) => {
      const { entries, pagination } = await pages.listGroupsPage(page, pageOptions);
      return { entries: entries.map((group) => [group.guid, group] as const), pagination };
    },
  );
}
