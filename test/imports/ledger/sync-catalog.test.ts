import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { begunSync } from '../../../src/features/sync/kept-sync.ts';
import { openSyncCatalog, openSyncCatalogReader, type SyncCatalog } from '../../../src/features/sync/sync-catalog.ts';
import type { SyncState } from '../../../src/membership/sync-state.ts';
import { tempDir } from '../../temp-dir.ts';

function newCatalog(): { path: string; catalog: SyncCatalog } {
  const path = join(tempDir(), 'catalog.db');
  const catalog = openSyncCatalog(path);
  onTestFinished(() => catalog.close());
  return { path, catalog };
}

const entry = (id: string, more: { schedule?: string; syncName?: string; undoOf?: string; source?: string } = {}) =>
  begunSync(
    { id, file: 'members.csv', source: '/in/members.csv', apply: false, who: 'mia', ...more },
    { sandbox: true },
  );

test('every move of a sync is on record with its reason and who wanted it', () => {
  const { path, catalog } = newCatalog();
  catalog.add(entry('a'));
  catalog.move('a', 'held', { reason: '1 objection of the guards' });
  catalog.move('a', 'applying', { who: 'dan', reason: 'the course is over', approval: true });
  catalog.set('a', { importId: 'a' });
  catalog.move('a', 'applied');
  const reader = openSyncCatalogReader(path);
  onTestFinished(() => reader.close());
  expect(reader.find('a')?.moves.map(({ state, reason, who }) => `${state}: ${reason} (${who})`)).toEqual([
    'planning: created (mia)',
    'held: 1 objection of the guards ()',
    'applying: the course is over (dan)',
    'applied: every change has its outcome ()',
  ]);
  expect(reader.find('a')).toMatchObject({
    state: 'applied',
    importId: 'a',
    approved: { by: 'dan', reason: 'the course is over' },
    finishedAt: expect.any(String),
  });
});

test('a move that may not be changes neither the sync nor the record', () => {
  const { catalog } = newCatalog();
  catalog.add(entry('a'));
  expect(() => catalog.move('a', 'applied', { reason: 'I say so', approval: true })).toThrow(
    expect.objectContaining({ code: 'WRONG_STATE' }),
  );
  expect(catalog.find('a')).toMatchObject({ state: 'planning', approved: null });
  expect(catalog.find('a')?.moves).toHaveLength(1);
});

test('who listens hears of each move and obstacle once, in order, when others can read it already', () => {
  const path = join(tempDir(), 'catalog.db');
  const heard: (readonly [state: SyncState, read: unknown])[] = [];
  const catalog = openSyncCatalog(path, ({ id, ...told }) => {
    using reader = openSyncCatalogReader(path);
    const { state, reason } = reader.get(id);
    heard.push([told.state, { state, reason }]);
  });
  onTestFinished(() => catalog.close());
  catalog.add(entry('a'));
  catalog.noteObstacle('a', { code: 'DISK_FULL', reason: 'the disk is full' });
  catalog.noteObstacle('a', null);
  catalog.note('a', 'begun again');
  catalog.set('a', { totals: null });
  expect(() => catalog.move('a', 'applied')).toThrow(expect.objectContaining({ code: 'WRONG_STATE' }));
  catalog.move('a', 'planned', { reason: 'all is shown' });
  catalog.reject('a', 'dan', 'not today');
  expect(heard).toEqual([
    ['planning', { state: 'planning', reason: 'created' }],
    ['planning', { state: 'planning', reason: 'the disk is full' }],
    ['planning', { state: 'planning', reason: 'continued' }],
    ['planned', { state: 'planned', reason: 'all is shown' }],
    ['rejected', { state: 'rejected', reason: 'not today' }],
  ]);
});

test('a run is compared with those before it of the same name, schedule or file that came to their end, undos left out', () => {
  const { catalog } = newCatalog();
  const run = (id: string, more: Parameters<typeof entry>[1], state: 'unchanged' | 'failed') => {
    catalog.add(entry(id, more));
    catalog.move(id, state);
  };
  run('a1', {}, 'unchanged');
  run('a2', {}, 'unchanged');
  run('a3', {}, 'failed');
  run('b', { source: '/in/others.csv' }, 'unchanged');
  run('c', { undoOf: 'a1' }, 'unchanged');
  run('n1', { schedule: 'nightly', source: '/in/monday.csv' }, 'unchanged');
  run('n2', { schedule: 'nightly', source: '/in/tuesday.csv' }, 'unchanged');
  run('d1', { syncName: 'daily', source: '/in/1.csv' }, 'unchanged');
  run('d2', { syncName: 'daily', source: '/in/2.csv' }, 'unchanged');
  run('w1', { syncName: 'weekly', source: '/in/2.csv' }, 'unchanged');
  run('w2', { syncName: 'weekly' }, 'unchanged');
  run('n3', { syncName: 'nightly', source: '/in/monday.csv' }, 'unchanged');
  run('p', { source: '/in/monday.csv' }, 'unchanged');
  const before = (id: string) => {
    const record = catalog.find(id);
    return record === undefined ? [] : catalog.runsBefore(record).map((run) => run.id);
  };
  catalog.add(entry('z'));
  expect([before('z'), before('a2'), before('n2'), before('b')]).toEqual([['w2', 'a2', 'a1'], ['a1'], ['n1'], []]);
  // Files of a name may be called anything, and two syncs with names are never the same. A run without a name has the same file.
  expect([before('d2'), before('w1'), before('w2'), before('n3'), before('p')]).toEqual([
    ['d1'],
    [],
    ['w1', 'a2', 'a1'],
    ['n2', 'n1'],
    ['n3'],
  ]);
});

test('old syncs are those over for long and plans that no one carried out, but not what the next run is compared with', () => {
  const { catalog } = newCatalog();
  const run = (id: string, more: Parameters<typeof entry>[1], ...states: readonly SyncState[]) => {
    catalog.add(entry(id, more));
    for (const state of states) catalog.move(id, state);
  };
  run('a1', {}, 'unchanged');
  run('a2', {}, 'planned', 'applying', 'applied');
  run('a3', {}, 'failed');
  run('b1', { source: '/in/other.csv' }, 'unchanged');
  run('c1', { schedule: 'nightly' }, 'unchanged');
  run('c2', { schedule: 'nightly', source: '/in/another.csv' }, 'unchanged');
  run('d1', { syncName: 'daily', source: '/in/1.csv' }, 'unchanged');
  run('d2', { syncName: 'daily', source: '/in/2.csv' }, 'unchanged');
  run('w', { syncName: 'weekly', source: '/in/2.csv' }, 'unchanged');
  run('undone', { undoOf: 'a2', source: '' }, 'unchanged');
  run('plan', {}, 'planned');
  run('waiting', {}, 'held');
  run('sending', {}, 'planned', 'applying');
  expect(catalog.outdated(Date.now() + 1).toSorted()).toEqual(['a1', 'a3', 'c1', 'd1', 'plan', 'undone']);
  expect(catalog.outdated(Date.now() - 60_000)).toEqual([]);
  catalog.remove('a1');
  expect(catalog.find('a1')).toBeUndefined();
});
