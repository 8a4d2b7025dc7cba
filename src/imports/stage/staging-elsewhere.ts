import type { Worker } from 'node:worker_threads';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import { type ThreadError, unpackError } from '../read/thread-error.ts';
import type { StagedTotals } from './cut.ts';
import type { StagingProgress, StagingTask } from './stage-file.ts';

export type IntakeReply =
  | { readonly progress: StagingProgress }
  | { readonly totals: StagedTotals }
  | { readonly error: ThreadError };

/** Time in which a thread that is called off should end by itself, in ms; then it is terminated. */
const GRACE_MS = 250;
/** Time in which a terminated thread ends, unless it is in the middle of a long SQL statement, in ms. */
const TERMINATION_MS = 500;

/**
 * Stages a file in a thread of its own, so that reading and checking it holds up nobody here. Rejects with what
 * `stageFile` throws, or with the signal's reason, soon after it is aborted. A long SQL statement cannot be interrupted:
 * its thread ends after it, and what it writes until then goes to a file that is deleted.
 */
export async function stageElsewhere(
  { signal, ...task }: StagingTask,
  progress: (progress: StagingProgress) => void,
): Promise<StagedTotals> {
  signal.throwIfAborted();
  const thread = startThread(import.meta.url, './staging-thread', {
    workerData: task,
    resourceLimits: PASSING_ROWS,
  });
  const { promise: leftBehind, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const callOff = () => {
    thread.postMessage('called off');
    timer = setTimeout(() => {
      void thread.terminate();
      timer = setTimeout(() => reject(signal.reason), TERMINATION_MS);
    }, GRACE_MS);
  };
  signal.addEventListener('abort', callOff);
  try {
    const totals = await Promise.race([endOf(thread, (told) => signal.aborted || progress(told)), leftBehind]);
    signal.throwIfAborted();
    return totals;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', callOff);
  }
}

/** Resolves or rejects when the thread has ended. */
function endOf(thread: Worker, progress: (progress: StagingProgress) => void): Promise<StagedTotals> {
  return new Promise((resolve, reject) => {
    let totals: StagedTotals | undefined;
    let failure: unknown = new Error('the thread that reads the input has ended');
    thread.on('message', (reply: IntakeReply) => {
      if ('progress' in reply) progress(reply.progress);
      else if ('totals' in reply) totals = reply.totals;
      else failure = unpackError(reply.error);
    });
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('exit', () => (totals === undefined ? reject(failure) : resolve(totals)));
  });
}
