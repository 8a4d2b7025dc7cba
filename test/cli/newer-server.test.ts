import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { importOperations } from '../../src/api/imports.ts';
import type { AnswerOf } from '../../src/api/operation.ts';
import { OUTCOMES, type RowCounts } from '../../src/membership/outcome.ts';
import { openWorkplace } from './workplace.ts';

const rows = { read: 2, ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])), added: 2 } as RowCounts;
const counts = { calls: 1, retries: 0, rateLimited: 0, rows };
const PAGE: AnswerOf<typeof importOperations.list> = {
  imports: [
    {
      id: 'one',
      state: 'completed',
      sentence: 'All 2 rows succeeded; every row is accounted for.',
      reason: 'every row has its outcome',
      file: 'm.csv',
      rows,
      regions: { us: counts },
      calls: 1,
      retries: 0,
      startedAt: null,
      finishedAt: null,
      reports: { all: null, failed: null, retry: null, created: null },
      createdAt: '2026-01-31T12:00:00.000Z',
      createdBy: '',
      kind: 'file',
      tags: [],
      retryOf: null,
      dryRun: false,
      sandbox: false,
      actions: [],
      staging: null,
      followUps: [],
      retryable: 0,
      corrected: 0,
      attention: 0,
      next: [],
    },
  ],
  nextCursor: null,
};

async function answering(status: number, document: unknown): Promise<string> {
  const server = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('fields that a newer server adds, at any depth, are left out', async () => {
  const [view] = PAGE.imports;
  const us = { ...counts, slow: 7 };
  const url = await answering(200, { ...PAGE, total: 1, imports: [{ ...view, owner: 'ann', regions: { us } }] });
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: url } });
  const { code, stdout } = await place.run(['list', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ id: 'one', regions: { us: counts } }]);
  expect(stdout).not.toMatch(/slow|owner/);
});

test('a refusal with a code of a newer server is shown', async () => {
  const problem = {
    type: '/docs/errors#NEW',
    title: 'New',
    status: 409,
    code: 'NEW',
    detail: 'It is new.',
    remedy: 'Wait.',
  };
  const place = await openWorkplace({ env: { ROLLCALL_SERVER: await answering(409, problem) } });
  const { code, stderr } = await place.run(['list']);
  expect(code).toBe(2);
  expect(stderr).toContain('is new');
});
