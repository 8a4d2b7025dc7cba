import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { isFinal } from '../../src/membership/import-state.ts';
import { REGIONS, type Region, type Scope } from '../../src/membership/membership.ts';
import { seededRandom } from '../../src/sandbox/injected-faults.ts';
import { loopback } from '../sandbox/open-sandbox.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const SEED = 20261120;
const KILLS = 20;
const ROWS = 3_000;
const GROUPS = 30;
/** Every fault but those that change nothing in what a client must do. The first two calls to `in` are never answered. */
const FAULTS = 'reset-before=3%,reset-after=4%,in:timeout=2,omit-uid=4%,too-many=1%,unavailable=2%,error=2%';

/** A row's request and its expected result; worked out here, without a line of rollcall's. */
interface Asked {
  readonly line: string;
  readonly fate: 'in place' | 'invalid' | 'duplicate';
}

interface Order {
  readonly rows: readonly Asked[];
  /** `region/guid` → UID → scope. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Scope>>;
}

/** Rows in no order: of every seventh UID a second row with a lower scope, and every fiftieth row is wrong. */
function makeOrder(prefix: string, random: () => number): Order {
  const rows: Asked[] = [];
  const members = new Map<string, Map<string, Scope>>();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  for (let at = 0; rows.length < ROWS; at += 1) {
    const region = pick(REGIONS);
    const guid = `${prefix}-g${Math.floor(random() * GROUPS)}`;
    const uid = `${prefix}-u${at}`;
    if (at % 50 === 0) {
      rows.push({ line: `${region},${guid},not an id ${at},participant`, fate: 'invalid' });
      continue;
    }
    const scope = at % 7 === 0 ? pick(['admin', 'moderator'] as const) : pick(['participant', 'ban'] as const);
    rows.push({ line: `${region},${guid},${uid},${scope}`, fate: 'in place' });
    if (at % 7 === 0) rows.push({ line: `${region},${guid},${uid.toUpperCase()},participant`, fate: 'duplicate' });
    const key = `${region}/${guid}`;
    members.set(key, (members.get(key) ?? new Map()).set(uid, scope));
  }
  return { rows: shuffled(rows, random), members };
}

test(`kill -9 at ${KILLS} moments, among faults of the service: every row has one outcome, and the groups are as asked`, async () => {
  const place = await openWorkplace();
  const service = await sandboxProcess(place);
  const random = seededRandom(SEED);
  const pace = ['--calls-per-minute', '1000000'];

  const first = makeOrder('first', random);
  const startedAt = performance.now();
  await place.run(['import', place.file('first.csv', csvOf(first)), '--dry-run']);
  // About as long as an undisturbed import, so that the kills fall into every part of one.
  const span = 2 * (performance.now() - startedAt);

  let kills = 0;
  for (let number = 1; kills < KILLS; number += 1) {
    const order = makeOrder(`n${number}`, random);
    const file = place.file(`n${number}.csv`, csvOf(order));
    for (;;) {
      const open = openImport(place);
      const run = place.start(open === undefined ? ['import', file, ...pace] : ['resume', open, ...pace]);
      if (kills < KILLS) {
        const timer = setTimeout(() => run.child.kill('SIGKILL'), random() * span);
        await once(run.child, 'exit');
        clearTimeout(timer);
        if (run.child.signalCode === 'SIGKILL') kills += 1;
      }
      const { code, stderr } = await run.ended;
      if (code === null) continue;
      expect([code, stderr]).toEqual([1, expect.stringContaining('report')]);
      break;
    }
    await expectAccounted(place, order);
    for (const [key, expected] of order.members) {
      const [region, guid] = key.split('/') as [Region, string];
      expect([key, await service.members(region, guid)]).toEqual([key, listedAs(expected)]);
    }
  }
  expect(kills).toBe(KILLS);
});

/** The import that a kill has interrupted, if it had begun. */
function openImport(place: Workplace): string | undefined {
  const catalog = openCatalogReader(join(place.dataDir, 'catalog.sqlite'));
  try {
    const latest = catalog.list(1)[0];
    return latest === undefined || isFinal(latest.state) || latest.file === 'first.csv' ? undefined : latest.id;
  } finally {
    catalog.close();
  }
}

async function expectAccounted(place: Workplace, { rows }: Order): Promise<void> {
  const { stdout } = await place.run(['report', '--format', 'ndjson']);
  const reported = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(reported.map((row) => row._row)).toEqual(rows.map((_, at) => at + 2));
  expect(reported.map((row) => fateOf(row._status))).toEqual(rows.map(({ fate }) => fate));

  const { stdout: json } = await place.run(['status', '--json']);
  const { rows: counts } = JSON.parse(json);
  const { read, ...outcomes } = counts as Record<string, number>;
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(read);
  for (const [outcome, count] of Object.entries(outcomes)) {
    expect([outcome, count]).toEqual([outcome, reported.filter((row) => row._status === outcome).length]);
  }
}

/** A UID that two replies left out is unconfirmed; that it is in its group is seen in the group. */
function fateOf(status: string): string {
  return ['added', 'banned', 'already_member', 'unconfirmed'].includes(status) ? 'in place' : status;
}

/** The sandbox in a process of its own, and the members that it lists. */
async function sandboxProcess(place: Workplace) {
  const limits = ['--calls-per-minute', '1000000', '--latency', '1-20'];
  const faults = ['--faults', FAULTS, '--random-seed', String(SEED)];
  const run = place.start(['sandbox', '--json', '--open', ...faults, ...limits], { stays: true });
  await run.says('ROLLCALL_HOST');
  const { url, caFile, apps, env } = JSON.parse(run.stdout());
  Object.assign(place.env, env);
  const agent = new Agent({ connect: { ca: readFileSync(caFile), lookup: loopback } });
  onTestFinished(() => agent.destroy());
  const port = new URL(url).port;

  /** Asks until no fault strikes the question. */
  async function ask(region: Region, path: string): Promise<unknown> {
    const { appId, apiKey } = apps[region];
    for (;;) {
      const reply = await agent
        .request({
          origin: `https://${appId}.api-${region}.localhost:${port}`,
          path: `/v3/groups/${path}`,
          method: 'GET',
          headers: { apikey: apiKey },
        })
        .catch(() => undefined);
      const body = await reply?.body.text();
      if (reply?.statusCode === 200 && body !== undefined) return JSON.parse(body).data;
    }
  }
  return {
    members: async (region: Region, guid: string): Promise<Listing> => {
      const members = (await ask(region, `${guid}/members?perPage=1000`)) as { uid: string; scope: Scope }[];
      const { membersCount } = (await ask(region, guid)) as { membersCount: number };
      return { listed: new Map(members.map(({ uid, scope }) => [uid, scope])), membersCount };
    },
  };
}

/** The service's answers about a group. It lists the banned like participants, and does not count them as members. */
interface Listing {
  readonly listed: ReadonlyMap<string, Scope>;
  readonly membersCount: number;
}

function listedAs(members: ReadonlyMap<string, Scope>): Listing {
  return {
    listed: new Map([...members].map(([uid, scope]) => [uid, scope === 'ban' ? 'participant' : scope])),
    membersCount: [...members.values()].filter((scope) => scope !== 'ban').length,
  };
}

function csvOf({ rows }: Order): string {
  return `region,guid,uid,scope\n${rows.map(({ line }) => line).join('\n')}\n`;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
