import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { RollcallError } from '../../src/errors/rollcall-error.ts';
import { BUNDLED_PACKAGES, checkPackages, OPTIONAL_PACKAGES } from '../../src/platform/packages.ts';
import { tempDir } from '../temp-dir.ts';

const PROJECT = join(import.meta.dirname, '../..');
const NAMES = Object.values(OPTIONAL_PACKAGES).flat();

test('are optional peers of the package, which a clone has', () => {
  const { peerDependencies: peers, peerDependenciesMeta: about, devDependencies } = manifest;
  expect(Object.keys(peers).toSorted()).toEqual(NAMES.toSorted());
  expect(about).toEqual(Object.fromEntries(NAMES.map((name) => [name, { optional: true }])));
  expect(devDependencies).toMatchObject(peers);
});

test('are imported by these modules alone, which are loaded by what says that a package is missing', () => {
  const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(PROJECT, 'src', path), 'utf8')] as const);
  const pathsWith = (pattern: RegExp) => sources.filter(([, text]) => pattern.test(text)).map(([path]) => path);
  const importing = (names: readonly string[]) =>
    pathsWith(new RegExp(`^(?:import (?!type).*|\\} )from '(?:.*/)?(?:${names.join('|')})'`, 'm'));
  const fileNames = (paths: readonly string[]) => paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  const direct = importing([...NAMES, ...Object.values(BUNDLED_PACKAGES).flat()]);
  const all = [...new Set([...direct, ...importing(fileNames(direct))])];
  expect(all.toSorted()).toEqual([
    'app/tracing/open-telemetry.ts',
    'features/notify/mail.ts',
    'queue/bull-backend.ts',
    'queue/bull-queue.ts',
    'queue/bull-worker.ts',
    'sources/mysql-source.ts',
    'sources/postgres-source.ts',
    'sources/s3-source.ts',
    'sources/sftp-session.ts',
    'sources/sftp-source.ts',
  ]);
  const loaders = pathsWith(new RegExp(`import\\('\\./(?:${fileNames(all).join('|')})'\\)`));
  expect(loaders.filter((path) => !pathsWith(/withPackages\(/).includes(path))).toEqual([]);
  expect(loaders).toHaveLength(4);
});

describe('where one is missing, the error has the command that puts it beside rollcall', () => {
  const missing = (folder: string, installed: readonly string[] = []) => {
    try {
      checkPackages('addresses with postgres://', (name) => installed.includes(name), folder);
    } catch (error) {
      const { code, exit, facts, remedy } = error as RollcallError<'PACKAGE_MISSING'>;
      expect([code, exit, remedy]).toEqual(['PACKAGE_MISSING', 2, `install with \`${facts.install}\``]);
      return facts;
    }
    return undefined;
  };
  const packageIn = (...path: readonly string[]) => {
    const folder = join(tempDir(), ...path);
    mkdirSync(join(folder, 'node_modules/rollcall'), { recursive: true });
    return folder;
  };

  test('for a whole machine', () => {
    const prefix = packageIn('usr');
    const lib = packageIn('usr', 'lib');
    expect(missing(join(lib, 'node_modules/rollcall/'))).toMatchObject({
      packages: ['pg', 'pg-cursor'],
      install: `npm install -g --prefix ${lib.slice(0, -4)} pg@8 pg-cursor@2`,
    });
    expect(missing(join(prefix, 'node_modules/rollcall/'))).toMatchObject({
      install: `npm install -g --prefix ${prefix} pg@8 pg-cursor@2`,
    });
  });

  test('in a project, also one that has rollcall below another package', () => {
    const folder = packageIn("Ann's project");
    writeFileSync(join(folder, 'package.json'), '{}');
    for (const path of ['node_modules/rollcall/', 'node_modules/other/node_modules/rollcall/']) {
      expect(missing(join(folder, path), ['pg'])).toMatchObject({
        packages: ['pg-cursor'],
        install: `npm install --prefix '${folder.replace("'", "'\\''")}' pg-cursor@2`,
      });
    }
  });

  test('in a clone that was installed without its tools', () => {
    expect(missing('/srv/rollcall/')).toMatchObject({ install: 'npm ci --include=dev --prefix /srv/rollcall/' });
    expect(() => checkPackages('queues in Redis and Valkey', () => false, '/srv/rollcall/')).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ packages: ['bullmq'], install: expect.stringContaining('npm ci') }),
      }),
    );
  });

  test('and there is none where all are installed', () => {
    expect(missing('/srv/rollcall/', ['pg', 'pg-cursor'])).toBeUndefined();
  });
});
