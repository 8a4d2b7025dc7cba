import type { ActionMessage, GroupEntity, UserEntity } from '../chat/contract.ts';
import type { Group } from './group.ts';
import { type App, SYSTEM_UID, type User } from './sandbox-app.ts';

/** The service's objects as they go over the wire. Timestamps are whole seconds (public documentation, not contract). */

export const SYSTEM_USER: User = { uid: SYSTEM_UID, name: 'System', role: 'default', createdAt: 0 };

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** A user as embedded in messages. */
export function userEntity(user: User): UserEntity {
  return {
    uid: user.uid,
    name: user.name,
    role: user.role,
    ...(user.avatar !== undefined && { avatar: user.avatar }),
    status: 'offline',
    createdAt: seconds(user.createdAt),
    ...(user.updatedAt !== undefined && { updatedAt: seconds(user.updatedAt) }),
  };
}

/** A group as embedded in messages, with the number of members at this moment unless another is given. */
export function groupEntity(group: Group, membersCount = group.membersCount): GroupEntity {
  const { guid, name, icon, description, tags, type, owner, createdAt } = group.profile;
  return {
    guid,
    name,
    icon,
    description,
    tags: [...tags],
    type,
    owner,
    membersCount,
    conversationId: groupConversation(guid),
    createdAt: seconds(createdAt),
    ...(group.updatedAt !== undefined && { updatedAt: seconds(group.updatedAt) }),
  };
}

export function groupConversation(guid: string): string {
  return `group_${guid}`;
}

/** The actions of messages. The contract names the first; the others are publicly documented. */
export type ActionWord = 'added' | 'joined' | 'left' | 'kicked' | 'banned' | 'unbanned' | 'scopeChanged';

/** The action message (docs/chat-service.md, 25) about what `by` has just done to a user; it takes the app's next message id. */
export function actionMessage(
  app: App,
  group: Group,
  action: ActionWord,
  { by, on, at }: { readonly by: User; readonly on: User; readonly at: number },
): ActionMessage {
  return {
    id: app.nextMessageId(),
    conversationId: groupConversation(group.profile.guid),
    sender: by.uid,
    receiverType: 'group',
    receiver: group.profile.guid,
    category: 'action',
    type: 'groupMember',
    data: {
      action,
      entities: {
        by: { entity: userEntity(by), entityType: 'user' },
        on: { entity: userEntity(on), entityType: 'user' },
        for: { entity: groupEntity(group), entityType: 'group' },
      },
    },
    sentAt: seconds(at),
    updatedAt: seconds(at),
  };
}
