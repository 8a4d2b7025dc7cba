import { statSync } from 'node:fs';
import { join } from 'node:path';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { Thread } from '../../platform/threads.ts';
import type { Subject } from './repair-ledger.ts';
import type { Given, Result, TaskName } from './repair-tasks.ts';
import type { CorrectedFile } from './take-file.ts';

/** The thread that does one piece of work on the repairs of a big import. */
export type RepairThread = {
  work: (asked: {
    readonly subject: Subject;
    readonly name: TaskName;
    readonly given: readonly unknown[];
  }) => Promise<unknown>;
};

/** Maximum size of a ledger whose answers take less time than starting a thread, in bytes. */
const MAX_INLINE_BYTES = 16 * 1024 * 1024;

/** Does a piece of work on the repairs of an import; in a thread where it may take long. @throws CannotRepair */
export async function doRepair<Name extends TaskName>(
  subject: Subject,
  name: Name,
  ...given: Given<Name>
): Promise<Result<Name>> {
  const isBig = statSync(join(subject.folder, 'ledger.sqlite')).size > MAX_INLINE_BYTES;
  const done = isBig || isLong(name, given) ? inThread(subject, name, given) : inline(subject, name, given);
  return (await done) as Result<Name>;
}

/** The work may take long however few rows there are. */
function isLong(name: TaskName, [first]: readonly unknown[]) {
  return name === 'takeFile' && (first as CorrectedFile).bytes.length > MAX_INLINE_BYTES / 16;
}

/** Loaded when it is needed: most processes repair nothing. */
async function inline(subject: Subject, name: TaskName, given: readonly unknown[]) {
  const { doTask } = await import('./repair-tasks.ts');
  return doTask(subject, name, given);
}

function inThread(subject: Subject, name: TaskName, given: readonly unknown[]) {
  const thread = new Thread<RepairThread>(import.meta.url, './repair-thread', { errors: [IntakeError] });
  return thread.askOnce('work', { subject, name, given });
}
