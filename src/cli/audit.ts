import { join } from 'node:path';
import type { z } from 'zod';
import type { bulkBody } from '../api/imports.ts';
import type { AuditNameOf } from '../api/operation.ts';
import type { importOperations } from '../api/operations/import-operations.ts';
import type { Aimed } from '../imports/target.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { type AccessStore, openAccessStore } from '../server/access/access-store.ts';
import { type Asked, withAim } from '../server/access/noting.ts';
import { currentUser } from './current-user.ts';

/** Name in the audit log (`GET /v1/audit`) for what commands do. */
export const atTerminal = () => ({ who: currentUser(), role: 'admin', address: 'command line' }) as const;

/**
 * Notes what a command has done in an existing data directory. A server may write to the same log at the same time.
 * @template Group the operations of which one was done
 * @param action the name that it declares; acts on several imports are named by the act
 * @param target such as the schedule's name
 * @param detail what was asked for, in short
 * @param sendsTo where this process sends
 */
export function noteCommand<Group = typeof importOperations>(
  { root }: DataDir,
  action: AuditNameOf<Group> | `import.${z.infer<typeof bulkBody>['action']}`,
  target: string,
  detail = '',
  sendsTo?: Aimed,
): void {
  noteIn(root, { ...atTerminal(), action, target, detail: withAim(action, detail, sendsTo) });
}

function noteIn(root: string, line: Parameters<AccessStore['note']>[0]): void {
  const access = openAccessStore(join(root, 'access.sqlite'));
  try {
    access.note(line);
  } finally {
    access.close();
  }
}

/** A person at a terminal of this machine, whose operations are noted in the log of the data directory. */
export function askedHere({ root }: DataDir, sendsTo: Aimed | undefined, who = currentUser()): Asked {
  return { ...atTerminal(), who, access: { note: (line) => noteIn(root, line) }, sendsTo };
}
