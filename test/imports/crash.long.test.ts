import { execFileSync } from 'node:child_process';
import { constants, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportLedger } from '../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { completedAfterKills, startCoordinator } from './killed-coordinator.ts';
import { countsOf, csv, eventually, participants } from './pipeline-harness.ts';

/** Calls that the service has had when the process is killed; test/cli/crash.long.test.ts kills many more times. */
const KILLED_AT_CALLS = 5;

test('a coordinator that is killed while it sends loses no row and reports none twice', async () => {
  const root = tempDir();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    latencyMs: [20, 60],
  });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const rows = [1, 2, 3, 4].flatMap((n) => participants(250, `group-${n}`));
  writeFileSync(join(root, 'members.csv'), csv(rows));
  const { appId, apiKey } = sandbox.apps.us;
  const settings: CoordinatorProcessSettings = {
    dataDir: dir.root,
    file: join(root, 'members.csv'),
    host: sandbox.host,
    ca: sandbox.caPem,
    appId,
    apiKey,
  };

  const child = startCoordinator(settings);
  await child.working;
  // In the middle of sending: calls are in flight, and others are answered and not recorded.
  await eventually(() => sandbox.calls.us.requests).toBeGreaterThanOrEqual(KILLED_AT_CALLS);
  child.process.kill('SIGKILL');
  await child.ended;
  expect(await startCoordinator(settings).ended).toBe(0);

  const catalog = openCatalogReader(dir.catalog);
  const imports = catalog.list(10);
  catalog.close();
  expect(imports.map(({ state }) => state)).toEqual(['completed']);
  const path = dir.ledger(imports[0]?.id ?? '');
  const reader = openImportReader(path);
  const reported = reader.rows().toArray();
  reader.close();
  expect(reported.map(({ line }) => line)).toEqual(rows.map((_, index) => index + 2));
  const counts = countsOf(reported);
  expect(counts.added + counts.already_member).toBe(1_000);
  for (const row of reported) if (row.status === 'already_member') expect(row.message).toContain('sent it');
  for (let n = 1; n <= 4; n += 1) expect(sandbox.members('us', `group-${n}`).size).toBe(250);
  const ledger = openImportLedger(path);
  expect(ledger.check()).toMatchObject({ holds: true });
  ledger.close();
});

test('a coordinator that is killed while it queues batches knows that they may have been sent', async () => {
  const root = tempDir();
  const sandbox = await startSandbox({ users: 'any', groups: 'any', rateLimit: { calls: 1_000_000, perMs: 1_000 } });
  onTestFinished(() => sandbox.close());
  const rows = participants(300, 'group');
  writeFileSync(join(root, 'members.csv'), csv(rows));
  const { appId, apiKey } = sandbox.apps.us;
  const { host, caPem: ca } = sandbox;
  const settings = { dataDir: join(root, 'data'), file: join(root, 'members.csv'), host, ca, appId, apiKey };
  expect(await startCoordinator({ ...settings, diesQueueing: true }).ended).toBeNull();
  const { reported } = await completedAfterKills(settings, sandbox, []);
  const counts = countsOf(reported);
  expect(counts.added + counts.already_member).toBe(300);
  const found = reported.filter(({ status }) => status === 'already_member').map(({ message }) => message);
  // One call was answered, and others may have been carried out.
  expect(found.length).toBeGreaterThanOrEqual(25);
  expect(found).toEqual(found.map(() => expect.stringContaining('sent it')));
});

test('a coordinator that is killed while it writes reports writes them at the next start, whole', async () => {
  const root = tempDir();
  const sandbox = await startSandbox({ users: 'any', groups: 'any', latencyMs: [20, 60] });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const rows = participants(1_000, 'team');
  const file = join(root, 'members.csv');
  writeFileSync(file, csv(rows));
  const { host, caPem: ca, apps } = sandbox;
  const settings: CoordinatorProcessSettings = { dataDir: dir.root, file, host, ca, ...apps.us };
  const child = startCoordinator(settings);
  await child.working;
  const catalog = openCatalogReader(dir.catalog);
  onTestFinished(() => catalog.close());
  const folder = dir.folder(catalog.list(1)[0]?.id ?? '');
  // A write into a pipe waits for a reader: the process stops at this moment.
  const unfinished = join(folder, 'report.csv.part');
  execFileSync('mkfifo', [unfinished]);
  const pipe = await open(unfinished, constants.O_RDONLY | constants.O_NONBLOCK);
  await eventually(async () => (await pipe.read(Buffer.alloc(10)).catch(() => ({ bytesRead: 0 }))).bytesRead).toBe(10);
  child.process.kill('SIGKILL');
  await child.ended;
  await pipe.close();
  rmSync(unfinished);
  writeFileSync(unfinished, 'half a li');

  const requests = sandbox.calls.us.requests;
  expect(await startCoordinator(settings).ended).toBe(0);
  expect(catalog.list(1)[0]?.state).toBe('completed');
  expect(readFileSync(join(folder, 'report.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(rows.length + 1);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(sandbox.calls.us.requests).toBe(requests);
});

test('a coordinator that is killed in the middle of edits goes on with them: each is done, and recorded once', async () => {
  const root = tempDir();
  const uids = Array.from({ length: 100 }, (_, n) => `u${n}`);
  const sandbox = await startSandbox({
    seed: { regions: { us: { members: { team: { participants: uids } } } } },
    latencyMs: [20, 60],
  });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const file = join(root, 'changes.csv');
  const lines = uids.map((uid, n) => (n % 2 === 0 ? `team,${uid},,remove` : `team,${uid},admin,change`));
  writeFileSync(file, `guid,uid,scope,action\n${lines.join('\n')}\n`);
  const { appId, apiKey } = sandbox.apps.us;
  const { host, caPem: ca } = sandbox;
  const settings = { dataDir: dir.root, file, host, ca, appId, apiKey, edits: true };
  const { reported } = await completedAfterKills(settings, sandbox, [20]);
  expect(reported.map(({ status }) => status)).toEqual(uids.map((_, n) => (n % 2 === 0 ? 'removed' : 'changed')));
  // Batches under way are sent again, and found done.
  for (const { code, message } of reported) if (code !== '') expect(message).toContain('sent it');
  const scopes = new Map(uids.filter((_, n) => n % 2 === 1).map((uid) => [uid, 'admin']));
  expect(sandbox.members('us', 'team')).toEqual(scopes);
  // Of the 20 in flight, each may cost a question and a repeat.
  expect(sandbox.calls.us.requests).toBeLessThanOrEqual(100 + 2 * 20 + 5);
});
