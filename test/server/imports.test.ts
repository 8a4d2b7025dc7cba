import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Page {
  readonly imports: readonly ImportView[];
  readonly nextCursor: string | null;
}

/** A batch for each group: as many calls as rows. */
const spread = (prefix: string, rows: number) =>
  `guid,uid\n${Array.from({ length: rows }, (_, at) => `${prefix}${at},user-1`).join('\n')}\n`;

let server: TestServer;
beforeAll(async () => {
  // Calls take their time, so that an import can be met while it runs; and not every user exists.
  server = await startTestServer({ sandbox: { latencyMs: 20, users: 5 } });
});
afterAll(() => server.close());

const act = (id: string, verb: string) => server.json<ImportView>(`/v1/imports/${id}/${verb}`, { method: 'POST' });
const refused = (id: string, verb: string) => server.problem(`/v1/imports/${id}/${verb}`, { method: 'POST' });

test('an import can be paused, resumed and cancelled, and says what is possible in each state', async () => {
  const { id } = await server.upload(spread('p', 4_000));
  await reached(server.coordinator, id, 'running');
  expect((await server.json<ImportView>(`/v1/imports/${id}`)).actions).toEqual(['pause', 'cancel']);
  await act(id, 'pause');
  expect(await server.settled(id)).toMatchObject({ state: 'paused', actions: ['resume', 'cancel'] });
  expect((await act(id, 'resume')).state).toBe('running');
  await act(id, 'cancel');
  const over = await server.settled(id);
  expect(over).toMatchObject({ state: 'cancelled', actions: ['retry', 'delete'] });
  expect(over.rows.unprocessed).toBeGreaterThan(0);
  expect(over.reports).toEqual({
    all: `/v1/imports/${id}/report?format=csv`,
    failed: `/v1/imports/${id}/report?format=csv&status=failed,invalid,unconfirmed,unprocessed`,
    retry: `/v1/imports/${id}/report?retryable=true`,
    created: null,
  });
});

test('a dry run waits, and resume sends it', async () => {
  const staged = await server.run('guid,uid\ndry,user-1\n', 'dryRun=true');
  expect(staged).toMatchObject({ state: 'staged', calls: 0 });
  await act(staged.id, 'resume');
  expect(await server.settled(staged.id)).toMatchObject({ state: 'completed', rows: { added: 1 } });
});

describe('what an import cannot do in its state is refused, with what it can', () => {
  test('when it is over', async () => {
    const { id } = await server.run('guid,uid\nover,user-1\n');
    for (const verb of ['pause', 'resume', 'cancel']) {
      expect(await refused(id, verb)).toMatchObject({ code: 'WRONG_STATE', status: 409, possible: ['delete'] });
    }
    expect(await refused(id, 'retry')).toMatchObject({ code: 'NOTHING_TO_SEND', possible: ['delete'] });
  });

  test('when it is staged', async () => {
    const { id } = await server.run('guid,uid\nstaged,user-1\n', 'dryRun=true');
    const possible = ['resume', 'cancel', 'delete'];
    expect(await refused(id, 'pause')).toMatchObject({ code: 'WRONG_STATE', possible });
    expect(await refused(id, 'retry')).toMatchObject({ code: 'WRONG_STATE', possible });
  });

  test('when it runs, it cannot be deleted', async () => {
    const { id } = await server.upload(spread('r', 4_000));
    await reached(server.coordinator, id, 'running');
    const problem = await server.problem(`/v1/imports/${id}`, { method: 'DELETE' });
    expect(problem).toMatchObject({ code: 'WRONG_STATE', possible: ['pause', 'cancel'] });
    await act(id, 'cancel');
    await server.settled(id);
  });

  test('when there is none with this id', async () => {
    for (const path of ['', '/rows', '/problems', '/calls', '/transitions', '/report']) {
      const problem = await server.problem(`/v1/imports/20200101-000000-abc${path}`);
      expect(problem).toMatchObject({ code: 'UNKNOWN_IMPORT', status: 404 });
      expect(problem.detail).toContain('20200101-000000-abc');
    }
    for (const verb of ['pause', 'resume', 'cancel', 'retry']) {
      expect(await refused('..%2F..%2Fetc', verb)).toMatchObject({ code: 'UNKNOWN_IMPORT', status: 404 });
    }
  });
});

test('retry makes an import of what failed, which belongs to the first', async () => {
  const first = await server.run('guid,uid\nretry,user-1\nretry,nobody\n');
  expect(first).toMatchObject({ state: 'completed', rows: { added: 1, failed: 1 }, actions: ['retry', 'delete'] });
  const response = await server.fetch(`/v1/imports/${first.id}/retry`, { method: 'POST' });
  expect(response.status).toBe(202);
  const second = (await response.json()) as ImportView;
  expect(response.headers.get('location')).toBe(`/v1/imports/${second.id}`);
  expect(second.retryOf).toBe(first.id);
  expect(await server.settled(second.id)).toMatchObject({ rows: { read: 1, failed: 1 } });
});

