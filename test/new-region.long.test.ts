import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './temp-dir.ts';

const PROJECT = new URL('..', import.meta.url).pathname;
const REGIONS = 'src/chat/service/regions.ts';
const MIGRATIONS = 'src/imports/record/migrations';

/** A copy of the sources with a fourth region, made as CONTRIBUTING.md says: a word in a list, and a migration. */
function sourcesWithRegion(name: string): string {
  const folder = tempDir();
  for (const part of ['src', 'jobs', 'bin', 'package.json', 'tsconfig.json']) {
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const list = readFileSync(join(folder, REGIONS), 'utf8');
  expect(list).toContain(`'in'] as const`);
  writeFileSync(join(folder, REGIONS), list.replace(`'in'] as const`, `'in', '${name}'] as const`));
  const number = String(readdirSync(join(folder, MIGRATIONS)).length + 1).padStart(3, '0');
  const statement = `insert into regions (id, name) values (4, '${name}');\n`;
  writeFileSync(join(folder, MIGRATIONS, `${number}_region_${name}.sql`), statement);
  return folder;
}

test('a new region of the service is a word in a list and a migration: the sources compile, and an import sends to it', async () => {
  const cwd = sourcesWithRegion('au');
  const run = promisify(execFile);
  await run(process.execPath, [join(PROJECT, 'node_modules/typescript/bin/tsc'), '--checkers', '1'], { cwd });
  writeFileSync(join(cwd, 'm.csv'), 'region,guid,uid\nau,team,ann\nus,team,bob\nau,team,cyn\n');
  const args = ['bin/rollcall.js', 'import', 'm.csv', '--sandbox', '--data-dir', 'data'];
  const { stdout } = await run(process.execPath, args, { cwd });
  expect(stdout).toContain('3 rows read = 3 added');
  expect(stdout).toMatch(/rows read +1 +2 +3\n/);
});
