import { userInfo } from 'node:os';

/** Name of the user at the terminal, for the record. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
