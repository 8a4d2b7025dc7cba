import { counted, grouped, printable } from './wording.ts';

/**
 * Above this many members the service no longer updates a group's conversations and unread counts. Public documentation,
 * not contract (docs/chat-service.md, 27). Nothing is refused for it.
 */
export const MEMBERS_WITH_ALL_FEATURES = 300;

interface GrownGroup {
  readonly guid: string;
  readonly members: number;
}

/** A note without a full stop. @param example one of these groups */
export function manyMembers(groups: number, { guid, members }: GrownGroup, grows: 'grew' | 'would grow'): string {
  const example = `${groups === 1 ? '' : 'such as '}"${printable(guid)}" to ${grouped(members)}`;
  return `${counted(groups, 'group')} ${grows} beyond ${MEMBERS_WITH_ALL_FEATURES} members, ${example}: the service does not update the conversations and unread counts of larger groups`;
}
