/**
 * Whole lists of a group, read page by page: all of a list, or an error. A list that broke off and passed for a whole
 * one would have a sync act on members that it never saw.
 *
 * What is trusted: everybody who was in the group from the first page to the last is in the result, unless the list
 * hides it. Pages come in an order that we do not know, and the list may change between them. Whoever joins meanwhile
 * can shift others onto a later page, where they stand once more, which does no harm; the newcomer may be missing.
 * Whoever leaves can shift others onto a page that has been read already, where they are missed: that shows in a
 * smaller total, and the list is read again. It does not show where somebody else joins between the same two pages,
 * so that being listed is better evidence than not being listed.
 */
import { UntrustedListing } from './errors.ts';
import type { BannedPage, MembersPage, PageOptions } from './member-client.ts';
import { BANNED_PER_PAGE, type ListedMember, MAX_PER_PAGE, type Pagination } from './member-operations.ts';

/** How often a list is read before it is given up. */
export const READINGS = 3;

export interface ListOptions {
  /** Entries per page. Default as of the page's call: MAX_PER_PAGE for members, BANNED_PER_PAGE for the banned. */
  readonly perPage?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told after every page: its number, from 1 in each reading, and how many entries this reading has by now. */
  readonly onPage?: ((progress: { readonly page: number; readonly entries: number }) => void) | undefined;
}

/** Who gives the pages: a client, or whoever passes its calls on once the rate limit allows them. */
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
  const byUid = await readList(
    `members of group ${JSON.stringify(guid)}`,
    perPageOr(MAX_PER_PAGE, options),
    async (page, pageOptions) => {
      const { members, pagination } = await pages.listMembersPage(guid, page, pageOptions);
      return { entries: members.map((member) => [member.uid, member] as const), pagination };
    },
  );
  return [...byUid.values()];
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
  const what = `banned users of group ${JSON.stringify(guid)}`;
  const byUid = await readList(what, perPageOr(BANNED_PER_PAGE, options), async (page, pageOptions) => {
    const { uids, pagination } = await pages.listBannedPage(guid, page, pageOptions);
    return { entries: uids.map((uid) => [uid, true] as const), pagination };
  });
  return new Set(byUid.keys());
}

/** Tells the banned among the listed from the members; the list of the banned decides. */
export function markBanned(
  listed: readonly ListedMember[],
  banned: ReadonlySet<string>,
): (ListedMember & { readonly banned: boolean })[] {
  return listed.map((member) => ({ ...member, banned: banned.has(member.uid.toLowerCase()) }));
}

interface ReadingOptions extends ListOptions {
  readonly perPage: number;
}

function perPageOr(perPage: number, options: ListOptions): ReadingOptions {
  return { ...options, perPage: options.perPage ?? perPage };
}

interface Page<Entry> {
  readonly entries: readonly (readonly [uid: string, entry: Entry])[];
  readonly pagination: Pagination | undefined;
}

type GetPage<Entry> = (page: number, options: Pick<ListOptions, 'perPage' | 'signal'>) => Promise<Page<Entry>>;

async function readList<Entry>(
  what: string,
  options: ReadingOptions,
  getPage: GetPage<Entry>,
): Promise<ReadonlyMap<string, Entry>> {
  let problem = '';
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const outcome = await readOnce(options, getPage);
    if ('whole' in outcome) return outcome.whole;
    problem = outcome.problem;
  }
  throw new UntrustedListing(what, problem, READINGS);
}

/**
 * One reading. No single number of a page is relied on: the list ends where as many pages and entries were read as it
 * promises, exactly; where the two differ, or nothing is promised, only an empty page is its end (docs/chat-service.md, 45).
 */
async function readOnce<Entry>(
  { perPage, signal, onPage }: ReadingOptions,
  getPage: GetPage<Entry>,
): Promise<{ whole: Map<string, Entry> } | { problem: string }> {
  const read = new Map<string, Entry>();
  let atFirst: number | undefined;
  let totalBefore = 0;
  let lastWasShort = false;
  for (let page = 1; ; page += 1) {
    const { entries, pagination } = await getPage(page, { perPage, signal });
    const { total, count = 0, perPage: stated = perPage, totalPages = 0 } = pagination ?? {};

    // Published samples count more entries on a page than in the whole list (count 5, total 0): such a count says nothing.
    if (count > entries.length && count <= (total ?? count)) {
      return { problem: `page ${page} says it has ${count} entries and has ${entries.length}` };
    }
    if (total !== undefined && total < totalBefore) {
      return { problem: `it shrank from ${totalBefore} entries to ${total} while it was read` };
    }
    atFirst ??= total;
    totalBefore = total ?? totalBefore;

    if (entries.length > 0) {
      if (lastWasShort) return { problem: `page ${page - 1} was not full, and page ${page} has entries all the same` };
      const readBefore = read.size;
      // Of an entry that stands twice the later one counts, which is newer.
      for (const [uid, entry] of entries) read.set(uid.toLowerCase(), entry);
      if (read.size === readBefore) return { problem: `page ${page} repeats what earlier pages had` };
      onPage?.({ page, entries: read.size });
      lastWasShort = entries.length < Math.min(perPage, stated);
    }
    if (read.size === total && page >= totalPages) return { whole: read };
    if (entries.length > 0) continue;

    // The end. An empty list has one page too.
    if (totalPages > Math.max(page - 1, 1)) return { problem: `page ${page} of ${totalPages} came empty` };
    if (read.size < (atFirst ?? 0)) return { problem: `it promised ${atFirst} entries and gave ${read.size}` };
    return { whole: read };
  }
}
