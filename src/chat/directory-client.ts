import { z } from 'zod';
import { foldId } from '../membership/membership.ts';
import { type ActingOptions, type Ask, type CallOptions, foldMembers, type ReplyMeta, segment } from './call.ts';
import { type AddMembersRequest, addMembersReply, resultsByKey } from './contract.ts';
import { entriesOf, type MemberEntries, readMember } from './member-entries.ts';
import type { Redact } from './redact.ts';
import { type GroupFacts, groupReply, joinedPage, MAX_PAGE_BYTES, userReply } from './replies.ts';
import { MAX_PER_PAGE } from './service/limits.ts';

/** Calls that read one user or group: publicly known, not contract (docs/chat-service.md, 61, 62 and 68 to 70). */
export function createDirectoryClient(ask: Ask) {
  const askForGroup = (guid: string, options?: ActingOptions) =>
    ask('GET', `/groups/${segment('guid', guid)}`, groupReply, options);

  return {
    async getUser(uid: string, options?: CallOptions) {
      return ask('GET', `/users/${segment('uid', uid)}`, userReply, options);
    },
    /** `GET /groups` on behalf of a user: groups of the user, 1,000 at most. `hasJoined` is null where the service does not say it. */
    async listJoined(uid: string, options?: CallOptions) {
      const path = `/groups?perPage=${MAX_PER_PAGE}&page=1&hasJoined=true`;
      return ask('GET', path, joinedPage, { ...options, onBehalfOf: uid, maxReplyBytes: MAX_PAGE_BYTES });
    },
    async getGroup(guid: string, options?: CallOptions): Promise<ReplyMeta & GroupFacts> {
      const { data, ...meta } = await askForGroup(guid, options);
      const { hasJoined: _, scope: __, ...facts } = data;
      return { ...facts, guid: facts.guid || guid, ...meta };
    },
    /**
     * `GET /groups/{guid}` on behalf of a user: the scope of this user, null where the user is no member, or may not see the
     * group. Not `isKnown`: the reply does not say whether the user is a member.
     */
    async getMembership(guid: string, uid: string, options?: CallOptions) {
      const { data, ...meta } = await askForGroup(guid, { ...options, onBehalfOf: uid });
      const { hasJoined, scope } = data;
      // A group that says nothing about joining says nothing about this user.
      return { scope: hasJoined === false ? null : scope, isKnown: hasJoined !== null, ...meta };
    },
  };
}

const text = z.string().optional();
const tags = z.array(z.string()).optional();

/** A user as POST /users takes it (docs/chat-service.md, 55). */
export const newUser = z.object({
  uid: z.string(),
  name: z.string(),
  avatar: text,
  link: text,
  role: text,
  tags,
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type NewUser = z.infer<typeof newUser>;

/** A group as POST /groups takes it (docs/chat-service.md, 63); `type` is always sent. */
export const newGroup = z.object({
  guid: z.string(),
  name: z.string(),
  type: z.string(),
  password: text,
  owner: text,
  icon: text,
  description: text,
  tags,
});
export type NewGroup = z.infer<typeof newGroup>;

/** A group as the data import takes it: it may be older than today. In seconds since 1970. */
export const importedGroup = newGroup.extend({ createdAt: z.int().optional() });
export type ImportedGroup = z.infer<typeof importedGroup>;

const reply = z.object({ data: z.looseObject({}) });
const membersReply = addMembersReply.shape.data.catch({});

/** Reply of PUT /users: UIDs in lower case; undefined where it names none. */
const reactivatedReply = z
  .object({ data: z.object({ reactivatedUids: z.array(z.string()).optional().catch(undefined) }) })
  .transform(({ data: { reactivatedUids } }) => ({
    uids: reactivatedUids && (new Set(reactivatedUids.map(foldId)) as ReadonlySet<string>),
  }));

/** Results are under `data`, or under `data` in `data` (docs/chat-service.md, 75): only a result says whether it is a success. */
const importReply = z.object({
  data: resultsByKey.transform((data) => {
    const { success, data: inner } = resultsByKey.safeParse(data['data']);
    return success && typeof inner['success'] !== 'boolean' ? inner : data;
  }),
});

/** Calls that create, reactivate and import: publicly known, not contract. Errors are those of every call. */
export function createCreateClient(ask: Ask, redact: Redact) {
  return {
    async createUser(user: NewUser, options?: CallOptions): Promise<ReplyMeta> {
      const body = { ...user, uid: foldId(user.uid) };
      const { data: _, ...meta } = await ask('POST', '/users', reply, { ...options, body });
      return meta;
    },
    /** An acting user becomes owner and admin of the group. @param members up to 25 UIDs; left out if there is none */
    async createGroup(group: NewGroup, members: AddMembersRequest, options?: ActingOptions) {
      const { guid, owner } = group;
      const profile = { ...group, guid: foldId(guid), ...(owner !== undefined && { owner: foldId(owner) }) };
      const body = Object.keys(members).length === 0 ? profile : { ...profile, members: foldMembers(members) };
      const { data: created, ...meta } = await ask('POST', '/groups', reply, { ...options, body });
      // The results of the members that were sent with it; none if the reply does not mention them.
      return { ...meta, entries: entriesOf({ data: membersReply.parse(created['members'] ?? {}) }, redact) };
    },
    reactivateUsers: (uids: readonly string[], options?: CallOptions) =>
      ask('PUT', '/users', reactivatedReply, { ...options, body: { uidsToActivate: uids.map(foldId) } }),
    /**
     * Imports up to 50 users, groups or members, which have keys of their own, by the data import (docs/chat-service.md, 72 to
     * 78). The result has an entry of each by its key in lower case; one that the reply leaves out is missing.
     */
    async importEntities(
      what: 'users' | 'groups' | 'members',
      entities: ReadonlyMap<string, object>,
      { signal }: CallOptions = {},
    ) {
      const body = { [what]: Object.fromEntries(entities) };
      const { data, ...meta } = await ask('POST', `/data_import/${what}`, importReply, { signal, body });
      const entries: MemberEntries = new Map(
        Object.entries(data).map(([key, entry]) => [foldId(key), readMember(entry, redact)]),
      );
      return { ...meta, entries };
    },
  };
}
