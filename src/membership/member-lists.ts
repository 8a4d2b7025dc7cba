import { SCOPES, type Scope } from './membership.ts';

/** What client, sandbox and reader of files all know about the service. */

/** The lists of an add-members call in the order in which the service works them off, with the scope that each gives (docs/chat-service.md, 15, 19). */
export const SCOPE_OF_LIST = {
  admins: 'admin',
  moderators: 'moderator',
  participants: 'participant',
  usersToBan: 'ban',
} as const satisfies Readonly<Record<string, Scope>>;
export type MemberList = keyof typeof SCOPE_OF_LIST;
export const MEMBER_LISTS = Object.keys(SCOPE_OF_LIST) as readonly MemberList[];
export const LIST_OF_SCOPE = Object.fromEntries(MEMBER_LISTS.map((list) => [SCOPE_OF_LIST[list], list])) as Readonly<
  Record<Scope, MemberList>
>;

/** UIDs in one add-members call, counted over all four lists. Public documentation, not contract (docs/chat-service.md, 16). */
export const MAX_UIDS_PER_CALL = 25;

/** Longest UID or GUID, in characters. Public documentation, not contract (docs/chat-service.md, 18). */
export const MAX_ID_LENGTH = 100;

/** A scope in which a user is a member. */
export type MemberScope = Exclude<Scope, 'ban'>;
export const MEMBER_SCOPES: readonly MemberScope[] = SCOPES.filter((scope) => scope !== 'ban');
