import { type Ask, type CallOptions, type ReplyMeta, segment } from './call.ts';
import {
  type GroupFacts,
  groupReply,
  groupsPage,
  type JoinedGroup,
  joinedPage,
  type UserFacts,
  userReply,
  usersPage,
} from './directory-operations.ts';
import type { PageOptions } from './member-client.ts';
import { MAX_PAGE_BYTES, type Pagination } from './member-operations.ts';
import { MAX_PER_PAGE } from './service/limits.ts';

interface Page<Entry> extends ReplyMeta {
  readonly entries: readonly Entry[];
  /** Undefined when the page says nothing about its list. */
  readonly pagination: Pagination | undefined;
}

interface UsersPageOptions extends PageOptions {
  /** Only users who are deactivated. Default: all, the deactivated too. */
  readonly onlyDeactivated?: boolean | undefined;
}

/** The membership of one user in a group. */
interface OwnMembership extends ReplyMeta {
  /** Null when the user is not a member, or may not see the group. */
  readonly scope: string | null;
  /** False when the reply does not say whether the user is a member. */
  readonly isKnown: boolean;
}

/**
 * Calls that read users and groups: publicly known, not contract (docs/chat-service.md, 61, 62 and 68 to 70). One page does not make a
 * list: directory-list.ts reads whole ones.
 */
export interface DirectoryClient {
  /** `GET /users`. @param page from 1 */
  listUsersPage(page: number, options?: UsersPageOptions): Promise<Page<UserFacts>>;
  /** `GET /users/{uid}`. */
  getUser(uid: string, options?: CallOptions): Promise<ReplyMeta & { readonly user: UserFacts }>;
  /** `GET /groups`. @param page from 1 */
  listGroupsPage(page: number, options?: PageOptions): Promise<Page<GroupFacts>>;
  /** `GET /groups` on behalf of a user: groups of the user, 1,000 at most. `hasJoined` is null where the service does not say it. */
  listJoined(uid: string, options?: CallOptions): Promise<ReplyMeta & { readonly groups: readonly JoinedGroup[] }>;
  /** `GET /groups/{guid}`. */
  getGroup(guid: string, options?: CallOptions): Promise<ReplyMeta & GroupFacts>;
  /** `GET /groups/{guid}` on behalf of a user: says whether this user is a member. */
  getMembership(guid: string, uid: string, options?: CallOptions): Promise<OwnMembership>;
}

export function createDirectoryClient(ask: Ask): DirectoryClient {
  const askForGroup = (guid: string, { signal }: CallOptions, onBehalfOf?: string) =>
    ask({ method: 'GET', path: `/groups/${segment('guid', guid)}`, onBehalfOf }, groupReply, signal);

  return {
    async listUsersPage(page, { perPage = MAX_PER_PAGE, signal, onlyDeactivated = false } = {}) {
      const which = onlyDeactivated ? 'onlyDeactivated' : 'withDeactivated';
      const path = `/users?perPage=${perPage}&page=${page}&${which}=true`;
      const { reply, ...meta } = await ask({ method: 'GET', path, maxReplyBytes: MAX_PAGE_BYTES }, usersPage, signal);
      return { entries: reply.data, pagination: reply.meta?.pagination, ...meta };
    },
    async getUser(uid, { signal } = {}) {
      const path = `/users/${segment('uid', uid)}`;
      const { reply, ...meta } = await ask({ method: 'GET', path }, userReply, signal);
      return { user: reply.data, ...meta };
    },
    async listGroupsPage(page, { perPage = MAX_PER_PAGE, signal } = {}) {
      const path = `/groups?perPage=${perPage}&page=${page}`;
      const { reply, ...meta } = await ask({ method: 'GET', path, maxReplyBytes: MAX_PAGE_BYTES }, groupsPage, signal);
      return { entries: reply.data, pagination: reply.meta?.pagination, ...meta };
    },
    async listJoined(uid, { signal } = {}) {
      const path = `/groups?perPage=${MAX_PER_PAGE}&page=1&hasJoined=true`;
      const asked = { method: 'GET', path, onBehalfOf: uid, maxReplyBytes: MAX_PAGE_BYTES } as const;
      const { reply, ...meta } = await ask(asked, joinedPage, signal);
      return { groups: reply.data.filter(({ hasJoined }) => hasJoined !== false), ...meta };
    },
    async getGroup(guid, options = {}) {
      const { reply, ...meta } = await askForGroup(guid, options);
      const { hasJoined: _, scope: __, ...facts } = reply.data;
      return { ...facts, guid: facts.guid || guid, ...meta };
    },
    async getMembership(guid, uid, options = {}) {
      const { reply, ...meta } = await askForGroup(guid, options, uid);
      const { hasJoined, scope } = reply.data;
      // A group that says nothing about joining says nothing about this user.
      return { scope: hasJoined === false ? null : scope, isKnown: hasJoined !== null, ...meta };
    },
  };
}
