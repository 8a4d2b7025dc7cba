import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../servers/redis.ts';
import { haveSentinel, startSentinelled, startSentinels } from '../servers/sentinel.ts';
import type { TestServer } from '../servers/server.ts';
import type { Verdict } from './checker.ts';
import { finish, openPlace, type Place, type PlaceOptions, type Rollcall, served } from './place.ts';
import { startProxy } from './proxy.ts';
import { type Command, OUTAGES } from './service.ts';

/** Faults that the campaign plants in a running import, each by name. */

interface Result extends Verdict {
  /** Times that a person would have had to start a command again, beyond the kills. */
  readonly help: number;
}

interface BlowOptions {
  readonly rows: number;
  readonly seed: number;
  /** Duration of an outage of the service, or of the way to the queue, in ms. */
  readonly outageMs: number;
}

type Blow = (options: BlowOptions) => Promise<Result>;

/** One process sends, without a queue server. */
function embedded(
  service: PlaceOptions['service'],
  hurt: (place: Place, options: BlowOptions) => Promise<number>,
): Blow {
  return async (options) => {
    const place = await openPlace({ ...options, service: service ?? {} });
    try {
      const help = await hurt(place, options);
      return { ...(await place.verdict()), help };
    } finally {
      await place.close();
    }
  };
}

/** Kills the sending process at random shares of the calls, up to one of them, and continues. */
async function killed(place: Place, kills: number, upTo = 0.9): Promise<number> {
  const shares = Array.from({ length: kills }, () => 0.05 + (upTo - 0.05) * place.random()).sort((a, b) => a - b);
  for (const share of shares) {
    const running = place.coordinate();
    await place.reaches(share);
    await running.kill();
  }
  return finish(place);
}

/** Kills the process, and ends the log of its ledger where a power cut may have ended it. */
async function powerCut(place: Place, cuts: number): Promise<number> {
  for (let cut = 1; cut <= cuts; cut += 1) {
    const running = place.coordinate();
    await place.reaches((0.9 * cut) / (cuts + 1) + 0.1 * place.random());
    await running.kill();
    place.cutLog(cut === cuts ? 0 : place.random());
  }
  return finish(place);
}

const outage = (about: (ms: number) => Command): Blow =>
  embedded({}, async (place, { outageMs }) => {
    const running = place.coordinate();
    await place.reaches(0.2);
    await place.tell(about(outageMs));
    return finish(place, running);
  });

interface Fleet<Server extends TestServer> {
  readonly place: Place;
  readonly server: Server;
  readonly workers: Rollcall[];
  coordinator: Rollcall;
}

/** A coordinator and two workers over a queue server; the blow gets all of them. */
function fleet<Server extends TestServer>(
  open: () => Promise<Server>,
  hurt: (fleet: Fleet<Server>, options: BlowOptions) => Promise<void>,
): Blow {
  return async (options) => {
    const server = await open();
    const place = await openPlace({ ...options, queue: server.url });
    try {
      const workers = [place.worker(), place.worker()];
      const all: Fleet<Server> = { place, server, workers, coordinator: place.coordinate() };
      await place.reaches(0.1);
      await hurt(all, options);
      const help = await finish(place, all.coordinator);
      return { ...(await place.verdict()), help };
    } finally {
      await place.close();
      await server.stop();
    }
  };
}

/** Deals `count` blows, spread over the import. */
async function spread(place: Place, count: number, blow: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await place.reaches(0.1 + (0.8 * n) / count);
    await blow(n);
  }
}

const redis = () => startRedis();

interface ProxiedOptions {
  /** Delay of everything, in each direction, in ms. */
  readonly delayMs?: number;
  readonly open?: () => Promise<TestServer>;
  /** Whether a sentinel names the proxy to clients, as the master. */
  readonly sentinel?: boolean;
}

/** Everything goes through a proxy, which is given another way to treat the connections. */
function throughProxy(
  { delayMs = 0, open = redis, sentinel = false }: ProxiedOptions,
  hurt: (proxy: Awaited<ReturnType<typeof startProxy>>) => void,
): Blow {
  return async (options) => {
    const server = await open();
    const address = new URL(server.url);
    const proxy = await startProxy(Number(address.port), delayMs);
    address.host = `127.0.0.1:${proxy.port}`;
    const sentinels = sentinel ? await startSentinels(proxy.port) : undefined;
    const place = await openPlace({ ...options, queue: sentinels?.url ?? address.href });
    try {
      place.worker();
      place.worker();
      const coordinator = place.coordinate();
      await place.reaches(0.2);
      hurt(proxy);
      const help = await finish(place, coordinator);
      return { ...(await place.verdict()), help };
    } finally {
      await place.close();
      await proxy.close();
      await sentinels?.stop();
      await server.stop();
    }
  };
}

