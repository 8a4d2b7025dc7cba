import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ThreadError, unpackError } from '../../imports/read/thread-error.ts';
import { startThread } from '../../platform/threads.ts';
import { CannotRepair } from './repair-errors.ts';
import type { RepairTask, RepairWork } from './repair-tasks.ts';
import type { Subject } from './show.ts';

/** What a thread answers. */
export type RepairReply =
  | { readonly result: unknown }
  | { readonly refused: Pick<CannotRepair, 'what' | 'remedy' | 'facts'> }
  | { readonly error: ThreadError };

/** Up to this many bytes of a ledger, an answer takes less time than starting a thread. */
const FEW = 16 * 1024 * 1024;

/** Does a piece of work on the repairs of an import; in a thread where the import is big. @throws CannotRepair */
export async function doRepair<Kind extends keyof RepairWork>(
  subject: Subject,
  kind: Kind,
  given: RepairWork[Kind][0],
): Promise<RepairWork[Kind][1]> {
  const task = { kind, ...given } as RepairTask;
  const isBig =
    statSync(join(subject.folder, 'ledger.sqlite')).size > FEW ||
    (task.kind === 'file' && task.text.length > FEW / 16) ||
    (task.kind === 'replace' && task.request.as === 'pattern');
  return (await (isBig ? elsewhere(subject, task) : here(subject, task))) as RepairWork[Kind][1];
}

/** Loaded when it is needed: most processes repair nothing. */
async function here(subject: Subject, task: RepairTask): Promise<unknown> {
  const { doTask } = await import('./repair-tasks.ts');
  return doTask(subject, task);
}

function elsewhere(subject: Subject, task: RepairTask): Promise<unknown> {
  const thread = startThread(import.meta.url, './repair-thread', { workerData: { subject, task } });
  return new Promise((resolve, reject) => {
    thread.on('message', (reply: RepairReply) => {
      if ('result' in reply) resolve(reply.result);
      else if ('refused' in reply)
        reject(new CannotRepair(reply.refused.what, reply.refused.remedy ?? '', reply.refused.facts));
      else reject(unpackError(reply.error));
    });
    thread.on('error', reject);
    thread.on('exit', (code) => reject(new Error(`the thread repair-thread has ended with code ${code}`)));
  });
}
