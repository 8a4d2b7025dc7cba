import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * notify: tells a receiver (`serve --notify`) of one move of an import or a sync.
 *
 * Queue     notify-<coordinator>, in the server's process
 * Input     the id of a delivery; what is sent stands in the catalog, so that a wiped queue loses nothing
 * Output    the receiver has answered with 2xx, and the delivery is forgotten
 * Retries   after 2 s, 4 s and so on, at most an hour apart, for about a day; then it is given up and logged.
 */
const payload = z.object({ version: z.literal(1), delivery: z.string() });
export type NotifyPayload = z.infer<typeof payload>;

export interface NotifyPorts {
  /** Sends it, and forgets it when it has arrived; nothing happens when it has before. Rejects when it is to be repeated. */
  deliver(delivery: string, signal: AbortSignal): Promise<void>;
  /** Forgets what could not be delivered. */
  giveUp(delivery: string, error: unknown): void;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 3_600_000;

export const notify = defineJob<NotifyPayload, NotifyPorts>({
  name: 'notify',
  version: 1,
  payload,
  // Eleven waits that double come to 68 minutes; with 23 of an hour each it is a day.
  attempts: 35,
  backoffMs: (attemptsMade) => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attemptsMade - 1)),
  process: async ({ payload: { delivery }, isLastAttempt, signal }, ports) => {
    try {
      await ports.deliver(delivery, signal);
    } catch (error) {
      if (!isLastAttempt || signal.aborted) throw error;
      ports.giveUp(delivery, error);
    }
  },
});
