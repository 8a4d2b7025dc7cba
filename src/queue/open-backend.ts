import { parseQueueAddress, type QueueAddress } from './address.ts';
import type { Backend, BullQueue, Driver, QueueTelemetry } from './backend.ts';

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
  return listing(await open(parseQueueAddress(url), onError, ca), telemetry === undefined ? {} : { telemetry });
}

async function open(address: QueueAddress, onError: (error: Error) => void, ca: string | undefined): Promise<Driver> {
  // Each driver costs time to load; a run needs one of them.
  switch (address.kind) {
    case 'embedded':
      return (await import('./memory.ts')).openMemory();
    case 'redis':
      return (await import('./redis.ts')).openRedis(address, onError, ca);
    case 'postgres':
      return (await import('./postgres.ts')).openPostgres(address, onError);
  }
}

/** Remembers which queues are open. */
function listing(driver: Driver, common: { readonly telemetry?: QueueTelemetry }): Backend {
  let opened: BullQueue[] = [];
  const open = () => opened.filter(({ closing }) => closing === undefined);
  return {
    ...driver,
    queue: (name, options) => {
      const queue = driver.queue(name, { ...options, ...common });
      opened = [...open(), queue];
      return queue;
    },
    worker: (name, process, options) => driver.worker(name, process, { ...options, ...common }),
    queues: open,
  };
}
