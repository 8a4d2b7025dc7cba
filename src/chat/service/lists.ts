/** Lists of an addition, highest scope first: if one UID is twice in a group, the earlier scope wins. */
export const SCOPES = ['admin', 'moderator', 'participant', 'ban'] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** A scope in which a user is a member. */
export type MemberScope = Exclude<Scope, 'ban'>;
export const MEMBER_SCOPES: readonly MemberScope[] = SCOPES.filter((scope) => scope !== 'ban');

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
