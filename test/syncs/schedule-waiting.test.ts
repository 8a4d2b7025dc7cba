import { createServer } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../chat/chat-server.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { openOffice, runEnds } from './scheduling.ts';

/** A schedule whose run of the first night has come to an import. */
async function firstNight() {
  const office = openOffice();
  await office.add();
  office.syncs.comeTo = 'applying';
  const runs = office.runs();
  const run = runs.begin('nightly', 'ann');
  await new Promise<void>((resolve) => {
    const look = () => office.last()?.reason.startsWith('sync ') && resolve();
    runs.events.on('run', look);
    look();
  });
  return { office, runs, run };
}

test('a run whose import is blocked waits for a person, and the next night is not skipped: it does what is left', async () => {
  const { office, runs, run } = await firstNight();
  office.syncs.move(office.syncs.first, 'blocked');
  expect(await runEnds(office, runs, run.id)).toMatchObject({
    state: 'waiting',
    reason: `its import ${office.syncs.first} is blocked; resume or cancel it, or the next run does what it left`,
  });
  office.moveTo('2027-03-27T01:30:00Z');
  office.syncs.comeTo = 'applied';
  runs.ring();
  await runEnds(office, runs, run.id + 1);
  expect(office.syncs.replaced).toEqual([office.syncs.first]);
  await runEnds(office, runs, run.id);
  expect(office.history().map(({ state }) => state)).toEqual(['ran', 'ran']);
  expect(office.catalog.findRun(run.id)?.reason).toMatch(/^incomplete: /);
});

test('a run waits for a service that is away until shortly before its schedule is due again, unless something else is set', async () => {
  const office = openOffice();
  await office.add({ repair: true });
  const waits = async (options: Parameters<typeof office.runs>[0] = {}) => {
    const runs = office.runs(options);
    await runEnds(office, runs, runs.begin('nightly', 'ann').id);
    await runs.stop();
    return office.syncs.wanted.at(-1)?.giveUpAfter;
  };
  const untilDue = Date.parse('2027-03-27T01:30:00Z') - office.now;
  expect(await waits()).toBe(untilDue * 0.95);
  expect(await waits({ patience: { giveUpAfter: 60_000 } })).toBe(60_000);
});

test('a run whose import is resumed is under way again, and says what came of it', async () => {
  const { office, runs, run } = await firstNight();
  office.syncs.move(office.syncs.first, 'failed');
  await expect.poll(() => office.last()?.state).toBe('waiting');
  office.syncs.move(office.syncs.first, 'running');
  await expect.poll(() => office.last()?.state).toBe('running');
  office.syncs.end(office.syncs.first, 'applied');
  expect(await runEnds(office, runs, run.id)).toMatchObject({
    state: 'ran',
    reason: expect.stringMatching(/^applied: /),
  });
});

test('a process that starts again sees that an import is blocked', async () => {
  const { office, runs, run } = await firstNight();
  await runs.stop();
  office.syncs.imports.set(office.syncs.first, 'blocked');
  const again = office.runs();
  again.start();
  expect(await runEnds(office, again, run.id)).toMatchObject({ state: 'waiting' });
});

test('a held plan that is approved later brings its run to its end, also by another process', async () => {
  const office = openOffice();
  await office.add();
  office.syncs.comeTo = 'held';
  const runs = office.runs();
  const run = runs.begin('nightly', 'ann');
  expect(await runEnds(office, runs, run.id)).toMatchObject({
    state: 'waiting',
    reason: expect.stringMatching(/^held: /),
  });
  await setImmediate();
  office.syncs.end(office.syncs.first, 'applying');
  await expect.poll(() => office.last()?.state).toBe('running');
  office.syncs.end(office.syncs.first, 'applied');
  await expect.poll(() => office.last()?.reason).toMatch(/^applied: /);

  const second = runs.begin('nightly', 'ann');
  expect((await runEnds(office, runs, second.id)).state).toBe('waiting');
  await runs.stop();
  office.syncs.end(office.syncs.wanted[1]?.id ?? '', 'rejected');
  const again = office.runs();
  again.start();
  await expect.poll(() => office.last()).toMatchObject({ state: 'ran', reason: expect.stringMatching(/^rejected: /) });
});

