import { statSync } from 'node:fs';
import { join } from 'node:path';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { openThread } from '../../platform/threads.ts';
import { CannotRepair } from './edit.ts';
import type { RepairTask, RepairWork } from './repair-tasks.ts';
import type { Subject } from './show.ts';

/** The thread that does one piece of work on the repairs of a big import. */
export type RepairThread = {
  work: (given: { readonly subject: Subject; readonly task: RepairTask }) => Promise<unknown>;
};

/** Maximum size of a ledger whose answers take less time than starting a thread, in bytes. */
const MAX_INLINE_BYTES = 16 * 1024 * 1024;

/** Does a piece of work on the repairs of an import; in a thread where the import is big. @throws CannotRepair */
export async function doRepair<Kind extends keyof RepairWork>(
  subject: Subject,
  kind: Kind,
  given: RepairWork[Kind][0],
): Promise<RepairWork[Kind][1]> {
  const task = { kind, ...given } as RepairTask;
  const isBig =
    statSync(join(subject.folder, 'ledger.sqlite')).size > MAX_INLINE_BYTES ||
    (task.kind === 'file' && task.text.length > MAX_INLINE_BYTES / 16) ||
    (task.kind === 'replace' && task.request.as === 'pattern');
  return (await (isBig ? doInThread(subject, task) : doInline(subject, task))) as RepairWork[Kind][1];
}

/** Loaded when it is needed: most processes repair nothing. */
async function doInline(subject: Subject, task: RepairTask): Promise<unknown> {
  const { doTask } = await import('./repair-tasks.ts');
  return doTask(subject, task);
}

function doInThread(subject: Subject, task: RepairTask): Promise<unknown> {
  const thread = openThread<RepairThread>(import.meta.url, './repair-thread', { errors: [CannotRepair, IntakeError] });
  return thread.askOnce('work', { subject, task });
}
