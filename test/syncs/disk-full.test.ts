import { expect, onTestFinished, test } from 'vitest';
import { composeSyncs } from '../../src/features/sync/compose-syncs.ts';
import type { StageFile } from '../../src/imports/stage/staging.ts';
import { REGIONS } from '../../src/membership/membership.ts';
import { SHARED_READING } from '../imports/shared-reading.ts';
import { syncSettled } from './sync-settled.ts';
import { openSyncing, processOf } from './syncing.ts';

/** A sync that meets a full disk, which `stage` stands for. */

const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

async function openOnFullDisk() {
  const syncing = await openSyncing({ team: { participants: ['ann'] } });
  const { sandbox } = syncing;
  await syncing.syncs.stop();
  const apps = Object.fromEntries(REGIONS.map((region) => [region, sandbox.apps[region]]));
  let isFull = true;
  const stage: StageFile = (...task) => (isFull ? Promise.reject(full()) : SHARED_READING.stage(...task));
  const syncs = composeSyncs({ ...processOf(syncing, apps), stage });
  const moves: string[] = [];
  const stands = Promise.withResolvers<void>();
  syncs.events.on('state', ({ state, code }) => {
    moves.push(`${state} ${code}`);
    if (code === 'DISK_FULL') stands.resolve();
  });
  const makeRoom = () => {
    isFull = false;
  };
  return { syncing, syncs, moves, stands: stands.promise, makeRoom };
}

test('stands still, says why, and continues by itself when there is room', async () => {
  const { syncing, syncs, moves, stands, makeRoom } = await openOnFullDisk();
  const errors: Error[] = [];
  const watch = syncing.coordinator.watchWaits((error) => errors.push(error), 10);
  onTestFinished(() => watch.stop());
  const id = await syncs.create(syncing.request('guid,uid\nteam,ann\nteam,ben\n'));
  await stands;
  expect(moves.slice(0, 2)).toEqual(['planning undefined', 'planning DISK_FULL']);
  makeRoom();
  expect((await syncSettled(syncs, id)).state).toBe('applied');
  expect(syncing.members('team')).toEqual({ ann: 'participant', ben: 'participant' });
  expect(errors).toEqual([]);
});

test('can be cancelled while it waits', async () => {
  const { syncing, syncs, stands } = await openOnFullDisk();
  const watch = syncing.coordinator.watchWaits(() => {}, 600_000);
  onTestFinished(() => watch.stop());
  const id = await syncs.create(syncing.request('guid,uid\nteam,ben\n'));
  await stands;
  expect(syncs.find(id)).toMatchObject({
    state: 'planning',
    code: 'DISK_FULL',
    reason: expect.stringContaining('no more'),
  });
  expect(syncs.cancel(id, 'tester')).toMatchObject({ state: 'cancelled', code: 'CANCELLED' });
});

test('fails with that code where no process stays to wait', async () => {
  const { syncing, syncs } = await openOnFullDisk();
  const id = await syncs.create(syncing.request('guid,uid\nteam,ben\n'));
  expect(await syncSettled(syncs, id)).toMatchObject({ state: 'failed', code: 'DISK_FULL' });
});
