import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sendMessageRequest } from '../chat/contract.ts';
import { storedId, type User } from './app.ts';
import { actingScope, actingUser, type Call, readBody, requireGroup, requireUser } from './call.ts';
import { groupConversation, groupEntity, seconds, userEntity } from './entities.ts';
import { pageOf } from './paging.ts';
import { badRequest, Refusal, serviceError } from './refusal.ts';

/** Operations on users, their tokens and their messages (docs/chat-service.md, 52 and 53); replies from public documentation, not contract. */

const createUserRequest = z.looseObject({
  uid: z.string(),
  name: z.string().min(1).max(100),
  avatar: z.url().max(3000).optional(),
  role: z.string().min(1).default('default'),
});

/** POST /users. */
export function createUser(call: Call): object {
  const { uid, name, avatar, role } = readBody(call, createUserRequest);
  const stored = storedId(uid);
  if (stored === undefined) throw badRequest({ uid: ['A UID has up to 100 letters, digits, "-" and "_".'] });
  if (call.app.users.has(stored)) {
    const error = serviceError('ERR_UID_ALREADY_EXISTS', `The user with UID ${stored} already exists.`);
    throw new Refusal(call.behaviour.duplicateStatus, error);
  }
  call.app.addUser(stored, { name, role, createdAt: call.now, ...(avatar !== undefined && { avatar }) });
  return { data: userEntity(requireUser(call, stored)) };
}

/** GET /users: by page, filtered by `searchKey` (start of UID or name), `status` and `role`. */
export function listUsers(call: Call): object {
  const searchKey = call.query.get('searchKey')?.toLowerCase() ?? '';
  const role = call.query.get('role');
  const matches = (user: User) =>
    (role === null || user.role === role) &&
    (user.uid.startsWith(searchKey) || user.name.toLowerCase().startsWith(searchKey));
  // Nobody ever connects to the sandbox, so every user is offline.
  const users = call.query.get('status') === 'available' ? [] : [...call.app.users.values()].filter(matches);
  return pageOf(call, users, userEntity);
}

/** POST /users/{uid}/auth_tokens: the token opens nothing here, since nobody can log in to the sandbox. */
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
