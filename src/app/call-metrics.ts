import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RegionStatus } from '../api/region-status.ts';
import type { CallObserver } from '../imports/send/call-observer.ts';
import type { QueueDepth } from '../queue/job-queue.ts';

/** Values by their labels: added where the labels are the same, left out where they are not known. */
type Values = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number | null | undefined]>;

/** A gauge whose values are read at each collection. */
export function readGauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => Values | Promise<Values>,
) {
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

interface RegionState extends QueueDepth, Pick<RegionStatus, 'region' | 'limitedForMs' | 'stopped'> {
  readonly callsPerMinute: number | null | undefined;
  readonly importsPerMinute: number | null | undefined;
  readonly atOnce: number | null | undefined;
  readonly isAway: boolean;
}

/** Gauges of the regions that a server or worker knows. @param ask for those that answer: once for all gauges, which are collected together */
export function regionGauges<State extends RegionState>(registry: Registry, ask: () => Promise<readonly State[]>) {
  let asked: Promise<readonly State[]> | undefined;
  const gauges = (name: string, help: string, labels: string[], read: (region: State) => Values) =>
    readGauge(registry, name, help, ['region', ...labels], async () => {
      asked ??= ask().finally(() => {
        asked = undefined;
      });
      return (await asked).flatMap((state) =>
        Array.from(read(state), ([label, value]) => [{ region: state.region, ...label }, value] as const),
      );
    });
  const gauge = (name: string, help: string, read: (region: State) => number | null | undefined) =>
    gauges(name, help, [], (state) => [[{}, read(state)]]);
  gauge(
    'rollcall_limited_seconds',
    'Time until the rate limit lets the next call start',
    (one) => one.limitedForMs / 1000,
  );
  gauge('rollcall_calls_per_minute', 'Calls that may start in a minute, over all workers', (one) => one.callsPerMinute);
  gauge('rollcall_imports_per_minute', 'The same of imports in silence', (one) => one.importsPerMinute);
  gauge(
    'rollcall_calls_at_once',
    'Calls that may be in flight at once, over all workers, as the service takes them now',
    ({ atOnce }) => atOnce,
  );
  gauge('rollcall_region_stopped', '1 while the chat service refuses the key or plan of the region', ({ stopped }) =>
    Number(stopped),
  );
  gauge(
    'rollcall_service_away',
    '1 while the chat service does not answer and the circuit of the region is open or half-open',
    ({ isAway }) => Number(isAway),
  );
  gauges(
    'rollcall_backlog',
    "Batches in the region's queue by state",
    ['state'],
    ({ waiting, delayed, active, setAside }) =>
      Object.entries({ waiting, delayed, active, 'set-aside': setAside }).map(([state, count]) => [{ state }, count]),
  );
  return { gauge, gauges };
}

/** Metrics of the calls that this process makes, by region. */
export function callMetrics(registry: Registry): CallObserver {
  const about = (name: string, help: string, ...labels: string[]) => {
    return { name, help, labelNames: ['region', ...labels], registers: [registry] };
  };
  const calls = new Counter(
    about(
      'rollcall_calls_total',
      'Calls to the chat service by region and code; the code is empty when the call was answered',
      'code',
    ),
  );
  const seconds = new Histogram({
    ...about('rollcall_call_seconds', 'Time that calls to the chat service take'),
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const outcomes = new Counter(
    about('rollcall_outcomes_total', 'Rows by region and outcome, as far as the reply says', 'outcome'),
  );
  const waits = new Histogram({
    ...about(
      'rollcall_queue_wait_seconds',
      'Time from when a batch came into the queue to when a worker first took it',
    ),
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  });
  const allowed = new Gauge(
    about('rollcall_service_limit', 'Calls that the chat service allows in its current window, as its last reply says'),
  );
  const left = new Gauge(
    about('rollcall_service_remaining', 'Calls left in that window for all users of the app, as its last reply says'),
  );
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
