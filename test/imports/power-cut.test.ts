import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportLedger } from '../../src/imports/record/import-ledger.ts';
import { fourGroups, startCoordinator } from './killed-coordinator.ts';
import { eventually } from './pipeline-harness.ts';

/** The formats of SQLite: the header of a write-ahead log, and that of each page in it, in bytes. */
const WAL_HEADER = 32;
const FRAME_HEADER = 24;

test('wherever a power cut ends the log of a ledger, every user whom the service has got is known or asked about', async () => {
  const { root, sandbox, dir, settings } = await fourGroups(1_000);
  const child = startCoordinator(settings);
  await child.working;
  await eventually(() => sandbox.calls.us.requests).toBeGreaterThanOrEqual(110);
  child.process.kill('SIGKILL');
  await child.ended;
  const catalog = openCatalogReader(dir.catalog);
  const ledger = dir.ledger(catalog.list(1)[0]?.id ?? '');
  catalog.close();
  const has = [1, 2, 3, 4].flatMap((n) => [...sandbox.members('us', `group-${n}`).keys()]);
  expect(has.length).toBeGreaterThan(1_000);

  const log = readFileSync(`${ledger}-wal`);
  const frameBytes = FRAME_HEADER + readFileSync(ledger).readUInt16BE(16);
  const cut = join(root, 'cut.sqlite');
  for (let bytes = log.length; bytes >= WAL_HEADER; bytes -= frameBytes) {
    for (const ending of ['-wal', '-shm']) rmSync(`${cut}${ending}`, { force: true });
    copyFileSync(ledger, cut);
    writeFileSync(`${cut}-wal`, log.subarray(0, bytes));
    const unknown = sentUnknown(cut, has);
    expect(unknown, `of a log of ${log.length} bytes, ${bytes} are left`).toEqual([]);
  }
});

/** UIDs that a start after this ledger would send as if for the first time. */
function sentUnknown(path: string, uids: readonly string[]): string[] {
  const ledger = openImportLedger(path);
  ledger.reclaimAll('the process ended');
  const first = new Set(
    ledger
      .toSend('us', ledger.pendingBatches('us', 1_000))
      .flatMap(({ uncertainty, rows }) => (uncertainty === null ? rows : []))
      .map(({ uid }) => uid),
  );
  ledger.close();
  return uids.filter((uid) => first.has(uid));
}
