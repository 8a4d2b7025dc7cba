/** Finds the UID for what a file knows users by. */
export interface Identities {
  /** Undefined where the key is not in the identity file; that is counted. */
  uidOf(key: string): string | undefined;
}
