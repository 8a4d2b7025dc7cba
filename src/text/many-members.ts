import { MEMBERS_WITH_ALL_FEATURES } from '../chat/service/limits.ts';
import { counted, grouped, printable } from './wording.ts';

interface GrownGroup {
  readonly guid: string;
  readonly members: number;
}

/** A note without a full stop. @param example one of these groups */
export function manyMembers(groups: number, { guid, members }: GrownGroup, grows: 'grew' | 'would grow'): string {
  const example = `${groups === 1 ? '' : 'such as '}"${printable(guid)}" to ${grouped(members)}`;
  return `${counted(groups, 'group')} ${grows} beyond ${MEMBERS_WITH_ALL_FEATURES} members, ${example}: the service does not update the conversations and unread counts of larger groups`;
}
