import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { members, openSandboxPlace } from '../cli/workplace.ts';
import { useBrowser } from './browser.ts';

const browser = useBrowser();

test('the page of an import says that its reports wait and why, and then where they are', async () => {
  const place = await openSandboxPlace();
  place.file('members.csv', members([['g', 'ann']]));
  const reports = join(place.root, 'reports');
  mkdirSync(reports);
  place.env['ROLLCALL_REPORT_TARGETS'] = reports;
  const server = place.begin(['serve', '--port', '0']);
  await server.says('Listening on ');
  const [, url = ''] = /Listening on (\S+)/.exec(server.stderr()) ?? [];
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
  server.interrupt();
  await server.ended;
});
