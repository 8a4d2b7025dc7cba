import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { AuditNameOf } from '../api/operation.ts';
import type { importOperations } from '../api/operations/import-operations.ts';
import type { App } from '../app/app.ts';
import { type AccessStore, openAccessStore } from '../server/access/access-store.ts';
import { type Asked, withAim } from '../server/access/noting.ts';

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

/**
 * Notes what a command has done in the data directory that it owns. A server may write to the same log at the same time.
 * @template Group the operations of which one was done
 * @param action the name that it declares
 * @param target such as the schedule's name
 * @param detail what was asked for, in short
 */
export function noteCommand<Group = typeof importOperations>(
  { dir, coordinator }: Pick<App, 'dir' | 'coordinator'>,
  action: AuditNameOf<Group>,
  target: string,
  detail: string,
) {
  noteIn(dir.root, { ...atTerminal(), action, target, detail: withAim(action, detail, coordinator.sendsTo) });
}

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
