import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createRegionFlow, type RegionFlow } from '../../src/imports/send/region-flow.ts';
import { openRegionQueue } from '../../src/imports/send/region-queues.ts';
import type { Backend } from '../../src/queue/backend.ts';
import { readFlow } from '../../src/queue/flow.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { eventually } from '../eventually.ts';
import { newAddress } from '../fleet/places.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';

/** The most calls at once of two processes. */
const MOST = [60, 20];

function describeFlow(name: string, open: () => Promise<Backend>): void {
  describe(`the calls at once of a region's workers on ${name}`, () => {
    /** The share of the time in which this process computes, as the flows are told. */
    let utilization = 0;
    /** The flows' clock. */
    let now = 0;
    beforeEach(() => {
      utilization = 0;
    });
    const openFlows = async (...most: number[]) => {
      const backend = await open();
      const fail = (error: Error) => expect.fail(error.message);
      const queue = openRegionQueue(backend, 'us', 'app', fail);
      const told = most.map(() => [1]);
      const allowed = () => told.map((numbers) => numbers.at(-1) ?? 1);
      const flows = most.map((one, nth) =>
        createRegionFlow({
          queue,
          most: one,
          limit: (allowed) => told[nth]?.push(allowed),
          utilization: () => utilization,
          now: () => now,
          onError: fail,
        }),
      );
      onTestFinished(async () => {
        for (const flow of flows) flow.close();
        await queue.close();
        await backend.close();
      });
      const flow = async () => readFlow(await queue.readNote('flow'));
      const limit = async () => (await flow())?.limit;
      return { flows, told, allowed, flow, limit };
    };
    /** Makes as many calls as are allowed, again and again, until the test has seen enough. Each takes 5 ms by the flows' clock. */
    const whileBusy = async (
      flows: readonly RegionFlow[],
      allowed: () => readonly number[],
      seen: () => Promise<void>,
    ) => {
      let isSeen = false;
      const end = seen().finally(() => {
        isSeen = true;
      });
      while (!isSeen) {
        const answer = Promise.withResolvers<void>();
        const numbers = allowed();
        const calls = flows.flatMap((flow, nth) =>
          Array.from({ length: numbers[nth] ?? 0 }, () => flow.count(() => answer.promise)),
        );
        now += 5;
        answer.resolve();
        await Promise.all(calls);
        // The reports of the flows have their turn.
        await setTimeout(1);
      }
      await end;
    };

    test('are shared by the most that each process may have, and grow for all by what they learn together', async () => {
      const { flows, allowed, limit } = await openFlows(...MOST);
      await whileBusy(flows, allowed, async () => {
        await eventually(limit).toBeGreaterThan(20);
        await eventually(async () => {
          const all = (await limit()) ?? 0;
          return allowed().every((one, nth) => one === Math.ceil((all * (MOST[nth] as number)) / 80));
        }).toBe(true);
      });
    });

    test('do not grow while this process has no time for more', async () => {
      const { flows, allowed, flow, limit } = await openFlows(100);
      utilization = 1;
      await whileBusy(flows, allowed, async () => {
        await eventually(async () => (await flow())?.seen?.bound).toBe(false);
        expect(allowed()).toEqual([20]);
        utilization = 0;
        await eventually(limit).toBeGreaterThan(20);
      });
    });

    test('begin with one after an outage, in each process', async () => {
      const { flows, told, allowed, limit } = await openFlows(50, 50);
      await whileBusy(flows, allowed, () => eventually(() => Math.min(...allowed())).toBeGreaterThan(1));
      flows[0]?.restart();
      expect(allowed()[0]).toBe(1);
      await eventually(limit).toBe(1);
      const before = told[1]?.length;
      const other = () => allowed().slice(1);
      await whileBusy(flows.slice(1), other, () => eventually(() => told[1]?.slice(before)).toContain(1));
      await whileBusy(flows, allowed, () => eventually(limit).toBeGreaterThan(8));
    });

    test('follow a maximum that is changed while calls are made', async () => {
      const { flows, allowed } = await openFlows(8);
      await eventually(allowed).toEqual([8]);
      flows[0]?.setMost(3);
      await eventually(allowed).toEqual([3]);
    });
  });
}

describeFlow('the embedded queue', openBackend);

describe('with a server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  describeFlow('Redis', () => openBackend(newAddress(server)));
});
