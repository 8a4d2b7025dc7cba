import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { licenceOf } from './licence.ts';

/**
 * `node tools/sbom.ts` prints the bill of materials (CycloneDX) of what is installed with rollcall, and of the optional packages that the
 * image has. npm makes it of a lock file without the tools of the development: with `--omit dev` it leaves out what these use as well.
 */

const ROOT = join(import.meta.dirname, '..');
const {
  devDependencies: _,
  peerDependenciesMeta: __,
  ...manifest
} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const parent = mkdtempSync(join(tmpdir(), 'rollcall-sbom-'));
// npm names the whole by its folder.
const folder = join(parent, manifest.name);
const npm = (...args: readonly string[]) =>
  execFileSync('npm', [...args, '--package-lock-only', '--offline', '--loglevel=error'], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  });
try {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const lockFile = join(folder, 'package-lock.json');
  copyFileSync(join(ROOT, 'package-lock.json'), lockFile);
  npm('prune');
  const lock: { packages: Record<string, { license?: string | undefined }> } = JSON.parse(
    readFileSync(lockFile, 'utf8'),
  );
  // npm takes none of a manifest that has the older list of licences.
  for (const [path, locked] of Object.entries(lock.packages)) if (path !== '') locked.license ??= licenceOf(path);
  writeFileSync(lockFile, JSON.stringify(lock));
  process.stdout.write(npm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'));
} finally {
  rmSync(parent, { recursive: true, force: true });
}
