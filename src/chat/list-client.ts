import { z } from 'zod';
import { type Ask, type CallOptions, type ReplyMeta, segment } from './call.ts';
import type { BannedAddress } from './member-client.ts';
import { bannedUser, groupFacts, listedMember, MAX_PAGE_BYTES, meta, type Pagination, userFacts } from './replies.ts';
import { BANNED_PER_PAGE, MAX_PER_PAGE } from './service/limits.ts';

/** Lists of a group, and of the app. A page has at most `perPage` entries, and is asked for without another number. */
export const LISTS = {
  members: { entry: listedMember, words: 'members', perPage: MAX_PER_PAGE },
  banned: { entry: bannedUser, words: 'banned users', perPage: BANNED_PER_PAGE },
  /** All users, the deactivated too. */
  users: { entry: userFacts, words: 'users', perPage: MAX_PER_PAGE, path: '/users?withDeactivated=true&' },
  deactivated: {
    entry: userFacts,
    words: 'deactivated users',
    perPage: MAX_PER_PAGE,
    path: '/users?onlyDeactivated=true&',
  },
  groups: { entry: groupFacts, words: 'groups', perPage: MAX_PER_PAGE, path: '/groups?' },
} as const;
export type ListKind = keyof typeof LISTS;
export type ListEntry<Kind extends ListKind> = z.output<(typeof LISTS)[Kind]['entry']>;

/** Options of a call for a page. */
export interface PageOptions extends CallOptions {
  /** Entries per page, from 1. Default: as many as a page can have. */
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
export interface ListPages<Meta = unknown> {
  /** @param guid empty for a list of the app @param page from 1 */
  listPage<Kind extends ListKind>(
    kind: Kind,
    guid: string,
    page: number,
    options?: PageOptions,
  ): Promise<Page<ListEntry<Kind>> & Meta>;
}

/** One entry that cannot be read makes the page unreadable: none is left out. */
const PAGES = new Map<string, z.ZodType<Page<never>>>(
  Object.entries(LISTS).map(([kind, { entry }]) => [
    kind,
    z
      .object({ data: z.array<z.ZodType>(entry), meta })
      .transform(({ data, meta }) => ({ entries: data as never[], pagination: meta?.pagination })),
  ]),
);

export function createListClient(ask: Ask, banned: BannedAddress): ListPages<ReplyMeta> {
  return {
    async listPage(kind, guid, page, { perPage = LISTS[kind].perPage, signal } = {}) {
      const asked = (list: string) => {
        const schema = PAGES.get(kind) as z.ZodType<Page<never>>;
        return ask('GET', `${list}perPage=${perPage}&page=${page}`, schema, { signal, maxReplyBytes: MAX_PAGE_BYTES });
      };
      if (kind === 'banned') return banned(guid, (path) => asked(`${path}?`));
      const list = LISTS[kind];
      return asked('path' in list ? list.path : `/groups/${segment('guid', guid)}/members?`);
    },
  };
}
