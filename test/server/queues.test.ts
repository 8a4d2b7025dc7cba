import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, useBrowser } from '../console/browser.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
let viewer: string;
let operator: string;
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true, sandbox: { latencyMs: 200 } });
  viewer = server.token('viewer');
  operator = server.token('operator', 'Otto');
});
afterAll(() => server.close());
const browser = useBrowser();

const as = (token: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...more },
});

interface Shown {
  readonly queues: readonly { readonly name: string; readonly isPaused: boolean; readonly jobs: readonly unknown[] }[];
}
const shown = async (query = ''): Promise<Shown['queues']> =>
  (await server.json<Shown>(`/queues/api/queues?${query}`, as(operator))).queues;

describe('the board of queues', () => {
  test('is for operators: others are refused, and browsers without a session are sent to the login', async () => {
    expect(await server.problem('/queues', as(viewer))).toMatchObject({ code: 'ROLE_TOO_LOW' });
    const page = await server.fetch('/queues', as(viewer, { accept: 'text/html' }));
    expect([page.status, page.headers.get('content-type')]).toEqual([403, expect.stringContaining('text/html')]);
    expect(await server.problem('/queues/api/queues', as(viewer))).toMatchObject({ code: 'ROLE_TOO_LOW' });
    expect(await server.problem('/queues/api/queues')).toMatchObject({ code: 'TOKEN_REQUIRED' });
    expect(await server.problem('/queues/static/css/main.css')).toMatchObject({ code: 'TOKEN_REQUIRED' });
    const response = await server.fetch('/queues', { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/login']);
  });

  test('changes nothing: jobs and queues stay as they are, whatever is asked for', async () => {
    const { id } = await server.upload('guid,uid\ng,a\n', '', as(operator));
    await server.coordinator.settled(id);
    const before = await shown();
    const [{ name }] = before as [Shown['queues'][0]];
    const queue = `/queues/api/queues/${name}`;
    const json = as(operator, { 'content-type': 'application/json' });
    const forged = JSON.stringify({
      name: 'add-members',
      data: { forged: true },
      jobData: { forged: true },
      options: {},
    });
    const changes: readonly (readonly [method: string, path: string])[] = [
      ['POST', `${queue}/add`],
      ['PATCH', `${queue}/1/update-data`],
      ['PATCH', `${queue}/1/priority`],
      ['PUT', `${queue}/1/clean`],
      ['PUT', `${queue}/pause`],
      ['PUT', `${queue}/empty`],
      ['PUT', `${queue}/obliterate`],
      ['PUT', '/queues/api/queues/pause'],
    ];
    for (const [method, path] of changes) {
      expect(await server.problem(path, { method, body: forged, ...json }), path).toMatchObject({ code: 'READ_ONLY' });
    }
    expect(await shown()).toMatchObject(
      before.map((one) => ({ name: one.name, isPaused: false, readOnlyMode: true, allowRetries: false })),
    );
    const paused = server.coordinator.backend.queues().map((one) => one.isPaused());
    expect(await Promise.all(paused)).not.toContain(true);
  });

  test('shows regions once imports use them, and what waits in them, but no key', async () => {
    const page = await browser.open(`${server.url}/login`, { refusals: true });
    await page.getByLabel('Token').fill(operator);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    const rows = Array.from({ length: 300 }, (_, at) => `g${at},ann-of-the-board`).join('\n');
    const { id } = await server.upload(`guid,uid\n${rows}\n`, '', as(operator));
    const opened = () => shown().then((queues) => queues.find(({ name }) => name.startsWith('add-members-us')));
    await eventually(opened).toBeDefined();
    const { name = '' } = (await opened()) ?? {};
    await server.coordinator.backend
      .queues()
      .find((queue) => queue.name === name)
      ?.pause();

    await page.goto(`${server.url}/settings`);
    await page.getByRole('link', { name: 'open the queues' }).click();
    await page.locator('a', { hasText: name }).first().click();
    await page.locator('a', { hasText: 'prioritized' }).first().click();
    await page.getByText('jobData').first().waitFor();
    const content = await page.content();
    for (const { apiKey } of Object.values(server.sandbox.apps)) expect(content).not.toContain(apiKey);
    await server.json(`/v1/imports/${id}/cancel`, { method: 'POST', ...as(operator) });
    await server.coordinator.settled(id);
  });
});
