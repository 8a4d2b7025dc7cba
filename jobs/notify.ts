import { z } from 'zod';
import { defineJob } from '../src/queue/define-job.ts';

/**
 * notify: notifies a receiver (`serve --notify`) of one state change of an import or a sync.
 *
 * Queue     notify-<coordinator>, in the server's process
 * Input     the id of a delivery; its content is in the catalog, so that a wiped queue loses nothing
 * Output    the receiver has answered with 2xx, and the delivery is deleted
 * Retries   after 2 s, 4 s and so on, at most an hour apart, for about a day; then it is abandoned and logged.
 */
const payload = z.object({ version: z.literal(1), delivery: z.string() });
export type NotifyPayload = z.infer<typeof payload>;

interface NotifyPorts {
  /** Sends it, and deletes it once it has arrived. Does nothing if it arrived before. Rejects when it must be repeated. */
  deliver(delivery: string, signal: AbortSignal): Promise<void>;
  /** Deletes a delivery that could not be made. */
  giveUp(delivery: string, error: unknown): void;
}

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 3_600_000;

export const notify = defineJob<NotifyPayload, NotifyPorts>({
  name: 'notify',
  version: 1,
  payload,
  // Eleven waits that double add up to 68 minutes; 23 more of an hour each make a day.
  attempts: 35,
  backoffMs: (attemptsMade) => Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attemptsMade - 1)),
  process: async ({ payload: { delivery }, isLastAttempt, signal }, ports) => {
    try {
      await ports.deliver(delivery, signal);
    } catch (error) {
      if (!isLastAttempt || signal.aborted) throw error;
      ports.giveUp(delivery, error);
    }
  },
});
