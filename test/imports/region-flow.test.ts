import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RegionFlow } from '../../src/imports/send/region-flow.ts';
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
    beforeEach(() => {
      utilization = 0;
    });
    const openFlows = async (...most: number[]) => {
      const backend = await open();
      const fail = (error: Error) => expect.fail(error.message);
      const queue = openRegionQueue(backend, 'us', 'app', fail);
      const allowed = most.map(() => 1);
      const flows = most.map(
        (one, nth) =>
          new RegionFlow({
            queue,
            most: one,
            limit: (now) => allowed.splice(nth, 1, now),
            utilization: () => utilization,
            onError: fail,
          }),
      );
      onTestFinished(async () => {
        for (const flow of flows) flow.close();
        await queue.close();
        await backend.close();
      });
      const flow = async () => readFlow(await queue.readFlow());
      const limit = async () => (await flow())?.limit;
      return { flows, allowed, flow, limit };
    };
    /** Keeps as many calls in flight as are allowed, until the test has seen enough. */
    const keepBusy = (flow: RegionFlow, allowed: () => number) => {
      let busy = true;
      const running = new Set<Promise<void>>();
      const end = new Promise<void>((resolve) => {
        const fill = (): void => {
          if (!busy) return void Promise.all(running).then(() => resolve());
          while (running.size < allowed()) {
            const call = flow
              .count(() => new Promise<void>((done) => void setTimeout(done, 5)))
              .finally(() => {
                running.delete(call);
                fill();
              });
            running.add(call);
          }
        };
        fill();
      });
      return () => {
        busy = false;
        return end;
      };
    };

    test('are shared by the most that each process may have, and grow for all by what they learn together', async () => {
      const { flows, allowed, limit } = await openFlows(...MOST);
      const stops = flows.map((flow, nth) => keepBusy(flow, () => allowed[nth] as number));
      await eventually(limit).toBeGreaterThan(20);
      await eventually(async () => {
        const all = (await limit()) ?? 0;
        return allowed.every((one, nth) => one === Math.ceil((all * (MOST[nth] as number)) / 80));
      }).toBe(true);
      await Promise.all(stops.map((stop) => stop()));
    });

    test('do not grow while this process has no time for more', async () => {
      const { flows, allowed, flow, limit } = await openFlows(100);
      utilization = 1;
      const stop = keepBusy(flows[0] as RegionFlow, () => allowed[0] as number);
      await eventually(async () => (await flow())?.seen?.bound).toBe(false);
      expect(allowed).toEqual([20]);
      utilization = 0;
      await eventually(limit).toBeGreaterThan(20);
      await stop();
    });

    test('begin with one after an outage, in each process', async () => {
      const { flows, allowed, limit } = await openFlows(50, 50);
      const stops = flows.map((flow, nth) => keepBusy(flow, () => allowed[nth] as number));
      await eventually(() => Math.min(...allowed)).toBeGreaterThan(1);
      flows[0]?.restart();
      expect(allowed[0]).toBe(1);
      await eventually(limit).toBeLessThan(8);
      await eventually(limit).toBeGreaterThan(8);
      await Promise.all(stops.map((stop) => stop()));
    });

    test('follow a maximum that is changed while calls are made', async () => {
      const { flows, allowed } = await openFlows(8);
      await eventually(() => allowed).toEqual([8]);
      flows[0]?.setMost(3);
      await eventually(() => allowed).toEqual([3]);
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
