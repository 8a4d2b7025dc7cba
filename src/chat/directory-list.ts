import type { GroupFacts, UserFacts } from './directory-operations.ts';
import { type ListOptions, type ListStore, perPageOr, readList } from './member-list.ts';
import type { Pagination } from './member-operations.ts';
import { MAX_PER_PAGE } from './service/limits.ts';

/** Whole lists of an app's users and groups, read as member-list.ts reads those of a group: all of a list, or an error. */

interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly pagination: Pagination | undefined;
}

export interface UsersPages {
  listUsersPage(
    page: number,
    options: Pick<ListOptions, 'perPage' | 'signal'> & { readonly onlyDeactivated?: boolean | undefined },
  ): Promise<Page<UserFacts>>;
}

export interface GroupsPages {
  listGroupsPage(page: number, options: Pick<ListOptions, 'perPage' | 'signal'>): Promise<Page<GroupFacts>>;
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
