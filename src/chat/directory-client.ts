import { z } from 'zod';
import { foldId } from '../membership/membership.ts';
import {
  type ActingOptions,
  type Ask,
  type CallOptions,
  foldMembers,
  otherEntry,
  type ReplyMeta,
  segment,
} from './call.ts';
import { type AddMembersRequest, addMembersReply, type MemberResult, memberEntry } from './contract.ts';
import { entriesOf, type MemberEntries } from './member-entries.ts';
import type { Redact } from './redact.ts';
import {
  type GroupFacts,
  groupReply,
  type JoinedGroup,
  joinedPage,
  MAX_PAGE_BYTES,
  type UserFacts,
  userReply,
} from './replies.ts';
import { MAX_PER_PAGE } from './service/limits.ts';

export type DirectoryClient = ReturnType<typeof createDirectoryClient>;

/**
 * Calls that read one user or group: publicly known, not contract (docs/chat-service.md, 61, 62 and 68 to 70). list-client.ts reads lists.
 */
export function createDirectoryClient(ask: Ask) {
  const askForGroup = (guid: string, { signal }: CallOptions, onBehalfOf?: string) =>
    ask({ method: 'GET', path: `/groups/${segment('guid', guid)}`, onBehalfOf }, groupReply, signal);

  return {
    /** `GET /users/{uid}`. */
    async getUser(uid: string, { signal }: CallOptions = {}): Promise<ReplyMeta & { readonly user: UserFacts }> {
      const path = `/users/${segment('uid', uid)}`;
      const { reply, ...meta } = await ask({ method: 'GET', path }, userReply, signal);
      return { user: reply.data, ...meta };
    },
    /** `GET /groups` on behalf of a user: groups of the user, 1,000 at most. `hasJoined` is null where the service does not say it. */
    async listJoined(
      uid: string,
      { signal }: CallOptions = {},
    ): Promise<ReplyMeta & { readonly groups: readonly JoinedGroup[] }> {
      const path = `/groups?perPage=${MAX_PER_PAGE}&page=1&hasJoined=true`;
      const asked = { method: 'GET', path, onBehalfOf: uid, maxReplyBytes: MAX_PAGE_BYTES } as const;
      const { reply, ...meta } = await ask(asked, joinedPage, signal);
      return { groups: reply.data.filter(({ hasJoined }) => hasJoined !== false), ...meta };
    },
    /** `GET /groups/{guid}`. */
    async getGroup(guid: string, options: CallOptions = {}): Promise<ReplyMeta & GroupFacts> {
      const { reply, ...meta } = await askForGroup(guid, options);
      const { hasJoined: _, scope: __, ...facts } = reply.data;
      return { ...facts, guid: facts.guid || guid, ...meta };
    },
    /**
     * `GET /groups/{guid}` on behalf of a user: the scope of this user, null where the user is no member, or may not see the
     * group. Not `isKnown`: the reply does not say whether the user is a member.
     */
    async getMembership(guid: string, uid: string, options: CallOptions = {}) {
      const { reply, ...meta } = await askForGroup(guid, options, uid);
      const { hasJoined, scope } = reply.data;
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

export interface CreatedGroup extends ReplyMeta {
  /** Results of the members that were sent with it; empty if the reply does not mention them. */
  readonly entries: MemberEntries;
}

export interface Reactivated extends ReplyMeta {
  /** UIDs in lower case; undefined where the reply names none. */
  readonly uids: ReadonlySet<string> | undefined;
}

const reply = z.looseObject({ data: z.looseObject({}) });
const membersReply = addMembersReply.shape.data.optional().catch(undefined);
const uidList = z.array(z.string()).optional().catch(undefined);

/** The result of each entity of an import, by its key in lower case. One that the reply leaves out is missing. */
export type ImportedEntities = ReadonlyMap<string, MemberResult>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Results are under `data`, or under `data` in `data` (docs/chat-service.md, 75): only a result says whether it is a success. */
const importReply = z.looseObject({
  data: z
    .custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object with the keys of the call' })
    .transform((data) => {
      const { data: inner } = data;
      return isObject(inner) && typeof inner['success'] !== 'boolean' ? inner : data;
    }),
});

/** Calls that create, reactivate and import: publicly known, not contract. Errors are those of every call. */
export function createCreateClient(ask: Ask, redact: Redact) {
  return {
    async createUser(user: NewUser, { signal }: CallOptions = {}): Promise<ReplyMeta> {
      const body = { ...user, uid: foldId(user.uid) };
      const { reply: _, ...meta } = await ask({ method: 'POST', path: '/users', body }, reply, signal);
      return meta;
    },
    /** An acting user becomes owner and admin of the group. @param members up to 25 UIDs; left out if there is none */
    async createGroup(
      group: NewGroup,
      members: AddMembersRequest,
      { signal, onBehalfOf }: ActingOptions = {},
    ): Promise<CreatedGroup> {
      const { guid, owner } = group;
      const profile = { ...group, guid: foldId(guid), ...(owner !== undefined && { owner: foldId(owner) }) };
      const body = Object.keys(members).length === 0 ? profile : { ...profile, members: foldMembers(members) };
      const { reply: created, ...meta } = await ask(
        { method: 'POST', path: '/groups', body, onBehalfOf },
        reply,
        signal,
      );
      const data = membersReply.parse(created.data['members']) ?? {};
      return { ...meta, entries: entriesOf({ data }, redact) };
    },
    /** Makes deactivated users active again. */
    async reactivateUsers(uids: readonly string[], { signal }: CallOptions = {}): Promise<Reactivated> {
      const request = { method: 'PUT', path: '/users', body: { uidsToActivate: uids.map(foldId) } } as const;
      const { reply: changed, ...meta } = await ask(request, reply, signal);
      const named = uidList.parse(changed.data['reactivatedUids'])?.map(foldId);
      return { ...meta, uids: named === undefined ? undefined : new Set(named) };
    },
    /** Imports up to 50 users, groups or members, which have keys of their own, by the data import (docs/chat-service.md, 72 to 78). */
    async importEntities(
      what: 'users' | 'groups' | 'members',
      entities: ReadonlyMap<string, object>,
      { signal }: CallOptions = {},
    ): Promise<ReplyMeta & { readonly entries: ImportedEntities }> {
      const body = { [what]: Object.fromEntries(entities) };
      const { reply, ...meta } = await ask({ method: 'POST', path: `/data_import/${what}`, body }, importReply, signal);
      const entries = Object.entries(reply.data).map(([key, written]): [string, MemberResult] => {
        const entry = memberEntry(written);
        return [foldId(key), entry.success === true ? { success: true } : otherEntry(entry, redact)];
      });
      return { ...meta, entries: new Map(entries) };
    },
  };
}
