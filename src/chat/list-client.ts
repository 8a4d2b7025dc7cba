import { z } from 'zod';
import { type Ask, type CallOptions, type ReplyMeta, segment } from './call.ts';
import type { BannedAddress } from './member-client.ts';
import { bannedUser, groupFacts, listedMember, MAX_PAGE_BYTES, meta, type Pagination, userFacts } from './replies.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from './service/limits.ts';

/** Entries of the lists of a group, and of the app. */
export const LIST_ENTRIES = {
  members: listedMember,
  banned: bannedUser,
  /** All users, the deactivated too. */
  users: userFacts,
  deactivated: userFacts,
  groups: groupFacts,
} as const;
export type ListKind = keyof typeof LIST_ENTRIES;
export type ListEntry<Kind extends ListKind> = z.output<(typeof LIST_ENTRIES)[Kind]>;

/** Entries that a page has at most, and is asked for without another number. */
export const PER_PAGE: Readonly<Record<ListKind, number>> = {
  members: MAX_PER_PAGE,
  banned: BANNED_PER_PAGE,
  users: MAX_PER_PAGE,
  deactivated: MAX_PER_PAGE,
  groups: MAX_PER_PAGE,
};

/** Options of a call for a page. */
export interface PageOptions extends CallOptions {
  /** Entries per page, from 1. Default PER_PAGE. */
  readonly perPage?: number | undefined;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Undefined when the page says nothing about its list. */
  readonly pagination: Pagination | undefined;
}

/**
 * The source of pages: the client, or a queue that passes its calls on when the rate limit allows them. Publicly known, not
 * contract (docs/chat-service.md, 43 to 47, 61, 62 and 68). One page does not make a list: whole-lists.ts reads whole ones.
 */
export interface ListPages {
  /** @param guid empty for a list of the app @param page from 1 */
  listPage<Kind extends ListKind>(
    kind: Kind,
    guid: string,
    page: number,
    options: PageOptions,
  ): Promise<Page<ListEntry<Kind>>>;
}

export interface ListClient {
  listPage<Kind extends ListKind>(
    kind: Kind,
    guid: string,
    page: number,
    options?: PageOptions,
  ): Promise<Page<ListEntry<Kind>> & ReplyMeta>;
}

/** Without these words, the service leaves the deactivated out. */
const APP_LISTS = {
  users: '/users?withDeactivated=true&',
  deactivated: '/users?onlyDeactivated=true&',
  groups: '/groups?',
} as const;

/** One entry that cannot be read makes the page unreadable: none is left out. */
const PAGES = new Map(
  Object.entries(LIST_ENTRIES).map(([kind, entry]) => [kind, z.object({ data: z.array<z.ZodType>(entry), meta })]),
);

export function createListClient(ask: Ask, banned: BannedAddress): ListClient {
  return {
    async listPage(kind, guid, page, { perPage = PER_PAGE[kind], signal } = {}) {
      const asked = async (list: string) => {
        const path = `${list}perPage=${perPage}&page=${page}`;
        const schema = PAGES.get(kind) as NonNullable<ReturnType<typeof PAGES.get>>;
        const { reply, ...meta } = await ask({ method: 'GET', path, maxReplyBytes: MAX_PAGE_BYTES }, schema, signal);
        return { entries: reply.data as ListEntry<typeof kind>[], pagination: reply.meta?.pagination, ...meta };
      };
      if (kind === 'banned') return banned(guid, (path) => asked(`${path}?`));
      return asked(kind === 'members' ? `/groups/${segment('guid', guid)}/members?` : APP_LISTS[kind as 'users']);
    },
  };
}
