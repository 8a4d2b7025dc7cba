/** Sizes of what users and groups are created with. Public documentation, not contract (docs/chat-service.md, 55 and 63). */
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
