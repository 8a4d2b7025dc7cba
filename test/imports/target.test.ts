import { expect, test } from 'vitest';
import { importOptions, readOptions } from '../../src/imports/import-options.ts';
import { isSameTarget } from '../../src/imports/target.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, participants, type StartOptions } from './pipeline-harness.ts';
import { ROWS, runningImport } from './running-import.ts';

const STAGING = { settings: { profile: 'staging', host: 'staging.example', appId: 'app-1' } };
const PRODUCTION = { settings: { profile: 'production', host: 'cometchat.io', appId: 'app-2' } };

async function again(pipeline: Pipeline, options: StartOptions): Promise<void> {
  await pipeline.stop();
  await pipeline.restart(options);
}

test.each([
  [true, 'cometchat.io', 'CC-Edge-2.io'],
  [true, 'chat.example', 'Chat.Example'],
  [false, 'chat.example', 'cometchat.io'],
  [false, 'cometchat.io', 'cc-edge-2.io.example'],
])('that an app is the same one (%j) is known of the hosts %s and %s', (isSame, host, other) => {
  const at = (name: string, appId = 'app-1') => ({ sandbox: false, target: { host: name, apps: { us: appId } } });
  expect(isSameTarget(at(host), at(other))).toBe(isSame);
  expect(isSameTarget(at(host), at(other, 'app-2'))).toBe(false);
});

test.each([
  ['another app', { settings: { ...STAGING.settings, appId: 'app-2' } }],
  ['another host', { settings: { ...STAGING.settings, host: 'cometchat.io' } }],
])('an import is not continued with %s, and is with the one that it was begun for', async (_, other) => {
  const pipeline = await openPipeline({ place: EMBEDDED, ...STAGING });
  const { id } = await pipeline.run(csv(ROWS), { dryRun: true });
  await again(pipeline, other);
  const refused = await pipeline.coordinator.resume(id).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'WRONG_TARGET' });
  expect(String(refused)).toContain('staging.example');
  expect(pipeline.coordinator.find(id).state).toBe('staged');
  expect(pipeline.sandbox.calls.us.requests).toBe(0);
  await again(pipeline, STAGING);
  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
});

test('nor is it retried with another app', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, sandbox: { groups: 0 }, ...STAGING });
  const { id } = await pipeline.run(csv(participants(2)));
  await again(pipeline, PRODUCTION);
  await expect(pipeline.coordinator.retry(id)).rejects.toThrow(expect.objectContaining({ code: 'WRONG_TARGET' }));
});

test('with other keys, another name of the profile and one region more it goes on, and keeps what is known', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, regions: ['us'], ...STAGING });
  const { id } = await pipeline.run(csv(ROWS), { dryRun: true });
  expect(readOptions(pipeline.coordinator.find(id)).target).toEqual({
    ...STAGING.settings,
    appId: undefined,
    apps: { us: 'app-1' },
  });
  await again(pipeline, { regions: ['us', 'eu'], settings: { ...STAGING.settings, profile: 'test' } });
  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(readOptions(pipeline.coordinator.find(id)).target).toMatchObject({
    profile: 'test',
    apps: { us: 'app-1', eu: 'app-1' },
  });
});

test('an import of an older data directory, which has no target, goes on as before and keeps one from then on', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, regions: [], settings: { host: '' } });
  const { id } = await pipeline.run(csv(ROWS), { dryRun: true });
  expect(readOptions(pipeline.coordinator.find(id)).target).toBeUndefined();
  await again(pipeline, { regions: ['us'], ...PRODUCTION });
  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(readOptions(pipeline.coordinator.find(id)).target).toMatchObject({ apps: { us: 'app-2' } });
});

test('what was being sent waits as blocked for the right settings, and then goes on by itself', async () => {
  const door = new Doorkeeper();
  const pipeline = await openPipeline({ place: EMBEDDED, chat: door.chat, concurrency: 2, ...STAGING });
  const id = await pipeline.send(csv(ROWS));
  await door.until(1);
  await pipeline.coordinator.stop(0);
  door.open();
  await pipeline.restart(PRODUCTION);
  const left = await pipeline.coordinator.continueAll();
  expect(left).toEqual([
    { record: expect.objectContaining({ id }), why: expect.objectContaining({ code: 'WRONG_TARGET' }) },
  ]);
  expect(pipeline.coordinator.find(id)).toMatchObject({ state: 'blocked', code: 'WRONG_TARGET' });
  expect(pipeline.coordinator.find(id).reason).toContain('staging.example');
  // At the next start with the wrong settings it still waits.
  await again(pipeline, PRODUCTION);
  expect(await pipeline.coordinator.continueAll()).toHaveLength(1);
  expect(pipeline.sandbox.calls.us.requests).toBe(0);
  await again(pipeline, STAGING);
  expect(await pipeline.coordinator.continueAll()).toEqual([]);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ read: 300, added: 300 });
});

test('what was being read waits, and is read with the right settings', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, ...STAGING });
  const stopped = new Promise<void>((resolve) => {
    pipeline.coordinator.events.once('staging', () => resolve(pipeline.stop()));
  });
  const id = await pipeline.send(csv(participants(6_000)));
  await stopped;
  await pipeline.restart(PRODUCTION);
  await pipeline.coordinator.continueAll();
  expect(pipeline.coordinator.find(id)).toMatchObject({ state: 'blocked', code: 'WRONG_TARGET' });
  // Nor is it read with the wrong ones because a person asks for it.
  await expect(pipeline.coordinator.resume(id)).rejects.toThrow(expect.objectContaining({ code: 'WRONG_TARGET' }));
  expect(pipeline.coordinator.find(id)).toMatchObject({ state: 'blocked', code: 'WRONG_TARGET' });
  await again(pipeline, STAGING);
  expect(await pipeline.coordinator.continueAll()).toEqual([]);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ read: 6_000, added: 6_000 });
});

test('a pause that was under way is not ended elsewhere', async () => {
  const { id, door, coordinator, pipeline } = await runningImport(EMBEDDED);
  await coordinator.pause(id);
  await pipeline.coordinator.stop(0);
  door.open();
  await pipeline.restart(PRODUCTION);
  expect(await pipeline.coordinator.continueAll()).toHaveLength(1);
  expect(pipeline.coordinator.find(id).state).toBe('pausing');
});

test('two targets are one where nothing that is known of both differs', () => {
  const of = (target?: object) => importOptions.parse({ region: 'us', target });
  const us = of({ host: 'a.example', apps: { us: '1' } });
  expect(isSameTarget(us, of())).toBe(true);
  expect(isSameTarget(us, of({ apps: { us: '1', eu: '2' } }))).toBe(true);
  expect(isSameTarget(us, of({ host: 'A.EXAMPLE', apps: {} }))).toBe(true);
  expect(isSameTarget(us, of({ host: 'b.example', apps: {} }))).toBe(false);
  expect(isSameTarget(us, of({ apps: { us: '2' } }))).toBe(false);
  const [one, other] = ['staging', 'production'].map((profile, at) =>
    of({ profile, apps: { [['us', 'eu'][at] ?? '']: '1' } }),
  );
  expect(one && other && isSameTarget(one, other)).toBe(false);
});
