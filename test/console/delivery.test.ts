import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { ScheduleView } from '../../src/features/schedule/api.ts';
import { members, openSandboxPlace } from '../cli/workplace.ts';
import { readEvents } from '../server/event-source.ts';
import { chooseFile, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';

const browser = useBrowser();
const FIELD = 'Write the reports to';

/** A server that may write reports into one folder. */
async function served() {
  const place = await openSandboxPlace();
  place.file('members.csv', members([['g', 'ann']]));
  const reports = join(place.root, 'reports');
  mkdirSync(reports);
  place.env['ROLLCALL_REPORT_TARGETS'] = reports;
  place.env['ROLLCALL_SOURCES'] = place.root;
  const server = place.begin(['serve', '--port', '0']);
  await server.says('Listening on ');
  const [, url = ''] = /Listening on (\S+)/.exec(server.stderr()) ?? [];
  const stop = async () => {
    server.interrupt();
    await server.ended;
  };
  return { place, reports, url, stop };
}

test('the page of an import says that its reports wait and why, and then where they are', async () => {
  const { place, reports, url, stop } = await served();
  const sent = await place.run(['import', 'members.csv', '--server', url, '--report-to', reports, '--dry-run']);
  expect(sent.code).toBe(0);
  rmSync(reports, { recursive: true });

  const page = await browser.open(`${url}/imports`);
  await page.getByRole('link', { name: 'members.csv' }).first().click();
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByText('The reports wait to be delivered').waitFor();
  await page.getByText('there is no folder').waitFor();
  mkdirSync(reports);
  await page.getByText('Reports delivered to').waitFor();
  await page.close();
  await stop();
});

test('the page of an import that hears of the delivery before the end shows both', async () => {
  const { place, reports, url, stop } = await served();
  await place.run(['import', 'members.csv', '--server', url, '--report-to', reports, '--dry-run']);
  const { imports } = (await (await fetch(`${url}/v1/imports`)).json()) as { imports: ImportView[] };
  const [{ id } = { id: '' }] = imports;
  const page = await browser.open(`${url}/imports`);
  const end = Promise.withResolvers<string>();
  await page.route(`**/imports/${id}/events`, async (route) => {
    await route.fulfill({ contentType: 'text/event-stream', body: await end.promise });
  });
  await page.getByRole('link', { name: 'members.csv' }).first().click();
  const start = page.getByRole('button', { name: 'Start sending' });
  await start.waitFor();

  const list = await readEvents(`${url}/v1/events`);
  await fetch(`${url}/v1/imports/${id}/resume`, { method: 'POST' });
  const isThere = ({ delivery }: ImportView) => (delivery?.arrivedAt ?? null) !== null;
  const { data } = await list.next(({ name, data }) => name === 'imports' && data.imports.some(isThere));
  list.close();
  expect(await start.isVisible()).toBe(true);
  const delivered: ImportView = data.imports.find(isThere);
  const ended = { ...delivered, delivery: { ...delivered.delivery, arrivedAt: null } };
  end.resolve(`event: state\nid: 1\ndata: ${JSON.stringify(ended)}\n\nevent: end\ndata: {}\n\n`);
  await page.getByText('Reports delivered to').waitFor();
  await page.close();
  await stop();
});

test.each([
  ['/imports', 'Start import'],
  ['/syncs', 'Plan and apply'],
])(
  'where reports go is chosen for an upload on %s, and a place that is not allowed is refused beside it',
  async (path, button) => {
    const { place, reports, url, stop } = await served();
    const page = await browser.open(`${url}${path}`, { refusals: true });
    await chooseFile(page, members([['g', 'ann']]), 'm.csv');
    if (path === '/syncs') await page.getByLabel('Apply the plan at once').check();
    else await page.getByText('Run options').click();
    const field = page.getByLabel(FIELD);
    await field.fill(place.root);
    await page.getByRole('button', { name: button }).click();
    await page.getByText(`Name a place in or below ${reports}`).waitFor();
    await checkScreens(page, `reports-of${path.replace('/', '-')}`);
    await field.fill(reports);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'm.csv', level: 1 }).waitFor();
    if (path === '/syncs') await page.getByRole('link', { name: 'The import that carries it out' }).click();
    await page.getByText('Reports delivered to').waitFor();
    const [id = ''] = readdirSync(reports);
    expect(readdirSync(join(reports, id)).toSorted()).toEqual(['report.csv', 'summary.json']);
    await page.close();
    await stop();
  },
);

test('the form of a schedule says where the reports of its runs go, and clears it', async () => {
  const { place, reports, url, stop } = await served();
  const page = await browser.open(`${url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('nightly');
  await page.getByLabel('File or pattern').fill('members.csv');
  await page.getByLabel(FIELD).fill(reports);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of nightly' }).waitFor();
  const known = async () => (await (await fetch(`${url}/v1/schedules/nightly`)).json()) as ScheduleView;
  expect((await known()).reportTo).toBe(reports);
  await page.goto(`${url}/schedules/nightly/edit`);
  expect(await page.getByLabel(FIELD).inputValue()).toBe(reports);
  await page.getByLabel(FIELD).fill('');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('region', { name: 'History of nightly' }).waitFor();
  expect((await known()).reportTo).toBeUndefined();

  // If the server allows no place, only one that is there already is shown.
  const edit = ['schedule', 'edit', 'nightly', '--server', url, '--report-to', reports];
  expect((await place.run(edit)).code).toBe(0);
  expect((await place.run(['schedule', 'edit', 'nightly', '--server', url, '--no-report-to'])).code).toBe(0);
  expect((await known()).reportTo).toBeUndefined();
  await page.close();
  await stop();
});
