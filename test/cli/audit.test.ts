import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { importInput } from '../../src/cli/import-file.ts';
import { openRunning } from '../../src/cli/run.ts';
import { schedulesHere } from '../../src/features/schedule/commands/schedule-run.ts';
import { scheduleOperations } from '../../src/features/schedule/operations.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openAccessStore } from '../../src/server/access/access-store.ts';
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
  const client = schedulesHere(readConfig({ dataDir }, {}), false);
  const file = 'https://files.example/members.csv?sig=open-sesame';
  const nightly = {
    cron: '30 2 * * *',
    tz: 'Europe/Rome',
    file,
    apply: true,
    mode: 'mirror',
    missing: 'remove',
  } as const;
  await client.call(scheduleOperations.add, { name: 'nightly', ...nightly });
  await client.call(scheduleOperations.pause, { name: 'nightly' });
  await client.call(scheduleOperations.remove, { name: 'nightly' });
  const entries = audited(dataDir);
  expect(entries.map(({ action, target, address }) => [action, target, address])).toEqual([
    ['schedule.remove', 'nightly', 'command line'],
    ['schedule.pause', 'nightly', 'command line'],
    ['schedule.add', 'nightly', 'command line'],
  ]);
  expect(entries[2]?.detail).toMatch(
    /^cron=30 2 .*file=https:\/\/files\.example\/members\.csv .*mode=mirror missing=remove apply=true$/,
  );
  expect(JSON.stringify(entries)).not.toContain('open-sesame');
});

test('an import of the command line is on record with its file and options', async () => {
  const dataDir = tempDir();
  const file = join(dataDir, 'members.csv');
  writeFileSync(file, 'guid,uid\ng,a\n');
  const io = { out: new PassThrough().resume(), err: new PassThrough().resume(), live: false, color: false, width: 80 };
  const flags = { dataDir, dryRun: true, region: 'eu' } as const;
  await importInput(await openRunning(io, flags), file, flags);
  expect(audited(dataDir)).toMatchObject([
    { action: 'import.create', address: 'command line', detail: expect.stringContaining(`file=${file}`) },
  ]);
  expect(audited(dataDir)[0]?.detail).toContain('region=eu');
});
