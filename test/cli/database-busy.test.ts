import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { shortenBusyTimeout } from '../../src/platform/database-errors.ts';
import { eventually } from '../eventually.ts';
import { manyMembers, openWorkplace } from './workplace.ts';

/** Another program holds the catalog, as `sqlite3` with an open transaction does. */
function hold(dataDir: string): () => void {
  // It waits where rollcall is just writing.
  const database = new DatabaseSync(join(dataDir, 'catalog.sqlite'), { timeout: 60_000 });
  database.exec('begin exclusive');
  return () => {
    database.exec('rollback');
    database.close();
  };
}

test('a server whose catalog is held answers, refuses what it would have to write, and takes it afterwards', async () => {
  const place = await openWorkplace();
  const server = place.start(['serve', '--sandbox', '--port', '0'], { stays: true });
  await server.says('Listening on http://');
  const address = /Listening on (\S+)/.exec(server.stderr())?.[1];
  const send = () =>
    fetch(`${address}/v1/imports?name=m.csv&banCheck=false`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: manyMembers(60),
    });
  const letGo = hold(place.dataDir);
  const refused = await send();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({
    code: 'DATABASE_BUSY',
    detail: expect.stringContaining(join(place.dataDir, 'catalog.sqlite')),
  });
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  letGo();
  const { id } = (await (await send()).json()) as { id: string };
  const view = async () => (await (await fetch(`${address}/v1/imports/${id}`)).json()) as Record<string, unknown>;
  await eventually(view).toMatchObject({ state: 'completed', rows: { added: 60 } });
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('a command that sends waits for a held catalog, and says for which file', async () => {
  const place = await openWorkplace();
  place.file('m.csv', manyMembers(30));
  expect((await place.run(['import', 'm.csv', '--sandbox'])).code).toBe(0);
  const letGo = hold(place.dataDir);
  const importing = place.start(['import', 'm.csv', '--sandbox'], { stays: true });
  await importing.says(`UTC: another program holds ${join(place.dataDir, 'catalog.sqlite')}`);
  letGo();
  expect((await importing.ended).code).toBe(0);
});

test.each([['import', 'm.csv'], ['resume'], ['sync', 'm.csv']])(
  'Ctrl-C in this wait ends %s with exit code 5, and says what was left',
  async (...args) => {
    const place = await openWorkplace();
    place.file('m.csv', manyMembers(30));
    expect((await place.run(['import', 'm.csv', '--sandbox', '--dry-run'])).code).toBe(0);
    const catalog = join(place.dataDir, 'catalog.sqlite');
    const letGo = hold(place.dataDir);
    const waiting = place.start([...args, '--sandbox'], { stays: true });
    await waiting.says(`UTC: another program holds ${catalog}`);
    waiting.child.kill('SIGINT');
    const { code, stderr } = await waiting.ended;
    letGo();
    expect(stderr).toContain('[INTERRUPTED]');
    expect(code).toBe(EXIT.interrupted);
    expect((await place.run([...args, '--sandbox'])).code).toBe(0);
  },
);

test('imports are listed and tagged while another program holds the ledger of one, whose rows are not counted then', async () => {
  shortenBusyTimeout();
  const place = await openWorkplace();
  place.file('m.csv', manyMembers(30));
  for (const _ of [1, 2]) expect((await place.run(['import', 'm.csv', '--sandbox', '--dry-run'])).code).toBe(0);
  const listed = async () => {
    const { code, stdout } = await place.run(['list', '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout) as ImportSummary[];
  };
  const [{ id } = { id: '' }] = await listed();
  const ledger = new DatabaseSync(join(place.dataDir, 'imports', id, 'ledger.sqlite'));
  ledger.exec('pragma locking_mode = exclusive; begin exclusive');
  onTestFinished(() => ledger.close());
  expect((await listed()).map(({ rows }) => rows.read)).toEqual([0, 30]);
  expect((await place.run(['tag', id, 'night'])).code).toBe(0);
});
