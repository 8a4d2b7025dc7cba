import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Shape } from '../../../options/shape.ts';
import type { ExportName } from '../exports.ts';
import type { InputRow } from '../input-row.ts';
import { IntakeError } from '../intake-error.ts';
import type { IntakeSource } from '../source.ts';
import type { FileSet } from './file-set.ts';

/** Slack says here who is deleted; the channels still have these people as members. */
const USERS = 'users.json';

/** Reading options of the file: the deleted users are read as the users of any group. */
const READING = {
  format: 'json' as const,
  map: { uid: 'id' },
  region: 'us' as const,
  guid: 'all',
  shape: { where: [{ column: 'deleted', is: ['true'] }] } satisfies Shape,
};

interface Rows {
  chunks(): AsyncGenerator<InputRow[]>;
}

/** The files of an export other than Slack's about users, and the ids of deleted users. Closes the set when it throws. */
export async function withoutSlackUsers(
  set: FileSet,
  exportOf: ExportName | undefined,
  open: (source: IntakeSource, reading: typeof READING) => Promise<Rows>,
): Promise<{ readonly set: FileSet; readonly deletedUsers?: ReadonlySet<string> }> {
  const file = exportOf === 'slack' ? set.names.find((name) => posix.basename(name) === USERS) : undefined;
  if (file === undefined) return { set };
  const deletedUsers = new Set<string>();
  try {
    const users = await open({ stream: Readable.from(set.read(file), { objectMode: false }), name: file }, READING);
    for await (const rows of users.chunks()) {
      for (const { uid, shaped } of rows) if (shaped?.skipped !== true) deletedUsers.add(uid);
    }
  } catch (error) {
    const isWithoutUsers = error instanceof IntakeError && error.code === 'NO_ROWS';
    if (!isWithoutUsers) {
      set.close();
      throw error;
    }
  }
  return { set: { ...set, names: set.names.filter((name) => name !== file) }, deletedUsers };
}
