/** The starts that a batch's payload records. */
interface Starts {
  /** Calls whose end is known. */
  readonly calls: readonly unknown[];
  /** Starts without a call. */
  readonly handedBack: number;
}

/**
 * Returns the reason why an earlier call for a batch may have been carried out; null when none can have been.
 * @param starts of its job, without the one that runs now
 */
export function uncertaintyOf(batch: Starts & { readonly uncertainty: string | null }, starts: number): string | null {
  return batch.uncertainty ?? (unexplainedStarts(batch, starts) > 0 ? 'a worker ended in the middle of it' : null);
}

/** Returns the phrase that explains why an outcome may not be that of the last call. */
export function maybeEarlier(uncertainty: string | null): string {
  return `it may be by an earlier call: ${uncertainty}`;
}

/** After this many starts that left neither a recorded call nor a result, a batch is not tried any more. */
export const MAX_DEATHS = 10;

/** Whether it keeps ending its workers. @param starts with the one that runs now */
export function endsWorkers(batch: Starts, starts: number): boolean {
  return unexplainedStarts(batch, starts) > MAX_DEATHS;
}

/** Starts after which a worker neither finished the batch nor handed it back. */
function unexplainedStarts({ calls, handedBack }: Starts, starts: number): number {
  return starts - calls.length - handedBack;
}
