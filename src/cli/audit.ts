import { join } from 'node:path';
import type { DataDir } from '../platform/data-dir.ts';
import { openAccessStore } from '../server/access/access-store.ts';
import { whoTypes } from './target/sync-data.ts';

/** Who notes what is done by commands, in the audit log that `GET /v1/audit` shows. */
export const here = () => ({ who: whoTypes(), role: 'operator', address: 'command line' }) as const;

/**
 * Notes what a command has done in a data directory that exists. A server may write the same log meanwhile.
 * @param action such as `schedule.add`
 * @param target such as the schedule's name
 * @param detail what was asked for, in short
 */
export function noteHere({ root }: DataDir, action: string, target: string, detail = ''): void {
  const access = openAccessStore(join(root, 'access.sqlite'));
  try {
    access.note({ ...here(), action, target, detail });
  } finally {
    access.close();
  }
}
