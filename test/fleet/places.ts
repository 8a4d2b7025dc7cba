import { openBackend } from '../../src/queue/open-backend.ts';
import type { QueuePlace } from '../imports/pipeline-harness.ts';
import type { TestServer } from '../servers/server.ts';

let addresses = 0;

/** An address of a queue on this Redis where no one else is. */
export function newAddress({ url }: TestServer): string {
  addresses += 1;
  return `${url}?namespace=test_${addresses}`;
}

/** A place of queues in Redis for the pipeline's harness: each data directory keeps its address. */
export function placeIn(server: () => TestServer): QueuePlace {
  const urls = new Map<string, string>();
  return {
    name: 'Redis',
    open: ({ root }) => {
      const url = urls.get(root) ?? newAddress(server());
      urls.set(root, url);
      return openBackend(url);
    },
  };
}
