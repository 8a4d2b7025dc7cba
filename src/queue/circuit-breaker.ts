import { randomUUID } from 'node:crypto';
import {
  type Answer,
  answered,
  type Circuit,
  leaveProbe,
  NOTE_MS,
  type NoAnswer,
  probeFailed,
  readCircuit,
  takeProbe,
  unanswered,
  waitOf,
} from './circuit.ts';
import type { JobQueue } from './job-queue.ts';

/** The circuit of a queue as one process sees and changes it; all processes that use the queue share it. */
export type CircuitBreaker = ReturnType<typeof shareCircuit>;

/** The right to make the call that tries whether the service answers again. */
export interface Probe {
  /** Resolves with the ms until the next one; undefined where the circuit has closed meanwhile. */
  failed(no: NoAnswer): Promise<number | undefined>;
  /** Lets another one try. Harmless after its end. */
  leave(): Promise<void>;
}

interface CircuitBreakerOptions {
  readonly queue: Pick<JobQueue<never>, 'readNote' | 'swapNote' | 'slowDown' | 'endWait'>;
  /** This process has opened or closed it. */
  readonly changed?: (circuit: Circuit) => void;
  /** ms since 1970 */
  readonly now?: () => number;
}

export function shareCircuit({ queue, changed, now = Date.now }: CircuitBreakerOptions) {
  let text = '';
  let seen = readCircuit(text);
  let readAt = Number.NEGATIVE_INFINITY;
  let work: Promise<unknown> = Promise.resolve();

  const saw = (found: string): Circuit => {
    text = found;
    seen = readCircuit(found);
    readAt = now();
    return seen;
  };
  /** One after the other: the changes of one process would only get in each other's way. */
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = work.then(task);
    work = done.catch(() => {});
    return done;
  };
  const change = (to: (circuit: Circuit) => Circuit): Promise<Circuit> =>
    inTurn(async () => {
      for (;;) {
        const before = seen;
        const after = to(before);
        if (after === before) return before;
        // Two processes may note the same: the mark tells whose note it is.
        const written = JSON.stringify({ ...after, mark: randomUUID() });
        saw(await queue.swapNote('circuit', text, written));
        // Otherwise another process was faster.
        if (text !== written) continue;
        if (isOpen(after) !== isOpen(before)) changed?.(after);
        return after;
      }
    });
  /** Those who ask meanwhile get the same answer. */
  let reading: Promise<Circuit> | undefined;
  const read = (): Promise<Circuit> => {
    reading ??= inTurn(async () => saw(await queue.readNote('circuit'))).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  /** Workers take no jobs from a queue that waits. */
  const hold = async (circuit: Circuit): Promise<number | undefined> => {
    if (!isOpen(circuit)) return undefined;
    const waitMs = Math.max(1, waitOf(circuit, now()));
    await queue.slowDown(waitMs);
    return waitMs;
  };

  return {
    /** Returns the circuit as this process knows it. */
    seen: () => seen,
    /** Whether a job may call: yes, or as the one that probes, or not before this time in ms. */
    admit: async (): Promise<'go' | Probe | number> => {
      if (isOpen(seen) || now() - readAt >= NOTE_MS) await read();
      if (!isOpen(seen)) return 'go';
      const by = randomUUID();
      const circuit = await change((found) => takeProbe(found, by, now()));
      if (!isOpen(circuit)) return 'go';
      if (circuit.probe?.by !== by) return Math.max(1, waitOf(circuit, now()));
      return {
        failed: async (no) => hold(await change((found) => probeFailed(found, by, no, now()))),
        leave: async () => void (await change((found) => leaveProbe(found, by))),
      };
    },
    /**
     * A call was answered, which closes the circuit. Without news, the other processes learn of it now and then only.
     * @param asksToWait the queue waits for another reason as well
     */
    answered: async (asksToWait: boolean, answer: Answer = {}) => {
      const isOld = (at: number | null) => Math.abs(now() - (at ?? 0)) >= NOTE_MS;
      const isNews = (circuit: Circuit) =>
        circuit.since !== null ||
        (circuit.waitsUntil === null) !== ((answer.waitsUntil ?? null) === null) ||
        (answer.recovered === true && isOld(circuit.recoveredAt)) ||
        isOld(circuit.answeredAt);
      if (!isNews(seen)) return;
      let closes = false;
      await change((circuit) => {
        closes = isOpen(circuit);
        return isNews(circuit) ? answered(circuit, answer, now()) : circuit;
      });
      if (closes && !asksToWait) await queue.endWait();
    },
    /** Resolves with the ms that jobs must wait; undefined while the circuit is closed. */
    unanswered: async (no: NoAnswer) => hold(await change((found) => unanswered(found, no, now()))),
  };
}

function isOpen({ openedAt }: Circuit): boolean {
  return openedAt !== null;
}
