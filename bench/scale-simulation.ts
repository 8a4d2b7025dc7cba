/**
 * Simulates imports that no machine here is big enough for: 100,000,000 rows, by several coordinators, on a queue of
 * several shards. Second by second, the calls that are left are shared out among three bounds: what the service allows
 * each app, what one coordinator can write into its imports' ledgers, and what one shard of Redis can pass on. Nothing
 * is measured here: the capacities below are assumptions, set low so that the limits show. Replace them with what
 * bench/fleet.ts says on your machines.
 *
 * Run   node bench/scale.ts --simulate
 */
import { REGIONS, type Region } from '../src/membership/membership.ts';

const UIDS_PER_CALL = 25;

/** UIDs a second that one coordinator takes in hand: the CPU of dispatching and recording, one core: assumed. */
const COORDINATOR_UIDS = 20_000;
/** Calls a second that one shard of Redis passes on: its CPU per call, one core: assumed. */
const SHARD_CALLS = 2_000;
/** UIDs a second that are staged, and reported, by one coordinator; before sending and after it. */
const STAGED_UIDS = 250_000;
const REPORTED_UIDS = 150_000;

interface Plan {
  readonly name: string;
  readonly callsPerMinute: number;
  /** Shards that hold the regions' queues: one for all, or one for each region (Redis Cluster). */
  readonly shards: 1 | 3;
  /** Imports, each with its coordinator and its rows in each region. */
  readonly imports: readonly { readonly coordinator: number; readonly rows: Partial<Record<Region, number>> }[];
}

const M = 1_000_000;
const everywhere = (rows: number) => ({ us: rows / 3, eu: rows / 3, in: rows / 3 });

const PLANS: readonly Plan[] = [
  plan('10,000,000 rows in one region', 10_000, 1, [{ us: 10 * M }]),
  plan('10,000,000 rows in three regions', 10_000, 1, [everywhere(10 * M)]),
  plan('100,000,000 rows in three regions', 10_000, 1, [everywhere(100 * M)]),
  plan('the same, 60,000 calls a minute for each app', 60_000, 1, [everywhere(100 * M)]),
  plan('… as three imports, one for each region and coordinator', 60_000, 1, [
    { us: (100 * M) / 3 },
    { eu: (100 * M) / 3 },
    { in: (100 * M) / 3 },
  ]),
  plan('… and on a Redis Cluster', 60_000, 3, [{ us: (100 * M) / 3 }, { eu: (100 * M) / 3 }, { in: (100 * M) / 3 }]),
];

function plan(
  name: string,
  callsPerMinute: number,
  shards: 1 | 3,
  rows: readonly Partial<Record<Region, number>>[],
): Plan {
  return { name, callsPerMinute, shards, imports: rows.map((one, coordinator) => ({ coordinator, rows: one })) };
}

/** A Markdown table: minutes from the first byte read to the last report written, and what held each plan back. */
export function simulate(): string {
  const lines = PLANS.map((one) => {
    const { minutes, heldBy } = run(one);
    return `| ${one.name} | ${one.imports.length} | ${one.shards} | ${minutes.toFixed(0)} | ${heldBy} |`;
  });
  const head = ['import', 'coordinators', 'shards', 'minutes', 'limited by'];
  return `${[`| ${head.join(' | ')} |`, '| --- | ---: | ---: | ---: | --- |', ...lines].join('\n')}\n`;
}

function run({ imports, callsPerMinute, shards }: Plan): { minutes: number; heldBy: string } {
  const left = imports.map(({ coordinator, rows }) => ({
    coordinator,
    calls: REGIONS.map((region) => Math.ceil((rows[region] ?? 0) / UIDS_PER_CALL)),
  }));
  const seconds = { service: 0, coordinator: 0, shard: 0 };
  let sending = 0;
  while (left.some(({ calls }) => calls.some((n) => n > 0))) {
    const bounds = {
      service: REGIONS.map(() => callsPerMinute / 60),
      coordinator: imports.map(() => COORDINATOR_UIDS / UIDS_PER_CALL),
      shard: Array.from({ length: shards }, () => SHARD_CALLS),
    };
    // In small shares by turns, as the queues' priorities have it, so that no import and no region waits for another.
    for (let gave = true; gave; ) {
      gave = false;
      for (const { coordinator, calls } of left) {
        for (const [region, open] of calls.entries()) {
          const shard = region % shards;
          const share = Math.min(
            open,
            1,
            bounds.service[region] ?? 0,
            bounds.coordinator[coordinator] ?? 0,
            bounds.shard[shard] ?? 0,
          );
          if (share <= 1e-9) continue;
          gave = true;
          calls[region] = open - share;
          take(bounds.service, region, share);
          take(bounds.coordinator, coordinator, share);
          take(bounds.shard, shard, share);
        }
      }
    }
    for (const [name, of] of Object.entries(bounds)) {
      if (of.some((rest) => rest <= 1e-9)) seconds[name as keyof typeof seconds] += 1;
    }
    sending += 1;
  }
  const rows = Math.max(...imports.map((one) => Object.values(one.rows).reduce((sum, n) => sum + n, 0)));
  const total = rows / STAGED_UIDS + sending + rows / REPORTED_UIDS;
  const [heldBy] = Object.entries(seconds).sort(([, a], [, b]) => b - a)[0] ?? [''];
  const names: Record<string, string> = {
    service: 'the service’s rate limit',
    coordinator: 'one writer for each ledger',
    shard: 'one shard of Redis',
  };
  return { minutes: total / 60, heldBy: names[heldBy] ?? '' };
}

function take(bounds: number[], index: number, share: number): void {
  bounds[index] = (bounds[index] ?? 0) - share;
}
