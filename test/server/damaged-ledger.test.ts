import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { Overview } from '../../src/api/overview.ts';
import { startTestServer, type TestServer } from './test-server.ts';

test.each([
  ['is damaged', (path: string) => writeFileSync(path, 'x'.repeat(8_192)), /its ledger is damaged/],
  [
    'was written by a newer rollcall',
    (path: string) => {
      const ledger = new DatabaseSync(path);
      ledger.exec('pragma user_version = 999');
      ledger.close();
    },
    /its ledger was written by another version of rollcall/,
  ],
])('an import whose ledger %s is listed with that reason, beside all others', async (_, spoil, reason) => {
  const server = await startTestServer();
  try {
    const spoiled = await server.run('guid,uid\ng,a\n', 'dryRun=true');
    const other = await server.run('guid,uid\ng,b\n', 'dryRun=true');
    await server.coordinator.reading.forget(server.dir.ledger(spoiled.id));
    spoil(server.dir.ledger(spoiled.id));

    const { imports } = await server.json<{ imports: ImportView[] }>('/v1/imports');
    expect(imports.map(({ id }) => id)).toEqual([other.id, spoiled.id]);
    expect(imports[0]).toMatchObject({ rows: { read: 1 }, reason: other.reason });
    expect(imports[1]).toMatchObject({ rows: { read: 0 }, reason: expect.stringMatching(reason) });
    expect(await readyIds(server)).toEqual([other.id, spoiled.id]);
    expect(await (await server.fetch('/metrics')).text()).toMatch(/^rollcall_rows\{.*outcome="pending"\} 1$/m);
  } finally {
    await server.close();
  }
});

async function readyIds(server: TestServer): Promise<string[]> {
  const { ready } = await server.json<Overview>('/v1/overview');
  return ready.imports.map(({ id }) => id);
}
