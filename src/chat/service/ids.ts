/** Longest UID or GUID, in characters. Public documentation, not contract (docs/chat-service.md, 18). */
export const MAX_ID_LENGTH = 100;

/** Letters, digits, `-` and `_`: publicly documented, not contract (docs/chat-service.md, 18). */
export const ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}$`);
export const NOT_ID_CHARACTER = /[^A-Za-z0-9_-]/u;

/**
 * A UID or GUID as the service stores it, as it is sent and as ids are compared: in lower case (docs/chat-service.md, 18).
 * SQL compares alike, with `nocase` and `lower`: the letters of ids are ASCII.
 */
export function foldId(id: string): string {
  return id.toLowerCase();
}
