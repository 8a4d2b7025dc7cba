import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bundleConsole, packagesIn } from '../../src/server/console-bundle.ts';
import { licenceOf } from '../../tools/licence.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Locked {
  readonly dev?: boolean;
  readonly license?: string;
}
const locked: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
).packages;

/** They allow everything that MIT allows, and ask for no more than their text and names. */
const COMPATIBLE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]);

test('what is installed with rollcall, in the package and in the image, has a compatible licence', async () => {
  const parts = packagesIn(await bundleConsole()).map((name) => `node_modules/${name}`);
  expect(parts).toEqual(expect.arrayContaining(['node_modules/preact', 'node_modules/uplot']));
  const shipped = Object.keys(locked).filter((path) => path !== '' && locked[path]?.dev !== true);
  expect(shipped.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
  const licences = [...shipped, ...parts].map((path) => [path, licenceOf(path, locked[path] ?? {})] as const);
  expect(licences.filter(([, licence]) => !COMPATIBLE.has(licence ?? ''))).toEqual([]);
});

test('the bill of materials names every dependency with its version and licence, and no tool of the development', async () => {
  const { stdout } = await run(process.execPath, ['tools/sbom.ts'], { cwd: ROOT, maxBuffer: 2 ** 26 });
  const bill: {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly name: string; readonly version: string; readonly licenses?: unknown }[];
  } = JSON.parse(stdout);
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata.component.name).toBe('rollcall');
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  expect(names).not.toContain('vitest');
  expect(bill.components.filter(({ version, licenses }) => version === '' || licenses === undefined)).toEqual([]);
});

describe('the notes of a release', () => {
  const notes = (tag: string) => run(process.execPath, ['tools/release-notes.ts', tag], { cwd: ROOT });

  test('are the chapter of the changelog for the version of package and chart', async () => {
    const { stdout } = await notes(`v${manifest.version}`);
    expect(stdout).toContain('### Imports');
    expect(stdout).not.toMatch(/^## /m);
  });

  test('are refused for a tag of another version', async () => {
    await expect(notes('v9.9.9')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/v9\.9\.9.*package\.json is.*Chart\.yaml is.*no chapter "## 9\.9\.9"/s),
    });
  });
});
