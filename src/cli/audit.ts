import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { type AccessStore, openAccessStore } from '../server/access/access-store.ts';
import type { Asked } from '../server/perform.ts';

/** Name of the user at the terminal, for the record. */
export function currentUser() {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Name in the audit log (`GET /v1/audit`) for what commands do. */
export const atTerminal = () => ({ who: currentUser(), role: 'admin', address: 'command line' }) as const;

function noteIn(root: string, line: Parameters<AccessStore['note']>[0]) {
  const access = openAccessStore(join(root, 'access.sqlite'));
  try {
    access.note(line);
  } finally {
    access.close();
  }
}

/** A data directory, and what this process sends to, if it runs imports. */
export interface Here extends Pick<App, 'dir'> {
  readonly coordinator?: Pick<App['coordinator'], 'sendsTo'>;
}

/** A person at a terminal of this machine, whose operations are noted in the log of the data directory. */
export function askedHere({ dir: { root }, coordinator }: Here, who = currentUser()): Asked {
  return { ...atTerminal(), who, access: { note: (line) => noteIn(root, line) }, sendsTo: coordinator?.sendsTo };
}
