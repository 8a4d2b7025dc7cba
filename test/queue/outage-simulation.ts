import { shareCircuit } from '../../src/queue/circuit-breaker.ts';

interface Outage {
  /** Length, in ms. It begins after ten seconds. */
  readonly ms: number;
  /** After how long a call has no answer, in ms. */
  readonly failAfterMs: number;
  /** Each with its own view of the circuit, and five jobs at the same time. */
  readonly processes: number;
}

const BEGIN_MS = 10_000;
const ANSWER_MS = 50;
const JOBS = 5;
/** Minimum wait of a failed job, in ms: less than any backoff would on average. */
const BACKOFF_MS = 500;

/** Lets workers meet an outage, in a time of their own: no real time passes. */
export async function simulateOutage({ ms, failAfterMs, processes }: Outage) {
  let now = 0;
  const events: { at: number; run: () => Promise<void> }[] = [];
  const later = (at: number, run: () => Promise<void>) => void events.push({ at, run });

  let note = '';
  let gate = 0;
  const queue = {
    readNote: async () => note,
    swapNote: async (_name: string, before: string, after: string) => {
      if (note === before) note = after;
      return note;
    },
    slowDown: async (waitMs: number) => {
      gate = Math.max(gate, now + waitMs);
    },
    endWait: async () => {
      gate = 0;
    },
  };

  const end = BEGIN_MS + ms;
  const isAway = () => now >= BEGIN_MS && now < end;
  let lateCalls = 0;
  let maxAttempts = 0;
  let served = 0;
  let closedAt = Number.POSITIVE_INFINITY;
  /** Makes a call, and says whether it was answered. */
  const call = (): Promise<boolean> =>
    new Promise((resolve) => {
      const away = isAway();
      if (away && now >= BEGIN_MS + 120_000) lateCalls += 1;
      later(now + (away ? failAfterMs : ANSWER_MS), async () => resolve(!away));
    });

  for (let process = 0; process < processes; process += 1) {
    const breaker = shareCircuit({ queue, now: () => now });
    const job = async (attempts: number): Promise<void> => {
      if (now < gate) return later(gate, () => start(attempts));
      const admitted = await breaker.admit();
      const again = (waitMs: number) => later(now + waitMs, () => start(attempts));
      if (typeof admitted === 'number') {
        await queue.slowDown(admitted);
        return again(admitted);
      }
      const at = now;
      const no = { at, code: 'CONNECT_FAILED', message: '' };
      if (!(await call())) {
        if (admitted !== 'go') return again((await admitted.failed(no)) ?? 0);
        const waitMs = await breaker.unanswered(no);
        if (waitMs !== undefined) return again(waitMs);
        maxAttempts = Math.max(maxAttempts, attempts + 1);
        return later(now + BACKOFF_MS, () => start(attempts + 1));
      }
      await breaker.answered(false);
      served += now > end ? 1 : 0;
      if (now > end) closedAt = Math.min(closedAt, now);
      later(now, () => start(0));
    };
    // A call waits for events that come later, so no event waits for a job.
    const start = async (attempts: number): Promise<void> => void job(attempts);
    for (let nth = 0; nth < JOBS; nth += 1) later(nth, () => start(0));
  }

  while (now < end + 90_000) {
    const next = events.reduce((first, event, index) => (event.at < (events[first]?.at ?? 0) ? index : first), 0);
    const [event] = events.splice(next, 1);
    if (event === undefined) throw new Error('nothing happens any more');
    now = Math.max(now, event.at);
    await event.run();
    // Work that the event has resolved continues before time does.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { maxAttempts, lateCalls, closedAfterMs: closedAt - end, served };
}
