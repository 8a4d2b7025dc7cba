import type { Config } from '../platform/config.ts';
import type { Backend, QueueTelemetry } from '../queue/backend.ts';
import { openBackend } from '../queue/open-backend.ts';
import { isRefused } from '../queue/patience.ts';
import { caOf } from './ca-file.ts';

interface QueueParts {
  readonly config: Config;
  /** To the log and to the user. */
  readonly warn: (text: string) => void;
  readonly telemetry?: QueueTelemetry | undefined;
}

/** Time in which the queue's server must answer before the user learns that it does not, in ms. */
const ANSWER_MS = 3_000;

/** Interval between two messages to the user while the server refuses writes, in ms. */
const SAID_AGAIN_MS = 60_000;

/** Opens the queue, and warns about its server. Where that does not answer, calls wait. @throws BAD_QUEUE_ADDRESS */
export async function openQueue(
  { config, warn, telemetry }: QueueParts,
  onError: (error: Error) => void,
): Promise<Backend> {
  let last: Error | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  const noted = (error: Error) => {
    last = error;
    onError(error);
    if (!isRefused(error) || performance.now() - saidAt < SAID_AGAIN_MS) return;
    saidAt = performance.now();
    warn(`the queue's server refuses its work (${error.message}); calls wait until it does it`);
  };
  const { promise: late, resolve: isLate } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const why = last === undefined ? '' : ` (${last.message})`;
    warn(`the queue's server does not answer${why}; calls wait until it does`);
    isLate();
  }, ANSWER_MS);
  let opened: Backend | undefined;
  try {
    opened = await openBackend(config.queue, noted, caOf(config), telemetry);
    const warned = opened.warnings().then((warnings) => {
      for (const warning of warnings) warn(warning);
    });
    await Promise.race([warned, late]);
    warned.catch(onError);
    return opened;
  } catch (error) {
    await opened?.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
