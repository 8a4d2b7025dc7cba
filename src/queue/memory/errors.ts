import { ErrorCode } from 'bullmq';

/** What a queue says of a job that is not as the operation needs it: BullMQ's codes and words, as on every backend. */
class JobStateError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = 'JobStateError';
    this.code = code;
  }
}

export const missingJob = (id: string, operation: string) =>
  new JobStateError(ErrorCode.JobNotExist, `Missing key for job ${id}. ${operation}`);

export const notInState = (id: string, state: string, operation: string) =>
  new JobStateError(ErrorCode.JobNotInState, `Job ${id} is not in the ${state} state. ${operation}`);

export const missingLock = (id: string, operation: string) =>
  new JobStateError(ErrorCode.JobLockNotExist, `Missing lock for job ${id}. ${operation}`);

export const otherLock = (id: string, operation: string) =>
  new JobStateError(ErrorCode.JobLockMismatch, `Lock mismatch for job ${id}. Cmd ${operation} from active`);

/** An operation of BullMQ that rollcall has no use for. */
export function unsupported(what: string): never {
  throw new Error(`the embedded queue does not support ${what}; keep the queue in Redis (ROLLCALL_QUEUE=redis://…)`);
}
