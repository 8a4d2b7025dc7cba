import { parseQueueAddress } from './address.ts';
import type { Backend } from './backend.ts';

/**
 * Opens the backend that `url` names (address.ts), or without one the embedded backend in `directory`.
 * @throws QueueAddressError
 */
export async function openBackend(
  directory: string,
  url?: string,
  onError: (error: Error) => void = () => {},
): Promise<Backend> {
  const address = parseQueueAddress(url, directory);
  // Each driver costs time to load; a run needs one of them.
  switch (address.kind) {
    case 'embedded':
      return (await import('./postgres.ts')).openEmbeddedBackend(address.directory);
    case 'redis':
      return (await import('./redis.ts')).openRedis(address, onError);
    case 'postgres':
      return (await import('./postgres.ts')).openPostgres(address, onError);
  }
}
