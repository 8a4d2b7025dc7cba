import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sendMessageRequest } from '../chat/contract.ts';
import {
  actingUser,
  badRequest,
  type Call,
  freeId,
  groupConversation,
  groupEntity,
  messageOf,
  type Operations,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  userEntity,
} from './call.ts';
import { actingScope } from './clearance.ts';
import { isOn, pageOf, refuseQuery, searching, sorted, valuesOf } from './query.ts';
import { type User, userProfile } from './sandbox-app.ts';

const newUser = userProfile.extend({ uid: z.string() });
const createUserRequest = newUser.extend({ withAuthToken: z.boolean().optional() });
const updateUserRequest = userProfile.partial().extend({
  unset: z.array(z.enum(['avatar', 'link', 'metadata'])).optional(),
});
const deleteUserRequest = z.object({ permanent: z.boolean().default(false) });
const tokenRequest = z.strictObject({
  force: z.boolean().optional(),
  platform: z.string().optional(),
  userAgent: z.string().optional(),
  appInfo: z.record(z.string(), z.unknown()).optional(),
});

/** Operations on users, their tokens and their messages (docs/chat-service.md, 52 to 61); replies from public documentation, not contract. */
export const userOperations: Operations = {
  /** One user a call. A UID that a deactivated user has is taken. */
  'POST users': (call) => {
    const { withAuthToken, ...request } = readBody(call, createUserRequest);
    const user = makeUser(call, request, call.now);
    return { ...profileOf(user), ...(withAuthToken && { authToken: tokenFor(user.uid, call.now) }) };
  },
  /** Changes the fields of the body, and takes away those of `unset`. */
  'PUT users/{uid}': (call) => {
    const user = requireUser(call);
    const { unset = [], ...request } = readBody(call, updateUserRequest);
    requireRole(call, request.role);
    call.app.changeUser(user, { ...request, updatedAt: call.now }, unset);
    return profileOf(requireUser(call));
  },
  'GET users/{uid}': (call) => profileOf(requireUser(call)),
  /**
   * By page, filtered by `searchKey` (start of UID or name), `tags`, `status`, `role` or `roles` (comma list). The deactivated
   * come with `withDeactivated`, and they alone with `onlyDeactivated`.
   */
  'GET users': (call) => {
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
  },
  /** Reactivates deactivated users, and names the others. */
  'PUT users': (call) => setActive(call, true, 'uidsToActivate', ['reactivatedUids', 'nonDeactivatedUids']),
  'DELETE users': (call) => setActive(call, false, 'uidsToDeactivate', ['deactivatedUids', 'nonActiveUids']),
  /** For good with `permanent: true`, and otherwise as deactivating. */
  'DELETE users/{uid}': (call) => {
    const { uid } = requireUser(call);
    const { permanent } = call.body === '' ? { permanent: false } : readBody(call, deleteUserRequest);
    if (permanent) call.app.deleteUser(uid);
    else call.app.setActive(uid, false, call.now);
    return { success: true, message: `The user with UID ${uid} was ${permanent ? 'deleted' : 'deactivated'}.` };
  },
  /**
   * Tied to what the body says; the token has no use, because no user can log in to the sandbox. Which fields name the device,
   * no source says: those of changing a token are taken, and others refused.
   */
  'POST users/{uid}/auth_tokens': (call) => {
    const { uid } = requireUser(call);
    const { force: _, ...tied } = call.body === '' ? {} : readBody(call, tokenRequest);
    return { uid, authToken: tokenFor(uid, call.now), createdAt: seconds(call.now), ...tied };
  },
  /** To a user or a group, from the acting user. */
  'POST messages': (call) => {
    const { receiver, receiverType, type, data } = readBody(call, sendMessageRequest);
    const sender = actingUser(call);
    const { id, conversationId, ...receiving } = receiverOf(call, sender, receiverType, receiver);
    if (type === 'text' && !data.text?.trim()) {
      throw refusal(400, 'ERR_EMPTY_MESSAGE_TEXT', 'A text message needs a text.');
    }
    const sending = { entity: userEntity(sender), entityType: 'user' };
    return messageOf(call, {
      conversationId,
      sender: sender.uid,
      receiverType,
      receiver: id,
      category: 'message',
      type,
      data: { ...data, entities: { sender: sending, receiver: receiving } },
    });
  },
};

function requireRole({ app }: Call, role: string | undefined) {
  if (role === undefined || app.roles.has(role)) return;
  throw refusal(404, 'ERR_ROLE_NOT_FOUND', `The role ${role} does not exist.`);
}

export function makeUser(call: Call, { uid, ...profile }: z.infer<typeof newUser>, createdAt: number) {
  const stored = freeId(call, 'user', uid);
  requireRole(call, profile.role);
  call.app.users.add(stored, { ...profile, createdAt });
  return requireUser(call, stored);
}

const SORTING = {
  uid: ({ uid }: User) => uid,
  name: ({ name }: User) => name.toLowerCase(),
  createdAt: ({ createdAt }: User) => createdAt,
};

/** @param asked the field of the body with UIDs @param names of the reply's fields: UIDs whose state was changed, and the others */
function setActive(call: Call, active: boolean, asked: string, names: readonly [changed: string, others: string]) {
  const { [asked]: uids = [] } = readBody(call, z.object({ [asked]: z.array(z.string()).min(1) }));
  const [changed, others]: [string[], string[]] = [[], []];
  for (const uid of uids) (call.app.setActive(uid, active, call.now) ? changed : others).push(uid.toLowerCase());
  return { [names[0]]: changed, [names[1]]: others };
}

/** A user with all fields, as these operations show it. */
function profileOf(user: User) {
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

function tokenFor(uid: string, now: number) {
  return `${uid}_${seconds(now)}${randomBytes(20).toString('hex')}`;
}

function receiverOf(call: Call, sender: User, entityType: string, uidOrGuid: string) {
  if (entityType === 'group') {
    const group = requireGroup(call, uidOrGuid);
    actingScope(call, sender, group);
    const { guid } = group.profile;
    return { entity: groupEntity(group), entityType, id: guid, conversationId: groupConversation(guid) };
  }
  if (entityType !== 'user') throw badRequest('receiverType must be user or group.', 'receiverType');
  const user = requireUser(call, uidOrGuid);
  const conversationId = [sender.uid, user.uid].sort().join('_user_');
  return { entity: userEntity(user), entityType, id: user.uid, conversationId };
}
