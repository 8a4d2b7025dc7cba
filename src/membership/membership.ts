/** The words of rollcall as types (docs/glossary.md). This folder imports nothing. */

/** Data centers of the service; each is part of the base address (docs/chat-service.md, 2). */
export const REGIONS = ['us', 'eu', 'in'] as const;
export type Region = (typeof REGIONS)[number];

/** What a row asks for, highest first: where one UID is twice in a group, the earlier scope wins. */
export const SCOPES = ['admin', 'moderator', 'participant', 'ban'] as const;
export type Scope = (typeof SCOPES)[number];

/** The action that a row asks for. All but `add` is for files of changes only: those of a sync, and with `--actions`. */
export const ACTIONS = ['add', 'change', 'remove', 'unban'] as const;
export type Action = (typeof ACTIONS)[number];

/** One membership that the input asks for. UID and GUID are kept as written and compare without regard to case. */
export interface Membership {
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** Ignored when the action removes the member. */
  readonly scope: Scope;
  /** UID of the acting user; empty when the service itself acts. */
  readonly onBehalfOf: string;
  /** Absent: `add`, as in every ordinary import. */
  readonly action?: Action;
}

export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text);
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/**
 * A UID or GUID as the service stores it, as it is sent and as ids are compared: in lower case (docs/chat-service.md, 18).
 * SQL compares alike, with `nocase` and `lower`: the letters of ids are ASCII.
 */
export function foldId(id: string): string {
  return id.toLowerCase();
}
