/** Sizes that the service allows. Public documentation, not contract. */

/** UIDs in one call: of an addition over all four lists, and users that one call reactivates (docs/chat-service.md, 16). */
export const MAX_UIDS_PER_CALL = 25;

/** Users, groups or members of one call of the data import, and its calls a minute, which no other budget counts (docs/chat-service.md, 72). */
export const MAX_IMPORTED_PER_CALL = 50;
export const IMPORTS_PER_MINUTE = 60;

/** Members of a group (docs/chat-service.md, 27). */
export const MAX_GROUP_MEMBERS = 100_000;

/** With more members a group has no unread counts any more; nothing is refused for it (docs/chat-service.md, 27). */
export const MEMBERS_WITH_ALL_FEATURES = 300;

/** Groups of a user (docs/chat-service.md, 27). */
export const MAX_GROUPS_OF_USER = 2_000;

/** Entries that a page of a list can have. */
export const MAX_PER_PAGE = 1000;

/** Entries of a page of banned users: the documented default, because no maximum is documented (docs/chat-service.md, 46). */
export const BANNED_PER_PAGE = 100;

/** Limits of the fields of new users and groups (docs/chat-service.md, 55 and 63). */
export const PROFILE_LIMITS = {
  /** Characters. */
  name: 100,
  /** Characters of `avatar`, `link` and `icon`. */
  address: 3_000,
  /** Characters of a group's description. */
  description: 255,
  /** Bytes of the JSON text. */
  metadata: 5 * 1024,
  tags: 25,
  /** Characters of each tag. */
  tag: 100,
} as const;

/** Longest UID or GUID, in characters. Public documentation, not contract (docs/chat-service.md, 18). */
export const MAX_ID_LENGTH = 100;

/** Letters, digits, `-` and `_`: publicly documented, not contract (docs/chat-service.md, 18). */
export const ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`);
export const NOT_ID_CHARACTER = /[^A-Za-z0-9_-]/u;

/**
 * A UID or GUID as the service stores it, as it is sent and as ids are compared: in lower case (docs/chat-service.md, 18).
 * SQL compares alike, with `nocase` and `lower`: the letters of ids are ASCII.
 */
export function foldId(id: string) {
  return id.toLowerCase();
}
