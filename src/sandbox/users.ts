import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sendMessageRequest } from '../chat/contract.ts';
import { storedId, type User } from './app.ts';
import { actingScope, actingUser, type Call, readBody, requireGroup, requireUser } from './call.ts';
import { groupConversation, groupEntity, seconds, userEntity } from './entities.ts';
import { pageOf } from './paging.ts';
import { badRequest, Refusal, serviceError } from './refusal.ts';

/** Operations on users, their tokens and their messages (docs/chat-service.md, 52 to 61); replies from public documentation, not contract. */

const METADATA_BYTES = 5 * 1024;

const createUserRequest = z.looseObject({
  uid: z.string(),
  name: z.string().min(1).max(100),
  avatar: z.url().max(3000).optional(),
  link: z.url().max(3000).optional(),
  role: z.string().min(1).default('default'),
  statusMessage: z.string().optional(),
  tags: z.array(z.string().max(100)).max(25).optional(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine((data) => JSON.stringify(data).length <= METADATA_BYTES, { error: 'metadata has 5 KB at most' })
    .optional(),
});

/** POST /users: one user a call. A UID that a deactivated user has is taken. */
export function createUser(call: Call): object {
  const { uid, name, avatar, link, role, statusMessage, tags, metadata } = readBody(call, createUserRequest);
  const stored = storedId(uid);
  if (stored === undefined) throw badRequest({ uid: ['A UID has up to 100 letters, digits, "-" and "_".'] });
  if (call.app.anyUser(stored) !== undefined) {
    const error = serviceError('ERR_UID_ALREADY_EXISTS', `The user with UID ${stored} already exists.`);
    throw new Refusal(call.behaviour.duplicateStatus, error);
  }
  if (!call.app.roles.has(role)) {
    throw new Refusal(404, serviceError('ERR_ROLE_NOT_FOUND', `The role ${role} does not exist.`));
  }
  call.app.addUser(stored, {
    name,
    role,
    createdAt: call.now,
    ...(avatar !== undefined && { avatar }),
    ...(link !== undefined && { link }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
  });
  return { data: profileOf(requireUser(call, stored)) };
}

/** GET /users/{uid}. */
export function getUser(call: Call): object {
  return { data: profileOf(requireUser(call, call.params[0] ?? '')) };
}

/**
 * GET /users: by page, filtered by `searchKey` (start of UID or name), `status`, `role` or `roles` (comma list). The
 * deactivated come with `withDeactivated`, and they alone with `onlyDeactivated`.
 */
export function listUsers(call: Call): object {
  const { query } = call;
  const searchKey = query.get('searchKey')?.toLowerCase() ?? '';
  const roles = (query.get('roles') ?? query.get('role'))?.split(',');
  const isOn = (flag: string) => ['true', '1'].includes(query.get(flag) ?? '');
  const [withDeactivated, onlyDeactivated] = [isOn('withDeactivated'), isOn('onlyDeactivated')];
  const matches = (user: User) =>
    (user.deactivatedAt === undefined ? !onlyDeactivated : withDeactivated || onlyDeactivated) &&
    (roles === undefined || roles.includes(user.role)) &&
    (user.uid.startsWith(searchKey) || user.name.toLowerCase().startsWith(searchKey));
  // No user connects to the sandbox, so every user is offline.
  const users = query.get('status') === 'available' ? [] : [...call.app.users.values()].filter(matches);
  return pageOf(call, users, profileOf);
}

/** PUT /users with `uidsToActivate`: reactivates deactivated users, and names the others. */
export function reactivateUsers(call: Call): object {
  const { uidsToActivate } = readBody(call, z.looseObject({ uidsToActivate: z.array(z.string()).min(1) }));
  const [reactivatedUids, nonDeactivatedUids] = setActive(call, uidsToActivate, true);
  return { data: { reactivatedUids, nonDeactivatedUids } };
}

/** DELETE /users with `uidsToDeactivate`. */
export function deactivateUsers(call: Call): object {
  const { uidsToDeactivate } = readBody(call, z.looseObject({ uidsToDeactivate: z.array(z.string()).min(1) }));
  const [deactivatedUids, nonActiveUids] = setActive(call, uidsToDeactivate, false);
  return { data: { deactivatedUids, nonActiveUids } };
}

/** DELETE /users/{uid}: for good with `permanent: true`, and otherwise as deactivating. */
export function deleteUser(call: Call): object {
  const { uid } = requireUser(call, call.params[0] ?? '');
  const permanent = call.body === '' ? false : readBody(call, z.looseObject({ permanent: z.boolean() })).permanent;
  if (permanent) call.app.deleteUser(uid);
  else call.app.setActive(uid, false, call.now);
  return { data: { success: true, message: `The user with UID ${uid} was deleted.` } };
}

/** UIDs whose state was changed, and the others. */
function setActive({ app, now }: Call, uids: readonly string[], active: boolean): [string[], string[]] {
  const changed: string[] = [];
  const others: string[] = [];
  for (const uid of uids) (app.setActive(uid, active, now) ? changed : others).push(uid.toLowerCase());
  return [changed, others];
}

/** A user with all fields, as these operations show it. */
function profileOf(user: User): object {
  const { link, statusMessage, tags, metadata, deactivatedAt } = user;
  return {
    ...userEntity(user),
    ...(link !== undefined && { link }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
    ...(deactivatedAt !== undefined && { deactivatedAt: seconds(deactivatedAt) }),
  };
}

/** POST /users/{uid}/auth_tokens; the token has no use, because no user can log in to the sandbox. */
export function createAuthToken(call: Call): object {
  const { uid } = requireUser(call, call.params[0] ?? '');
  const createdAt = seconds(call.now);
  return { data: { uid, authToken: `${uid}_${createdAt}${randomBytes(20).toString('hex')}`, createdAt } };
}

/** POST /messages: to a user or a group, from the acting user. */
export function sendMessage(call: Call): object {
  const { receiver, receiverType, type, data } = readBody(call, sendMessageRequest);
  const sender = actingUser(call);
  const entity = (uidOrGuid: string): { entity: object; entityType: string; id: string; conversationId: string } => {
    if (receiverType === 'group') {
      const group = requireGroup(call, uidOrGuid);
      actingScope(call, sender, group);
      const { guid } = group.profile;
      return { entity: groupEntity(group), entityType: 'group', id: guid, conversationId: groupConversation(guid) };
    }
    if (receiverType !== 'user') throw badRequest({ receiverType: ['receiverType must be user or group.'] });
    const user = requireUser(call, uidOrGuid);
    const conversationId = [sender.uid, user.uid].sort().join('_user_');
    return { entity: userEntity(user), entityType: 'user', id: user.uid, conversationId };
  };
  const { id, conversationId, ...receiving } = entity(receiver);
  const sending = { entity: userEntity(sender), entityType: 'user' };
  return {
    data: {
      id: call.app.nextMessageId(),
      conversationId,
      sender: sender.uid,
      receiverType,
      receiver: id,
      category: 'message',
      type,
      data: { ...data, entities: { sender: sending, receiver: receiving } },
      sentAt: seconds(call.now),
      updatedAt: seconds(call.now),
    },
  };
}
