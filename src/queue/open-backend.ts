import { parseQueueAddress } from './address.ts';
import type { Backend, QueueTelemetry } from './backend.ts';
import type { Driver } from './bull-backend.ts';

/**
 * Opens the backend that `url` names (address.ts), or without one the embedded backend, which leaves no trace on disk.
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
    ? (await import('./postgres.ts')).openPostgres(address, onError)
    : (await import('./redis.ts')).openRedis(address, onError, ca);
}