/** Many imports wait for their turn in a server that is killed while they do, and twice more soon after it has started. */
const serverKilled: Blow = async (options) => {
  const place = await openPlace(options);
  try {
    let server = await place.serve();
    const uploads = await place.upload(server, 12);
    await place.reaches(0.1);
    for (let kills = 0; kills < 3; kills += 1) {
      await server.kill();
      server = await place.serve();
      // It has taken up all of them, and made a call or two.
      await sleep(1_000);
    }
    const help = await served(server, uploads);
    await server.kill();
    return { ...(await place.verdict(uploads)), help };
  } finally {
    await place.close();
  }
};

/** Users act for most rows, and many of these are refused; the check before has foretold which. */
const acting: Blow = async (options) => {
  const place = await openPlace({ ...options, acting: true, service: { faults: 0.02 } });
  try {
    await place.check();
    // Calls that are refused are not in the journal, which the shares are of.
    const help = await killed(place, 3, 0.4);
    const verdict = await place.verdict();
    return { ...verdict, wrong: [...verdict.wrong, ...(await place.misled())], help };
  } finally {
    await place.close();
  }
};

/** The data directory is full in the middle, and gets room after that. */
function diskFull(diskKb: number): Blow {
  return async (options) => {
    const place = await openPlace({ ...options, diskKb });
    try {
      const running = place.coordinate();
      await running.ended;
      place.enlarge(64 * diskKb);
      // One that ended as if it were finished is not continued here, and its verdict shows it.
      const help = await finish(place, running);
      return { ...(await place.verdict()), help: Math.max(0, help - 1) };
    } finally {
      await place.close();
    }
  };
}

export const BLOWS: Readonly<Record<string, Blow>> = {
  'embedded: kill -9': embedded({}, (place) => killed(place, 3)),
  'embedded: kill -9, a service that repeats': embedded({ refusesRepeats: false }, (place) => killed(place, 3)),
  'embedded: kill -9, groups of 30,000, a service that repeats': embedded(
    { refusesRepeats: false, crowd: 30_000 },
    (place) => killed(place, 3),
  ),
  'embedded: kill -9 and faults of the service': embedded({ faults: 0.1 }, (place) => killed(place, 3)),
  'embedded: acting users, a check, kill -9 and faults of the service': acting,
  'power cut: the log is cut twice, then gone': embedded({}, (place) => powerCut(place, 3)),
  'power cut: the same, a service that repeats': embedded({ refusesRepeats: false }, (place) => powerCut(place, 3)),
  ...Object.fromEntries(OUTAGES.map((kind) => [`embedded: outage, ${kind}`, outage((ms) => ({ outage: kind, ms }))])),
  'embedded: outage, one region of three': outage((ms) => ({ outage: '503', ms, region: 'eu' })),
  'redis: kill -9 of workers and coordinator': fleet(redis, async (all) => {
    await spread(all.place, 4, async (n) => {
      if (n === 3) {
        await all.coordinator.kill();
        all.coordinator = all.place.coordinate();
      } else {
        await all.workers[n % 2]?.kill();
        all.workers[n % 2] = all.place.worker();
      }
    });
  }),
  'redis: kill -9 of Redis, with AOF': fleet(redis, restarts(3)),
  'redis: kill -9 of Redis, without AOF': fleet(() => startRedis({ aof: false }), restarts(3)),
  'redis: FLUSHALL': fleet(redis, ({ place, server }) => spread(place, 2, () => server.flush())),
  'redis: frozen for 40 s': fleet(redis, async ({ server }, { outageMs }) => {
    await server.freeze();
    await sleep(Math.min(outageMs, 40_000));
    await server.thaw();
  }),
  'redis: half-open connections': throughProxy({}, (proxy) => proxy.swallow()),
  'redis: connections cut': throughProxy({}, (proxy) => proxy.cut()),
  'redis: 500 ms each way': throughProxy({ delayMs: 500 }, () => {}),
  'sentinel: half-open connections': throughProxy({ sentinel: true }, (proxy) => proxy.swallow()),
  'sentinel: kill -9 of the master': fleet(startSentinelled, ({ server }) => server.kill()),
  'sentinel: kill -9 of the master, whose replica lags': fleet(startSentinelled, async ({ place, server }) => {
    await server.lag();
    await place.reaches(0.4);
    await server.kill();
  }),
  'serve: kill -9, and twice soon after a start': serverKilled,
  'disk full: 3,200 kB': diskFull(3_200),
  'disk full: 4,500 kB': diskFull(4_500),
};

function restarts(count: number): (fleet: Fleet<TestServer>) => Promise<void> {
  return ({ place, server }) =>
    spread(place, count, async () => {
      await server.kill();
      await server.start();
    });
}

/** Returns the privilege or program that the machine lacks for a blow; undefined: nothing. */
export function lacking(name: string): string | undefined {
  if (name.startsWith('disk') && !mayMount()) return 'root';
  return name.startsWith('sentinel') && !haveSentinel() ? 'a Redis of this machine' : undefined;
}

/** Whether this process may mount file systems. */
function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['-m', 'true']);
    return true;
  } catch {
    return false;
  }
}
