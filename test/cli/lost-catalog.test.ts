import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Overview } from '../../src/api/overview.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { filesBelow, manyMembers, openSandboxPlace, type SandboxPlace } from './workplace.ts';

async function withThreeImports(): Promise<SandboxPlace> {
  const place = await openSandboxPlace({ users: 'any', groups: 'any' });
  place.file('m.csv', manyMembers(60, 2));
  place.file('other.csv', manyMembers(30, 2));
  await place.run(['import', 'other.csv', '--tag', 'nightly']);
  await place.run(['import', 'other.csv', '--dry-run']);
  await place.run(['import', 'm.csv', '--first', '10']);
  return place;
}

const states = async (place: SandboxPlace) => {
  const { stdout } = await place.run(['list', '--json']);
  return (JSON.parse(stdout) as { state: string; rows: { read: number } }[]).map(({ state, rows }) => [
    state,
    rows.read,
  ]);
};

test('a catalog that is gone is made again from the folders of the imports, and the imports go on', async () => {
  const place = await withThreeImports();
  const before = await states(place);
  for (const file of readdirSync(place.dataDir)) if (file.startsWith('catalog.')) rmSync(join(place.dataDir, file));
  expect(await states(place)).toEqual(before);
  expect((await place.run(['list', '--tag', 'nightly', '--json'])).stdout).toContain('other.csv');
  const resumed = await place.run(['resume']);
  expect([resumed.code, resumed.stdout]).toEqual([EXIT.ok, expect.stringContaining('30 added')]);
});

test('a catalog that is intact is not made anew, and how to do it all the same is said', async () => {
  const place = await withThreeImports();
  const { code, stderr } = await place.run(['doctor', '--rebuild-catalog']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('is intact')]);
  expect(stderr).toContain('[CATALOG_INTACT]');
  expect(readdirSync(place.dataDir).filter((file) => /^catalog\.sqlite\.\d+$/.test(file))).toEqual([]);
});

test('a damaged catalog is named with its remedy, kept beside the new one, and imports without a record are named', async () => {
  const place = await withThreeImports();
  const before = await states(place);
  const listed = JSON.parse((await place.run(['list', '--json'])).stdout) as { id: string }[];
  const oldest = listed.at(-1)?.id ?? '';
  writeFileSync(join(place.dataDir, 'catalog.sqlite'), 'x'.repeat(8_192));
  const list = await place.run(['list']);
  expect([list.code, list.stderr]).toEqual([EXIT.fatal, expect.stringContaining('--rebuild-catalog')]);
  rmSync(join(place.dataDir, 'imports', oldest, 'import.json'));
  const doctor = await place.run(['doctor', '--rebuild-catalog']);
  expect(doctor.stderr).toMatch(new RegExp(`rebuilt .*: 2 imports; not found out: ${oldest}`));
  expect(await states(place)).toEqual(before.slice(0, 2));
  // The log of each later start names them too, and the start page of the console.
  const server = place.begin(['serve', '--port', '0']);
  await server.says(`does not know 1 import whose folders are there: ${oldest}. They do not go on`);
  await server.says('http://');
  const [address = ''] = /http:\/\/[\w.:]+/.exec(server.stdout() + server.stderr()) ?? [];
  const unknownFolders = async () =>
    ((await (await fetch(`${address}/v1/overview`)).json()) as Overview).unknownFolders;
  expect(await unknownFolders()).toEqual({ count: 1, names: [oldest] });
  rmSync(join(place.dataDir, 'imports', oldest), { recursive: true });
  expect(await unknownFolders()).toBeUndefined();
  server.interrupt('SIGTERM');
  await server.ended;
  expect(readdirSync(place.dataDir).filter((file) => /^catalog\.sqlite\.\d+$/.test(file))).toHaveLength(1);
});

test('doctor names a damaged file of ends and of the members of syncs, each with its remedy', async () => {
  const { dataDir, run } = await openSandboxPlace();
  mkdirSync(dataDir);
  for (const file of ['ends.sqlite', 'memberships.sqlite']) writeFileSync(join(dataDir, file), 'x'.repeat(8_192));
  const { code, stdout } = await run(['doctor', '--json']);
  const found: { check: string; ok: boolean; detail: string; remedy?: string }[] = JSON.parse(stdout).findings;
  expect([code, found.filter(({ ok }) => !ok)]).toEqual([
    EXIT.usage,
    ['ends of memberships', 'members of syncs'].map((check) => ({
      check,
      ok: false,
      detail: expect.stringContaining('DAMAGED_LEDGER'),
      remedy: expect.stringContaining('it away'),
    })),
  ]);
});

test('a data directory of another version is refused by each command, with what to do, and stays as it is', async () => {
  const place = await withThreeImports();
  const catalog = new DatabaseSync(join(place.dataDir, 'catalog.sqlite'));
  catalog.exec('pragma user_version = 10');
  catalog.close();
  const databases = () => filesBelow(place.dataDir).filter(({ path }) => path.endsWith('.sqlite'));
  const before = databases();
  const commands = [
    ...['list', 'status', 'report', 'resume', 'retry', 'undo last', 'import m.csv', 'serve --port 0'],
    ...['doctor', 'doctor --rebuild-catalog', 'sync list', 'schedule list', 'watch', 'check last'],
  ];
  for (const command of commands) {
    const { code, stderr, stdout } = await place.run(command.split(' '));
    const said = stdout + stderr;
    expect([command, code, said]).toEqual([
      command,
      EXIT.usage,
      expect.stringMatching(/catalog\.sqlite.* --data-dir/s),
    ]);
  }
  expect(databases()).toEqual(before);
});
