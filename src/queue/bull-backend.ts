import type { Backend, QueueTelemetry } from './backend.ts';
import { openQueue } from './bull-queue.ts';
import { startWorker } from './bull-worker.ts';
import { type History, historyOf } from './history.ts';
import { createPatience } from './patience.ts';
import type { QueueAddress } from './queue-address.ts';
import { connectPatiently, risksOf } from './redis.ts';
import { FLOW } from './redis-flow.ts';

/** Jobs in Redis or Valkey, which processes share. */
export function openBull(
  address: QueueAddress,
  onError: (error: Error) => void,
  ca?: string,
  telemetry?: QueueTelemetry,
): Backend {
  const connection = connectPatiently(address, onError, ca);
  const patiently = createPatience(onError);
  const bull = { connection, ...(telemetry !== undefined && { telemetry }) };
  const histories = new Map<string, History>();
  const settingsOf = (queue: string) => {
    const prefix = prefixOf(address, queue);
    const history = histories.get(queue) ?? historyOf(connection, `${prefix}:${queue}:${FLOW}`);
    histories.set(queue, history);
    return { bull: { ...bull, prefix }, patiently, history };
  };
  return {
    kind: 'redis',
    openQueue: (name, ...options) => openQueue(settingsOf(name), name, ...options),
    startWorker: (options) => startWorker(settingsOf(options.queue.name), options),
    warnings: async () => (await patiently(() => risksOf(connection, address))).map(({ text }) => text),
    close: async () => {
      patiently.end();
      // `quit` would wait for a server that may be down.
      connection.disconnect();
    },
  };
}

/** The prefix of the keys of a queue. Its braces put all of them into one slot, which a cluster needs, and different queues into different ones. */
export function prefixOf({ namespace }: Pick<QueueAddress, 'namespace'>, queue: string): string {
  return `{${namespace}-${queue}}`;
}
