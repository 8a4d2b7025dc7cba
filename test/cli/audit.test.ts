import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { importLocally } from '../../src/cli/local-import.ts';
import { changeSchedules } from '../../src/features/schedule/commands/local-schedules.ts';
import { DEFAULT_FLAGS } from '../../src/features/sync/plan-flags.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openAccessStore } from '../../src/server/access/access-store.ts';
import { scheduleRequest } from '../syncs/schedule-request.ts';
import { tempDir } from '../temp-dir.ts';

/** Changes that commands make in a data directory are in the same audit log as those over HTTP. */

function audited(dataDir: string) {
  const access = openAccessStore(join(dataDir, 'access.sqlite'));
  try {
    return access.audit({ limit: 10 });
  } finally {
    access.close();
  }
}

test('schedules that are added, paused and removed are on record, with what they do and without a secret', async () => {
  const dataDir = tempDir();
  const config = readConfig({ dataDir }, {});
  const request = scheduleRequest({
    name: 'nightly',
    file: 'https://files.example/members.csv?sig=open-sesame',
    options: { flags: { ...DEFAULT_FLAGS, mode: 'mirror', missing: 'remove' } },
  });
  await changeSchedules(config, { verb: 'add', request });
  await changeSchedules(config, { verb: 'pause', name: 'nightly' });
  await changeSchedules(config, { verb: 'remove', name: 'nightly' });
  const entries = audited(dataDir);
  expect(entries.map(({ action, target, address }) => [action, target, address])).toEqual([
    ['schedule.remove', 'nightly', 'command line'],
    ['schedule.pause', 'nightly', 'command line'],
    ['schedule.add', 'nightly', 'command line'],
  ]);
  expect(entries[2]?.detail).toMatch(
    /30 2 \* \* \*.*https:\/\/files\.example\/members\.csv .*apply=true.*mirror.*remove/,
  );
  expect(JSON.stringify(entries)).not.toContain('open-sesame');
});

test('an import of the command line is on record with its file and options', async () => {
  const dataDir = tempDir();
  const file = join(dataDir, 'members.csv');
  writeFileSync(file, 'guid,uid\ng,a\n');
  const io = { out: new PassThrough().resume(), err: new PassThrough().resume(), live: false, color: false, width: 80 };
  await importLocally(io, file, { dataDir, dryRun: true, region: 'eu' });
  expect(audited(dataDir)).toMatchObject([
    { action: 'import.create', address: 'command line', detail: expect.stringContaining(`file=${file}`) },
  ]);
  expect(audited(dataDir)[0]?.detail).toContain('region=eu');
});
