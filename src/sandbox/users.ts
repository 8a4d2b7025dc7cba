import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sendMessageRequest } from '../chat/contract.ts';
import {
  actingUser,
  badRequest,
  type Call,
  groupConversation,
  groupEntity,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  userEntity,
} from './call.ts';
import { actingScope } from './clearance.ts';
import { isOn, pageOf, refuseQuery, searching, sorted, valuesOf } from './query.ts';
import { storedId, type User } from './sandbox-app.ts';

/** Operations on users, their tokens and their messages (docs/chat-service.md, 52 to 61); replies from public documentation, not contract. */

const METADATA_BYTES = 5 * 1024;

export const userProfile = {
  name: z.string().min(1).max(100),
  avatar: z.url().max(3000).optional(),
  link: z.url().max(3000).optional(),
  role: z.string().min(1).toLowerCase().optional(),
  statusMessage: z.string().optional(),
  tags: z.array(z.string().max(100)).max(25).optional(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= METADATA_BYTES, { error: 'metadata has 5 KB at most' })
    .optional(),
};
const newUser = z.looseObject({ uid: z.string(), ...userProfile });
const createUserRequest = newUser.extend({ withAuthToken: z.boolean().optional() });
const updateUserRequest = z.looseObject({
  ...userProfile,
  name: userProfile.name.optional(),
  unset: z.array(z.enum(['avatar', 'link', 'metadata'])).optional(),
});

/** The fields of a body that are kept. */
function profileIn({ app }: Call, body: z.infer<typeof updateUserRequest>) {
  const { name, avatar, link, role, statusMessage, tags, metadata } = body;
  if (role !== undefined && !app.roles.has(role)) {
    throw refusal(404, 'ERR_ROLE_NOT_FOUND', `The role ${role} does not exist.`);
  }
  return { name, avatar, link, role, statusMessage, tags, metadata };
}

/** POST /users: one user a call. A UID that a deactivated user has is taken. */
export function createUser(call: Call): object {
  const { withAuthToken, ...request } = readBody(call, createUserRequest);
  const user = makeUser(call, request, call.now);
  return { data: { ...profileOf(user), ...(withAuthToken && { authToken: tokenFor(user.uid, call.now) }) } };
}

/** A user that a body describes. */
export function makeUser(call: Call, { uid, ...request }: z.infer<typeof newUser>, createdAt: number): User {
  const { app, behaviour } = call;
  const stored = storedId(uid);
  if (stored === undefined) throw badRequest({ uid: ['A UID has up to 100 letters, digits, "-" and "_".'] });
  if (app.users.get(stored) !== undefined) {
    const message = `The user with UID ${stored} already exists.`;
    throw refusal(behaviour.duplicateStatus, 'ERR_UID_ALREADY_EXISTS', message);
  }
  app.users.add(stored, { ...profileIn(call, request), createdAt });
  return requireUser(call, stored);
}

/** PUT /users/{uid}: changes the fields of the body, and takes away those of `unset`. */
export function updateUser(call: Call): object {
  const { uid } = requireUser(call);
  const { unset = [], ...request } = readBody(call, updateUserRequest);
  call.app.changeUser(uid, { ...profileIn(call, request), updatedAt: call.now }, unset);
  return { data: profileOf(requireUser(call)) };
}

/** GET /users/{uid}. */
export function getUser(call: Call): object {
  return { data: profileOf(requireUser(call)) };
}

/**
 * GET /users: by page, filtered by `searchKey` (start of UID or name), `tags`, `status`, `role` or `roles` (comma list). The
 * deactivated come with `withDeactivated`, and they alone with `onlyDeactivated`.
 */
export function listUsers(call: Call): object {
  refuseQuery(call, ['affix', 'updatedAt']);
  const roles = valuesOf(call, 'roles') ?? valuesOf(call, 'role');
  const isFound = searching(call, 'uid');
  const [withDeactivated, onlyDeactivated] = [isOn(call, 'withDeactivated'), isOn(call, 'onlyDeactivated')];
  const matches = (user: User) =>
    (user.deactivatedAt === undefined ? !onlyDeactivated : withDeactivated || onlyDeactivated) &&
    (roles === undefined || roles.includes(user.role)) &&
    isFound(user.uid, user.name, user.tags ?? []);
  // No user connects to the sandbox, so every user is offline.
  const users = call.query.get('status') === 'available' ? [] : [...call.app.users.all.values()].filter(matches);
  return pageOf(call, sorted(call, users, SORTING), profileOf);
}

const SORTING = {
  uid: ({ uid }: User) => uid,
  name: ({ name }: User) => name.toLowerCase(),
  createdAt: ({ createdAt }: User) => createdAt,
};

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
  const { uid } = requireUser(call);
  const body = z.looseObject({ permanent: z.boolean().default(false) });
  const { permanent } = call.body === '' ? { permanent: false } : readBody(call, body);
  if (permanent) call.app.deleteUser(uid);
  else call.app.setActive(uid, false, call.now);
  return { data: { success: true, message: `The user with UID ${uid} was ${permanent ? 'deleted' : 'deactivated'}.` } };
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
    link,
    statusMessage,
    tags,
    metadata,
    deactivatedAt: deactivatedAt && seconds(deactivatedAt),
  };
}

const tokenRequest = z.strictObject({
  force: z.boolean().optional(),
  platform: z.string().optional(),
  userAgent: z.string().optional(),
  appInfo: z.record(z.string(), z.unknown()).optional(),
});

/**
 * POST /users/{uid}/auth_tokens, tied to what the body says; the token has no use, because no user can log in to the sandbox.
 * Which fields name the device, no source says: those of changing a token are taken, and others refused.
 */
export function createAuthToken(call: Call): object {
  const { uid } = requireUser(call);
  const { force: _, ...tied } = call.body === '' ? {} : readBody(call, tokenRequest);
  return { data: { uid, authToken: tokenFor(uid, call.now), createdAt: seconds(call.now), ...tied } };
}

function tokenFor(uid: string, now: number): string {
  return `${uid}_${seconds(now)}${randomBytes(20).toString('hex')}`;
}

/** POST /messages: to a user or a group, from the acting user. */
export function sendMessage(call: Call): object {
  const { receiver, receiverType, type, data } = readBody(call, sendMessageRequest);
  const sender = actingUser(call);
  const { id, conversationId, ...receiving } = receiverOf(call, sender, receiverType, receiver);
  if (type === 'text' && !data.text?.trim()) {
    throw refusal(400, 'ERR_EMPTY_MESSAGE_TEXT', 'A text message needs a text.');
  }
  const sending = { entity: userEntity(sender), entityType: 'user' };
  const sentAt = seconds(call.now);
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
      sentAt,
      updatedAt: sentAt,
    },
  };
}

function receiverOf(call: Call, sender: User, entityType: string, uidOrGuid: string) {
  if (entityType === 'group') {
    const group = requireGroup(call, uidOrGuid);
    actingScope(call, sender, group);
    const { guid } = group.profile;
    return { entity: groupEntity(group), entityType, id: guid, conversationId: groupConversation(guid) };
  }
  if (entityType !== 'user') throw badRequest({ receiverType: ['receiverType must be user or group.'] });
  const user = requireUser(call, uidOrGuid);
  const conversationId = [sender.uid, user.uid].sort().join('_user_');
  return { entity: userEntity(user), entityType, id: user.uid, conversationId };
}
