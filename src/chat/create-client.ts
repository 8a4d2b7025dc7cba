import { z } from 'zod';
import { foldId } from '../membership/membership.ts';
import { type Ask, type CallOptions, foldMembers, type ReplyMeta, segment } from './call.ts';
import { type AddMembersRequest, addMembersReply } from './contract.ts';
import { entriesOf, type MemberEntries } from './member-entries.ts';
import type { Redact } from './redact.ts';

/** A user as POST /users takes it (docs/chat-service.md, 55). */
interface NewUser {
  readonly uid: string;
  readonly name: string;
  readonly avatar?: string | undefined;
  readonly link?: string | undefined;
  readonly role?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A group as POST /groups takes it (docs/chat-service.md, 63); `type` is always sent. */
interface NewGroup {
  readonly guid: string;
  readonly name: string;
  readonly type: string;
  readonly password?: string | undefined;
  readonly owner?: string | undefined;
  readonly icon?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Calls that create and reactivate: publicly known, not contract. Errors are those of every call. */
export interface CreateClient {
  createUser(user: NewUser, options?: CallOptions): Promise<ReplyMeta>;
  /** @param members up to 25 UIDs; left out if there is none */
  createGroup(group: NewGroup, members: AddMembersRequest, options?: CallOptions): Promise<CreatedGroup>;
  /** Makes deactivated users active again. */
  reactivateUsers(uids: readonly string[], options?: CallOptions): Promise<Reactivated>;
  /** Deletes a user for good. */
  deleteUser(uid: string, options?: CallOptions): Promise<ReplyMeta>;
  deleteGroup(guid: string, options?: CallOptions): Promise<ReplyMeta>;
}

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

export function createCreateClient(ask: Ask, redact: Redact): CreateClient {
  return {
    async createUser(user, { signal } = {}) {
      const body = { ...user, uid: foldId(user.uid) };
      const { reply: _, ...meta } = await ask({ method: 'POST', path: '/users', body }, reply, signal);
      return meta;
    },
    async createGroup(group, members, { signal } = {}) {
      const { guid, owner } = group;
      const profile = { ...group, guid: foldId(guid), ...(owner !== undefined && { owner: foldId(owner) }) };
      const body = Object.keys(members).length === 0 ? profile : { ...profile, members: foldMembers(members) };
      const { reply: created, ...meta } = await ask({ method: 'POST', path: '/groups', body }, reply, signal);
      const data = membersReply.parse(created.data['members']) ?? {};
      return { ...meta, entries: entriesOf({ data }, redact) };
    },
    async reactivateUsers(uids, { signal } = {}) {
      const request = { method: 'PUT', path: '/users', body: { uidsToActivate: uids.map(foldId) } } as const;
      const { reply: changed, ...meta } = await ask(request, reply, signal);
      const named = uidList.parse(changed.data['reactivatedUids'])?.map(foldId);
      return { ...meta, uids: named === undefined ? undefined : new Set(named) };
    },
    async deleteUser(uid, { signal } = {}) {
      const request = { method: 'DELETE', path: `/users/${segment('uid', uid)}`, body: { permanent: true } } as const;
      const { reply: _, ...meta } = await ask(request, reply, signal);
      return meta;
    },
    async deleteGroup(guid, { signal } = {}) {
      const { reply: _, ...meta } = await ask(
        { method: 'DELETE', path: `/groups/${segment('guid', guid)}` },
        reply,
        signal,
      );
      return meta;
    },
  };
}
