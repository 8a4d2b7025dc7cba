import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { BUCKET, KEYS, type S3Server, startS3 } from '../sources/s3-server.ts';
import { checkAccess } from './accessibility.ts';
import { eventually, useBrowser } from './browser.ts';

/** Schedules read what a bucket or a database has, by the name that the settings give it; a night fails, and a person mends it. */

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

/** The time of a schedule comes. */
function ring(name: string): void {
  const { catalog, runs } = server.schedules;
  catalog.note(catalog.get(name), { nextDue: Date.now() });
  runs.ring();
}

test('a schedule reads from a bucket; a night finds no file there, the morning says so, and a person mends it and runs it; another schedule reads from a table', async () => {
  const page = await browser.open(`${server.url}/settings`);
  await page.getByText(`hr: (s3://${BUCKET})`).waitFor();
  await page.goto(`${server.url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('from a bucket');
  const file = page.getByLabel('File or pattern');
  await eventually(() => file.inputValue()).toBe('hr:');
  await page.getByText(`hr: (s3://${BUCKET}), app: (sqlite:${join(root, 'app.db')}, table members)`).waitFor();
  await file.fill('hr:out/members.csv');
  await page.getByRole('button', { name: 'Change this' }).click();
  await page.getByLabel('Apply the plan at once').check();
  await page.getByRole('button', { name: 'Show the file' }).click();
  const rows = page.getByRole('table', { name: 'The first rows' });
  await rows.getByRole('row', { name: /ann in team/ }).waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  const history = page.getByRole('region', { name: 'History of from-a-bucket' });
  await history.getByText('It has not run yet.').waitFor();

  // From now on the file has another name.
  s3.objects.clear();
  s3.objects.set('out/staff.csv', { bytes: Buffer.from('guid,uid\nteam,ann\nteam,ben\n'), modifiedAt: new Date() });
  ring('from-a-bucket');
  await page.getByRole('link', { name: 'Schedules 1 need you' }).waitFor();
  await page.goto(server.url);
  await page.getByText('1 thing needs you.').waitFor();
  const needs = page.getByRole('region', { name: 'Needs you' }).getByRole('row').last();
  await needs.getByText('run failed', { exact: true }).waitFor();
  await needs.getByText(/^The last run failed: .*members\.csv/).waitFor();
  await needs.getByRole('link').last().click();
  await page.getByRole('link', { name: 'from-a-bucket', exact: true }).click();
  const runs = history.getByRole('table').locator('tbody tr');
  await runs.getByText('failed', { exact: true }).waitFor();
  await runs.getByText(/members\.csv/).waitFor();
  await checkAccess(page);

  await page.getByLabel('More actions for from-a-bucket').click();
  await page.getByRole('link', { name: 'Edit: from-a-bucket' }).click();
  await eventually(() => file.inputValue()).toBe('hr:out/members.csv');
  await file.fill('hr:out/staff.csv');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await rows.getByRole('row', { name: /ben in team/ }).waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Run now: from-a-bucket' }).click();
  await runs.getByText('ran', { exact: true }).waitFor();
  await runs.getByText('2 to add').waitFor();
  await page.getByRole('link', { name: 'Now', exact: true }).click();
  await page.getByText('Nothing needs you.').waitFor();
  await page.getByRole('region', { name: 'Finished last' }).getByText('All 2 rows succeeded').waitFor();

  // A database, without a path.
  await page.goto(`${server.url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('from a table');
  await file.fill('app:');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page
    .getByRole('table', { name: 'The first rows' })
    .getByRole('row', { name: /ann in team/ })
    .waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of from-a-table' }).waitFor();
  // Its only file is the name itself: the form comes back to it.
  await page.goto(`${server.url}/schedules/from-a-table/edit`);
  await eventually(() => file.inputValue()).toBe('app:');
});