test('an import for the service is not sent by a server with the sandbox', async () => {
  const options = { format: 'auto', map: {}, region: 'us', sandbox: false, dryRun: true } as const;
  const { id: source } = await server.run('guid,uid\ntarget,user-1\n', 'dryRun=true');
  const input = `${server.dir.folder(source)}/input`;
  const id = await server.coordinator.create({ file: 'real.csv', source: input, options });
  await server.settled(id);
  expect(await refused(id, 'resume')).toMatchObject({ code: 'WRONG_TARGET', status: 409 });
});

test('a deleted import is gone with its files', async () => {
  const { id } = await server.run('guid,uid\ngone,user-1\n');
  expect((await server.fetch(`/v1/imports/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await server.problem(`/v1/imports/${id}`)).toMatchObject({ code: 'UNKNOWN_IMPORT' });
  expect(existsSync(server.dir.folder(id))).toBe(false);
});

test('the journal of an import has every state with its time and reason', async () => {
  const { id } = await server.run('guid,uid\njournal,user-1\n');
  const { transitions } = await server.json<{ transitions: { at: string; state: string; reason: string }[] }>(
    `/v1/imports/${id}/transitions`,
  );
  expect(transitions.map(({ state }) => state)).toEqual(['staging', 'staged', 'running', 'completed']);
  expect(transitions.at(-1)?.reason).toBe('every row has its outcome');
  expect(transitions.map(({ at }) => at)).toEqual(transitions.map(({ at }) => new Date(at).toISOString()));
});

describe('the list', () => {
  test('gives every import once over all its pages, newest first', async () => {
    const all: ImportView[] = [];
    let page = await server.json<Page>('/v1/imports?limit=3');
    for (;;) {
      expect(page.imports.length).toBeLessThanOrEqual(3);
      all.push(...page.imports);
      if (page.nextCursor === null) break;
      page = await server.json<Page>(`/v1/imports?limit=3&cursor=${encodeURIComponent(page.nextCursor)}`);
    }
    expect(all.length).toBeGreaterThan(6);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .sort()
        .reverse(),
    );
  });

  test('keeps to the states that are asked for', async () => {
    const { imports } = await server.json<Page>('/v1/imports?state=staged,cancelled&limit=200');
    expect(new Set(imports.map(({ state }) => state))).toEqual(new Set(['staged', 'cancelled']));
  });

  test.each([
    ['state=done', 'state', 'completed'],
    ['limit=0', 'limit', '1 to 200'],
    ['limit=201', 'limit', '1 to 200'],
    ['limit=ten', 'limit', '1 to 200'],
    ['page=2', 'page', 'no option'],
  ])('refuses %s', async (query, field, says) => {
    const problem = await server.problem(`/v1/imports?${query}`);
    expect(problem).toMatchObject({ code: 'BAD_OPTION', status: 400, field });
    expect(problem.detail).toContain(says);
  });

  test('refuses a cursor that it has not given', async () => {
    expect(await server.problem('/v1/imports?cursor=abc')).toMatchObject({ code: 'BAD_CURSOR', status: 400 });
  });
});

test('what was done is in the audit log, newest first', async () => {
  const { id } = await server.run('guid,uid\naudit,user-1\n', 'name=audited.csv');
  await server.fetch(`/v1/imports/${id}`, { method: 'DELETE' });
  const { entries } = await server.json<{ entries: object[] }>('/v1/audit?limit=2');
  expect(entries).toMatchObject([
    { who: 'local', role: 'admin', action: 'import.delete', target: id, detail: 'file=audited.csv to=sandbox' },
    { who: 'local', role: 'admin', action: 'import.create', target: id, detail: 'file=audited.csv to=sandbox' },
  ]);
});

test('the address of nothing is refused', async () => {
  expect(await server.problem('/v2/imports')).toMatchObject({ code: 'NOT_FOUND', status: 404 });
});

test('settings and regions are shown, and no key', async () => {
  const settings = await server.json<object>('/v1/settings');
  expect(settings).toMatchObject({
    sandbox: true,
    queue: 'embedded',
    apps: { us: { appId: 'sandbox-us', keySet: true } },
  });
  const { regions } = await server.json<{ regions: object[] }>('/v1/regions');
  expect(regions).toMatchObject([{ region: 'us', workers: 1, stopped: false }]);
  const everything = JSON.stringify([settings, regions]);
  for (const { apiKey } of Object.values(server.sandbox.apps)) expect(everything).not.toContain(apiKey);
});

test('metrics count requests and what is under way', async () => {
  const text = await (await server.fetch('/metrics')).text();
  expect(text).toMatch(/rollcall_http_requests_total\{method="POST",route="\/v1\/imports",status="202"\} \d+/);
  expect(text).toMatch(/rollcall_imports\{state="staged"\} [1-9]/);
  expect(text).toMatch(/rollcall_rows\{region="us",outcome="pending"\} [1-9]/);
  expect(text).toMatch(/rollcall_backlog\{region="us",state="waiting"\} \d/);
});
