import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleConsole } from '../../src/server/console-files.ts';
import { licenceOf, packagesIn } from '../../tools/licence.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly { readonly license?: { readonly id?: string } }[];
  }[];
}

let bill: Bill;
beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['tools/sbom.ts'], { cwd: ROOT, maxBuffer: 2 ** 26 });
  bill = JSON.parse(stdout);
});

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
  const parts = packagesIn(await bundleConsole());
  expect(parts).toEqual(
    [
      'cronstrue',
      'idb-keyval',
      'preact',
      '@preact/signals',
      '@preact/signals-core',
      '@primer/octicons',
      'swagger-ui-dist',
    ].toSorted(),
  );
  const licences = [
    ...bill.components.map(({ name, licenses }) => [name, licenses?.map(({ license }) => license?.id).join(' and ')]),
    ...parts.map((name) => [name, licenceOf(`node_modules/${name}`)]),
  ];
  expect(licences.filter(([, licence]) => !COMPATIBLE.has(licence ?? ''))).toEqual([]);
});

test('the bill of materials names every dependency with its version, also the optional ones, and no tool of the development', () => {
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata.component.name).toBe('rollcall');
  const names = bill.components.map(({ name }) => name);
  const { dependencies, peerDependencies } = manifest;
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...dependencies, ...peerDependencies })));
  expect(names).not.toContain('vitest');
  expect(bill.components.filter(({ version }) => version === '')).toEqual([]);
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
