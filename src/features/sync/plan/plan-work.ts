import { openThread } from '../../../platform/threads.ts';
import { type NotedRun, noteRun } from '../expiry/expiry.ts';
import { type Remembered, remember } from '../memory/memory.ts';
import { type Decision, makePlan } from './make-plan.ts';

interface Tasks {
  readonly remember: Remembered;
  readonly noteRun: NotedRun;
  readonly makePlan: Decision;
}

/** Work on the files of syncs that takes seconds where they are large. */
export const WORK: { readonly [Name in keyof Tasks]: (task: Tasks[Name]) => void } = {
  remember,
  noteRun,
  makePlan,
};

/** Does a piece of this work, in a thread unless it is small: it would hold up the process. Rejects with what the work throws. */
export async function doWork<Name extends keyof Tasks>(name: Name, task: Tasks[Name], isSmall: boolean) {
  // As a thread would get it: a value that cannot be sent fails with small files too.
  if (isSmall) WORK[name](structuredClone(task));
  else await openThread<typeof WORK>(import.meta.url, './plan-thread').askOnce(name, task);
}
