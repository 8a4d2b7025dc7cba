import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { eventually } from '../pipeline/pipeline-harness.ts';
import type { TestServer } from '../servers/server.ts';
import { describeAlarms, hear, look, moveClock, stopClock } from '../sync/schedule-alarms-suite.ts';
import { openOffice } from '../sync/scheduling.ts';
import { POSTGRES, REDIS, type ServerPlace } from './places.ts';

describe.each<ServerPlace>([REDIS, POSTGRES])('on $name', (place) => {
  let server: TestServer;
  let backend: Backend;
  beforeAll(async () => {
    server = await place.start();
    backend = await openBackend(await place.newAddress(server));
    return async () => {
      await backend.close();
      await server.stop();
    };
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describeAlarms(() => backend);

  test('schedules of the same name in two data directories are two', async () => {
    const offices = [openOffice(), openOffice()];
    for (const office of offices) {
      stopClock(office, '2027-03-28T01:29:59.500Z');
      await office.book.add(office.wish());
    }
    const [one, other] = await Promise.all(offices.map((office) => hear(office, backend)));
    for (const office of offices) moveClock(office, office.now);
    expect(await one?.rings.until(1)).toEqual(['nightly']);
    expect(await other?.rings.until(1)).toEqual(['nightly']);
  });

  test('of two processes that pass for the same owner one hears an alarm', async () => {
    const office = openOffice();
    stopClock(office, '2027-03-28T01:29:59.000Z');
    await office.book.add(office.wish());
    const both = await Promise.all([hear(office, backend), hear(office, backend)]);
    moveClock(office, office.now);
    const queue = look(office, backend);
    const heard = () => both.flatMap(({ rings }) => rings.entries);
    await eventually(heard).toHaveLength(1);
    expect(await queue.left()).toBe(0);
    expect(await queue.next()).toEqual({ nightly: '2027-03-29T00:30:00.000Z' });
    for (const { close } of both) await close();
    expect(heard()).toEqual(['nightly']);
  });
});

test('a wiped Redis gets its alarms back, and what was due meanwhile is rung for', async () => {
  const server = await REDIS.start();
  const backend = await openBackend(server.url);
  try {
    const office = openOffice();
    moveClock(office, '2027-03-27T12:00:00Z');
    await office.book.add(office.wish());
    const { rings, close } = await hear(office, backend);
    await server.flush();
    moveClock(office, '2027-03-28T01:45:00Z');
    expect(await rings.until(1)).toEqual(['nightly']);
    expect(await look(office, backend).next()).toEqual({ nightly: '2027-03-29T00:30:00.000Z' });
    await close();
  } finally {
    vi.restoreAllMocks();
    await backend.close();
    await server.stop();
  }
});
