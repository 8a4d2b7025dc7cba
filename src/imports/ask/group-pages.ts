import type { GroupFacts, JoinedGroup, UserFacts } from '../../chat/replies.ts';
import type { BannedPages, GroupsPages, MembersPages, UsersPages } from '../../chat/whole-lists.ts';

/** The client's calls that read and delete, with its own types. They throw ReadingRefused, or the signal's reason. */
export interface GroupPages extends MembersPages, BannedPages, UsersPages, GroupsPages {
  /** An owner of null means that it is not known. */
  getGroup(guid: string, options: AskOptions): Promise<GroupFacts>;
  /** Whether a user is a member, and with which scope; `isKnown` is false when the service does not say. */
  getMembership(guid: string, uid: string, options: AskOptions): Promise<{ scope: string | null; isKnown: boolean }>;
  /** Groups of a user; `hasJoined` is null where the service does not say whether the user is in it. */
  listJoined(uid: string, options: AskOptions): Promise<readonly JoinedGroup[]>;
  getUser(uid: string, options: AskOptions): Promise<UserFacts>;
  /** Deletes it for good. Refused with the service's code if it does not exist (any more). */
  deleteUser(uid: string, options: AskOptions): Promise<void>;
  deleteGroup(guid: string, options: AskOptions): Promise<void>;
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
}