test('a run that meets a full disk says so, and continues by itself when there is room', async () => {
  const office = openOffice();
  await office.add();
  const { syncs } = office;
  const { create } = syncs;
  syncs.create = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  const runs = office.runs();
  const { id } = runs.begin('nightly', 'ann');
  expect(await runEnds(office, runs, id)).toMatchObject({
    state: 'running',
    reason: expect.stringMatching(/^DISK_FULL: /),
  });
  syncs.create = create;
  for (const { goOn } of syncs.waiting.splice(0)) goOn();
  expect(await runEnds(office, runs, id)).toMatchObject({ state: 'ran' });
  expect(office.history()).toHaveLength(1);
});

const MINUTE_MS = 60_000;

/** A schedule whose file comes from a server that answers as the test says; `undefined` cuts the connection. */
async function fetched(answers: (number | undefined)[]) {
  const authority = await createAuthority();
  const server = createServer(await authority.issue(['localhost']), ({ socket }, reply) => {
    const status = answers.length > 1 ? answers.shift() : answers[0];
    if (status === undefined) socket.destroy();
    else reply.writeHead(status).end('guid,uid\ng1,ann\n');
  });
  const source = `https://${await listen(server)}/members.csv`;
  onTestFinished(() => void server.close());
  const office = openOffice();
  await office.add({ file: source });
  const runs = office.runs({ ca: authority.ca });
  /** Begins the run that is due next; gives it when it waits or is over. */
  const nextNight = async () => {
    office.now = office.catalog.get('nightly').nextDue;
    runs.ring();
    await runEnds(office, runs, office.last()?.id ?? 0);
    return office.last();
  };
  /** Lets the time pass for which it waits; gives the minutes, and the run when it waits again or is over. */
  const goOn = async () => {
    const { wait, goOn } = office.syncs.waiting.pop() ?? {};
    const before = office.now;
    while (wait?.isOver(0) === false) office.now += MINUTE_MS;
    goOn?.();
    await runEnds(office, runs, office.last()?.id ?? 0);
    return (office.now - before) / MINUTE_MS;
  };
  return { office, runs, nextNight, goOn };
}

test('a nightly run waits for a source that is away, and is made when it answers', async () => {
  const { office, nextNight, goOn } = await fetched([503, undefined, 429, 200]);
  expect(await nextNight()).toMatchObject({
    state: 'running',
    reason: expect.stringMatching(/^BAD_SOURCE: .* 503 .*01:31:00 UTC$/),
  });
  expect(await goOn()).toBe(1);
  expect(office.last()).toMatchObject({ state: 'running', reason: expect.stringContaining('be read') });
  expect(await goOn()).toBe(1);
  expect(office.last()).toMatchObject({ state: 'running', reason: expect.stringContaining('answered 429') });
  expect(await goOn()).toBe(2);
  expect(office.last()?.state).toBe('ran');
  expect(office.history()).toHaveLength(1);
});

test('a run fails when its source has been away for an hour, and the next night is tried as ever', async () => {
  const { office, nextNight, goOn } = await fetched([503]);
  await nextNight();
  const waits: number[] = [];
  while (office.syncs.waiting.length > 0) waits.push(await goOn());
  expect(waits).toEqual([1, 1, 2, 4, 8, 15, 15]);
  expect(office.last()).toMatchObject({ state: 'failed', reason: expect.stringContaining('answered 503') });
  expect((await nextNight())?.state).toBe('running');
});

test('a source that is wrong, and one that a person asks for, is not waited for', async () => {
  const wrong = await fetched([404]);
  expect(await wrong.nextNight()).toMatchObject({ state: 'failed', reason: expect.stringContaining('answered 404') });
  const { office, runs } = await fetched([503]);
  expect(await runEnds(office, runs, runs.begin('nightly', 'ann').id)).toMatchObject({ state: 'failed' });
});
