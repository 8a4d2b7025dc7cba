import { type Flow, type FlowSums, NO_SUMS, newFlow, nextFlow } from '../../src/queue/flow.ts';
import { limitWindow } from '../../src/queue/limit-window.ts';

/** A call as the service sees it: how many are in flight with it. */
export interface Arrival {
  readonly now: number;
  readonly inFlight: number;
  /** Below 1, the same numbers in each run. */
  readonly random: () => number;
}

/** Decides how long a call takes, in ms, and whether it fails. */
export type SlowService = (arrival: Arrival) => { readonly ms: number; readonly fails?: boolean };

interface Load {
  readonly service: SlowService;
  readonly seconds: number;
  readonly callsPerMinute?: number;
  readonly processes?: number;
  /** The most calls at once of each process. */
  readonly most?: number;
  readonly seed?: number;
}

interface Second {
  answered: number;
  failed: number;
  ms: number;
  limit: number;
  inFlight: number;
}

const REPORT_MS = 250;

/** Processes that always have work call a service, in a time of their own. Returns what came of each second. */
export function simulateFlow({
  service,
  seconds,
  callsPerMinute = 8_000,
  processes = 1,
  most = 300,
  seed = 1,
}: Load): Second[] {
  const random = randomOf(seed);
  const result = Array.from({ length: seconds }, () => ({ answered: 0, failed: 0, ms: 0, limit: 0, inFlight: 0 }));
  const ends: { at: number; begun: number; process: number; fails: boolean }[] = [];
  const { max, duration } = limitWindow(callsPerMinute);
  const workers = Array.from({ length: processes }, () => ({ active: 0, at: 0, allowed: 1 }));
  let sums: FlowSums = NO_SUMS;
  let flow: Flow = newFlow(sums, 0);
  let window = { until: 0, left: 0 };
  let turn = 0;

  const spend = (worker: (typeof workers)[number], now: number): void => {
    const loadMs = worker.active * (now - worker.at);
    const isFull = worker.active >= worker.allowed * 0.8 - 0.5;
    sums = { ...sums, loadMs: sums.loadMs + loadMs, fullMs: sums.fullMs + (isFull ? loadMs : 0) };
    worker.at = now;
  };
  const share = (): void => {
    for (const worker of workers) worker.allowed = Math.ceil(flow.limit / processes);
  };
  const start = (now: number): void => {
    for (;;) {
      if (now >= window.until) window = { until: now + duration, left: max };
      const free = workers
        .map((_, nth) => (turn + nth) % processes)
        .find((nth) => (workers[nth] as { active: number }).active < (workers[nth] as { allowed: number }).allowed);
      if (window.left === 0 || free === undefined) return;
      turn = free + 1;
      const worker = workers[free] as (typeof workers)[number];
      spend(worker, now);
      worker.active += 1;
      window.left -= 1;
      const inFlight = workers.reduce((sum, { active }) => sum + active, 0);
      const { ms, fails = false } = service({ now, inFlight, random });
      push(ends, { at: now + ms, begun: now, process: free, fails });
    }
  };

  share();
  for (let now = 0; now < seconds * 1_000; ) {
    start(now);
    const nextReport = (Math.floor(now / REPORT_MS) + 1) * REPORT_MS;
    now = Math.min(
      nextReport,
      ends[0]?.at ?? nextReport,
      window.left === 0 ? Math.max(window.until, now + 0.01) : nextReport,
    );
    for (let end = ends[0]; end !== undefined && end.at <= now; end = ends[0]) {
      ends.shift();
      const worker = workers[end.process] as (typeof workers)[number];
      spend(worker, now);
      worker.active -= 1;
      const ms = end.at - end.begun;
      sums = { ...sums, ended: sums.ended + 1, failed: sums.failed + Number(end.fails), busyMs: sums.busyMs + ms };
      const second = result[Math.floor(now / 1_000)];
      if (second === undefined) continue;
      second.ms += ms;
      if (end.fails) second.failed += 1;
      else second.answered += 1;
    }
    if (now < nextReport) continue;
    for (const worker of workers) spend(worker, now);
    flow = nextFlow(flow, sums, now, most * processes);
    share();
    const second = result[Math.floor((now - 1) / 1_000)];
    if (second !== undefined) {
      second.limit = flow.limit;
      second.inFlight = workers.reduce((sum, { active }) => sum + active, 0);
    }
  }
  return result.map((second) => ({ ...second, ms: second.ms / Math.max(1, second.answered + second.failed) }));
}

function push<End extends { readonly at: number }>(ends: End[], end: End): void {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as End).at <= end.at) low = middle + 1;
    else high = middle;
  }
  ends.splice(low, 0, end);
}

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Noise with an average of 1; `spread` 0.5 is a latency that is often half as long or twice. */
export function noisy(random: () => number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(normal * spread - (spread * spread) / 2);
}

/** So many calls at a time, one after the other; the others wait in line. */
export function servers(count: number, ms: (now: number) => number, spread = 0): SlowService {
  const free = Array.from({ length: count }, () => 0);
  return ({ now, random }) => {
    const first = free.reduce((best, at, nth) => (at < (free[best] as number) ? nth : best), 0);
    const end = Math.max(now, free[first] as number) + ms(now) * noisy(random, spread);
    free[first] = end;
    return { ms: end - now };
  };
}
