import type { Backend, QueueTelemetry } from './backend.ts';
import type { Driver } from './bull-backend.ts';
import { parseQueueAddress } from './queue-address.ts';
import type { Risk } from './redis-driver.ts';

/**
 * Opens the backend that `url` names (queue-address.ts), or without one the embedded backend, which leaves no trace on disk.
 * @param ca certificate authority that a Redis over TLS is trusted by, in addition to the usual ones, PEM
 * @throws QueueAddressError
 */
export async function openBackend(
  url?: string,
  onError: (error: Error) => void = () => {},
  ca?: string,
  telemetry?: QueueTelemetry,
): Promise<Backend> {
  // Each kind costs time to load; a run needs one of them.
  if (url === undefined) return (await import('./memory.ts')).openMemory(telemetry);
  const driver = await openDriver(url, onError, ca);
  return (await import('./bull-backend.ts')).bullBackend(driver, telemetry);
}

/** BullMQ on the server that `url` names. @throws QueueAddressError */
export async function openDriver(
  url: string,
  onError: (error: Error) => void = () => {},
  ca?: string,
): Promise<Driver> {
  const address = parseQueueAddress(url);
  return address.kind === 'postgres'
    ? (await import('./postgres-driver.ts')).openPostgres(address, onError)
    : (await import('./redis-driver.ts')).openRedis(address, onError, ca);
}

/** The result of a check of the queue's server. */
interface QueueCheck {
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
    if (address.kind === 'redis') return (await import('./redis-driver.ts')).checkRedis(address, ca, over.signal);
    await (await import('./postgres-driver.ts')).checkPostgres(address, ANSWER_MS);
    return [];
  };
  try {
    return { kind: address.kind, risks: await Promise.race([look(), late.promise]) };
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
