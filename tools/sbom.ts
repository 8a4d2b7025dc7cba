import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { licenceOf } from './licence.ts';

/**
 * `node tools/sbom.ts` prints the bill of materials (CycloneDX) of what is installed with rollcall. npm makes it of the lock file without
 * the tools of the development: with `--omit dev` in this folder it leaves out what these use as well, such as zod.
 */

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const { devDependencies: _, ...manifest } = read('package.json');
const lock: { packages: Record<string, { dev?: boolean; license?: string; devDependencies?: unknown }> } =
  read('package-lock.json');
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, locked]) => [path, { ...locked, license: licenceOf(path, locked) }]),
);
delete packages['']?.devDependencies;

const parent = mkdtempSync(join(tmpdir(), 'rollcall-sbom-'));
// npm names the whole by its folder.
const folder = join(parent, manifest.name);
try {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const flags = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  process.stdout.write(execFileSync('npm', ['sbom', ...flags], { cwd: folder, maxBuffer: 2 ** 26 }));
} finally {
  rmSync(parent, { recursive: true, force: true });
}
