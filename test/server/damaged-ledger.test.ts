import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProblemDocument } from '../../src/api/problems.ts';
import { startTestServer } from './test-server.ts';

/** Operations that need rows, of a completed import. */
const OPERATIONS = [
  ...['sending', 'rows', 'rows/1', 'problems', 'calls', 'report', 'created', 'corrections', 'corrections/rows'].map(
    (path) => ['GET', path] as const,
  ),
  ['POST', 'corrections/send'],
  ['POST', 'undo'],
] as const;

test('a ledger that is damaged or gone under a running server is named by each operation, and the other imports work', async () => {
  const seed = { users: ['anna', 'bob'] };
  const server = await startTestServer({ sandbox: { groups: 'any', users: 0, seed } });
  onTestFinished(() => server.close());
  const { id: whole } = await server.run('guid,uid\ng,anna\n');
  const { id } = await server.run('guid,uid\ng,anna\ng,bob\ng,nobody\n');
  const ledger = server.dir.ledger(id);
  // From here on, what an import's view says of its corrections is read from both files.
  await server.json(`/v1/imports/${id}/corrections`);
  for (const [code, harm] of [
    ['DAMAGED_LEDGER', () => writeFileSync(ledger, 'x'.repeat(8_192))],
    ['LEDGER_MISSING', () => writeFileSync(ledger, '')],
    ['LEDGER_MISSING', () => rmSync(ledger)],
  ] as const) {
    harm();
    for (const [method, path] of OPERATIONS) {
      const body = method === 'GET' ? null : '{}';
      const headers = { 'content-type': 'application/json' };
      const reply = await server.fetch(`/v1/imports/${id}/${path}`, { method, body, headers });
      const problem = (await reply.json()) as ProblemDocument;
      expect([path, reply.status, problem.code]).toEqual([path, 500, code]);
      expect([problem.detail, problem.remedy]).toEqual([
        expect.stringContaining(ledger),
        expect.stringContaining('backup'),
      ]);
    }
    const found = { members: [{ uid: 'anna', newest: { importId: whole } }], unread: [id] };
    expect(await server.json('/v1/members?text=ann')).toMatchObject(found);
    expect(await server.json('/v1/members/anna/history')).toMatchObject({
      entries: [{ importId: whole }],
      unread: [id],
    });
    expect(await server.json('/v1/imports')).toMatchObject({ imports: [{ id }, { id: whole }] });
    expect(await server.json(`/v1/imports/${id}`)).toMatchObject({ actions: ['delete'], retryable: 0, next: [] });
    expect(await server.json(`/v1/imports/${whole}/rows`)).toMatchObject({ rows: [{ uid: 'anna' }] });
  }
});

test('a damaged check hides neither Retry nor corrections; where the edits are damaged, Retry says which file it needs', async () => {
  const server = await startTestServer({ sandbox: { groups: 'any', users: 0, seed: { users: ['anna'] } } });
  onTestFinished(() => server.close());
  const { id } = await server.run('guid,uid\ng,anna\ng,nobody\ng,nobody-2\n');
  const folder = server.dir.folder(id);
  const uid = { row: 2, column: 'uid', was: 'nobody', value: 'anna' };
  const headers = { 'content-type': 'application/json' };
  await server.json(`/v1/imports/${id}/corrections`);
  const edits = { method: 'PATCH', headers, body: JSON.stringify({ edits: [uid] }) };
  await server.json(`/v1/imports/${id}/corrections/rows`, edits);
  const sent = await server.json<{ id: string }>(`/v1/imports/${id}/corrections/send`, { method: 'POST' });
  await server.settled(sent.id);
  const whole = await server.json(`/v1/imports/${id}`);
  expect(whole).toMatchObject({ corrected: 1, retryable: 1, next: [{ operation: 'correct' }, { operation: 'retry' }] });

  writeFileSync(join(folder, 'check.sqlite'), 'x'.repeat(8_192));
  expect(await server.json(`/v1/imports/${id}`)).toEqual(whole);
  await server.json(`/v1/imports/${id}/corrections`);

  writeFileSync(join(folder, 'corrections.sqlite'), 'x'.repeat(8_192));
  expect(await server.json(`/v1/imports/${id}`)).toMatchObject({ actions: ['retry', 'delete'], retryable: 2 });
  const detail = expect.stringContaining('corrections.sqlite is damaged');
  expect(await server.problem(`/v1/imports/${id}/retry`, { method: 'POST' })).toMatchObject({ status: 500, detail });
});
