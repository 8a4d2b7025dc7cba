import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallObserver } from '../imports/send/call-observer.ts';
import type { Region } from '../membership/membership.ts';
import type { QueueDepth } from '../queue/job-queue.ts';

/** Gauges of a region that both servers and workers have, and their help texts. */
export const LIMITED = 'Time until the rate limit lets the next call start';
export const BUDGET = 'Calls that may start in a minute, over all workers';
export const SILENT_BUDGET = 'The same of imports in silence';
export const AT_ONCE = 'Calls that may be in flight at once, over all workers, as the service takes them now';
export const AWAY = '1 while the chat service does not answer and the circuit of the region is open or half-open';
export const STOPPED = '1 while the chat service refuses the key or plan of the region';

/** Values by their labels: added where the labels are the same, left out where they are not known. */
type Values = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number | null | undefined]>;

/** A gauge whose values are read at each collection. */
export function readGauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => Values | Promise<Values>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const [labels, value] of values) if (typeof value === 'number') this.inc(labels, value);
    },
  });
}

export function backlogGauge(
  registry: Registry,
  read: () => Promise<readonly (QueueDepth & { readonly region: Region })[]>,
): void {
  readGauge(registry, 'rollcall_backlog', "Batches in the region's queue by state", ['region', 'state'], async () =>
    (await read()).flatMap(({ region, waiting, delayed, active, setAside }) =>
      Object.entries({ waiting, delayed, active, 'set-aside': setAside }).map(
        ([state, count]) => [{ region, state }, count] as const,
      ),
    ),
  );
}

/** Metrics of the calls that this process makes, by region. */
export function callMetrics(registry: Registry): CallObserver {
  const registers = [registry];
  const calls = new Counter({
    name: 'rollcall_calls_total',
    help: 'Calls to the chat service by region and code; the code is empty when the call was answered',
    labelNames: ['region', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'rollcall_call_seconds',
    help: 'Time that calls to the chat service take',
    labelNames: ['region'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const outcomes = new Counter({
    name: 'rollcall_outcomes_total',
    help: 'Rows by region and outcome, as far as the reply says',
    labelNames: ['region', 'outcome'],
    registers,
  });
  const waits = new Histogram({
    name: 'rollcall_queue_wait_seconds',
    help: 'Time from when a batch came into the queue to when a worker first took it',
    labelNames: ['region'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  const allowed = new Gauge({
    name: 'rollcall_service_limit',
    help: 'Calls that the chat service allows in its current window, as its last reply says',
    labelNames: ['region'],
    registers,
  });
  const left = new Gauge({
    name: 'rollcall_service_remaining',
    help: 'Calls left in that window for all users of the app, as its last reply says',
    labelNames: ['region'],
    registers,
  });
  return {
    begun: (region, waitedMs) => waits.observe({ region }, waitedMs / 1000),
    called: (region, { ms, code }, rate) => {
      calls.inc({ region, code });
      seconds.observe({ region }, ms / 1000);
      if (rate?.limit !== undefined) allowed.set({ region }, rate.limit);
      if (rate?.remaining !== undefined) left.set({ region }, rate.remaining);
    },
    settled: (region, outcome, rows) => outcomes.inc({ region, outcome }, rows),
  };
}
