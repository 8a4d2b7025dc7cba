import { parseQueueAddress } from './address.ts';
import type { Risk } from './redis.ts';

/** The result of a check of the queue's server. */
export interface QueueCheck {
  readonly kind: 'embedded' | 'redis' | 'postgres';
  readonly risks: readonly Risk[];
}

/** Time in which the server must answer, in ms. */
const ANSWER_MS = 5_000;

/**
 * Looks at the queue that `url` names, or says that it is embedded: that one is made by the process that uses it. Nothing is
 * made, changed or left there.
 * @param ca certificate authority to trust in addition to the usual ones, PEM
 * @throws QueueAddressError; Error where the server does not answer
 */
export async function checkQueue(url: string | undefined, ca?: string): Promise<QueueCheck> {
  if (url === undefined) return { kind: 'embedded', risks: [] };
  const address = parseQueueAddress(url);
  const late = Promise.withResolvers<never>();
  const over = new AbortController();
  const timer = setTimeout(late.reject, ANSWER_MS, new Error(`it did not answer within ${ANSWER_MS / 1000} s`));
  const look = async (): Promise<readonly Risk[]> => {
    // Each driver costs time to load; a check needs one of them.
    if (address.kind === 'redis') return (await import('./redis.ts')).checkRedis(address, ca, over.signal);
    await (await import('./postgres.ts')).checkPostgres(address, ANSWER_MS);
    return [];
  };
  try {
    return { kind: address.kind, risks: await Promise.race([look(), late.promise]) };
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
