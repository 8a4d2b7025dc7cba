import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { syncsOf, tracedSyncs } from '../servers/strace.ts';
import { tempDir } from '../temp-dir.ts';
import { startCoordinator } from './killed-coordinator.ts';
import { csv, participants } from './pipeline-harness.ts';

test('the mark of a batch is brought to the disk after it was made and before its call leaves', async () => {
  const root = tempDir();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    latencyMs: [5, 20],
  });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const file = join(root, 'members.csv');
  writeFileSync(file, csv([1, 2, 3, 4].flatMap((n) => participants(1_500, `group-${n}`, `g${n}u`))));
  const trace = join(root, 'trace');
  const { host, caPem: ca, apps } = sandbox;
  const settings = { dataDir: dir.root, file, host, ca, ...apps.us };
  expect(await startCoordinator(settings, tracedSyncs(trace)).ended).toBe(0);

  const syncs = syncsOf(trace, 'ledger.sqlite-wal');
  const catalog = openCatalogReader(dir.catalog);
  using ledger = new DatabaseSync(dir.ledger(catalog.list(1)[0]?.id ?? ''), { readOnly: true });
  catalog.close();
  const calls = ledger
    .prepare(
      'select c.batch_id as batch, c.at, b.dispatched_at as marked from calls c join batches b on b.id = c.batch_id',
    )
    .all() as unknown as { batch: number; at: number; marked: number }[];
  expect(calls.length).toBe(240);
  // The ledger keeps whole milliseconds.
  const isSynced = ({ at, marked }: (typeof calls)[number]) =>
    syncs.some(({ from, until }) => from >= marked && until < at + 1);
  expect(calls.filter((call) => !isSynced(call))).toEqual([]);
  // One for many of them.
  expect(syncs.length).toBeLessThan(calls.length);
});
