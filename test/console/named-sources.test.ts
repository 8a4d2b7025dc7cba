import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ScheduleView } from '../../src/features/schedule/operations.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from '../sources/s3-server.ts';
import { eventually, useBrowser } from './browser.ts';

/** A schedule reads what a bucket or a database has, by the name that the settings give it. */

const browser = useBrowser();
let root: string;
let s3: S3Server;
let server: TestServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
  const database = new DatabaseSync(join(root, 'app.db'));
  database.exec("create table members (guid text, uid text); insert into members values ('team', 'ann')");
  database.close();
  s3 = await startS3();
  s3.objects.set('out/members.csv', { bytes: Buffer.from('guid,uid\nteam,ann\n'), modifiedAt: new Date() });
  vi.stubEnv('SOURCE_HR_ACCESS_KEY_ID', KEYS.accessKeyId);
  vi.stubEnv('SOURCE_HR_SECRET_ACCESS_KEY', KEYS.secretAccessKey);
  server = await startTestServer({
    settings: { sources: ['hr:', 'app:'] },
    namedSources: {
      hr: { url: `s3://${BUCKET}`, endpoint: s3.endpoint, region: 'eu-central-1' },
      app: { url: `sqlite:${join(root, 'app.db')}`, table: 'members' },
    },
  });
});
afterAll(async () => {
  await server.close();
  await s3.close();
  rmSync(root, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test('the settings say what the places reach that schedules may read; a schedule reads from a bucket, and from a table', async () => {
  const page = await browser.open(`${server.url}/settings`);
  await page.getByText(`hr: (s3://${BUCKET})`).waitFor();
  await page.goto(`${server.url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('from a bucket');
  const file = page.getByLabel('File or pattern');
  await eventually(() => file.inputValue()).toBe('hr:');
  await page.getByText(`hr: (s3://${BUCKET}), app: (sqlite:${join(root, 'app.db')}, table members)`).waitFor();
  await file.fill('hr:out/members.csv');
  await page.getByRole('button', { name: 'Show the file' }).click();
  const rows = page.getByRole('table', { name: 'The first rows' });
  await rows.getByRole('row', { name: /ann in team/ }).waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of from-a-bucket' }).waitFor();
  expect(await server.json<ScheduleView>('/v1/schedules/from-a-bucket')).toMatchObject({ file: 'hr:out/members.csv' });

  // A database, without a path.
  await page.goto(`${server.url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('from a table');
  await page.getByLabel('File or pattern').fill('app:');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await rows.getByRole('row', { name: /ann in team/ }).waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of from-a-table' }).waitFor();
  // Its only file is the name itself: the form comes back to it.
  await page.goto(`${server.url}/schedules/from-a-table/edit`);
  await eventually(() => page.getByLabel('File or pattern').inputValue()).toBe('app:');
});
