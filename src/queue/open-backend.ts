import { withPackages } from '../platform/packages.ts';
import type { Backend, QueueTelemetry } from './backend.ts';
import { parseQueueAddress } from './queue-address.ts';
import type { Risk } from './redis.ts';

/**
 * Opens the queue on the server that `url` names (queue-address.ts), or without one the embedded queue, which leaves no trace on disk.
 * @param ca certificate authority that a Redis over TLS is trusted by, in addition to the usual ones, PEM
 * @throws BAD_QUEUE_ADDRESS, PACKAGE_MISSING
 */
export async function openBackend(
  url?: string,
  onError: (error: Error) => void = () => {},
  ca?: string,
  telemetry?: QueueTelemetry,
): Promise<Backend> {
  // Each costs time to load; a run needs one of them.
  if (url === undefined) return (await import('./memory.ts')).openMemory(telemetry);
  const address = parseQueueAddress(url);
  const { openBull } = await withPackages('queues in Redis and Valkey', () => import('./bull-backend.ts'));
  return openBull(address, onError, ca, telemetry);
}

/** Looks at the server that `url` names, as `checkRedis` does. @throws BAD_QUEUE_ADDRESS; Error where the server does not answer */
export async function checkQueue(url: string, ca?: string): Promise<Risk[]> {
  const address = parseQueueAddress(url);
  return (await import('./redis.ts')).checkRedis(address, ca);
}
