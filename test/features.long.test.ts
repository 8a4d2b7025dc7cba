import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { importsOf, LISTS, targetOf } from './source-rules.ts';
import { tempDir } from './temp-dir.ts';

const PROJECT = new URL('..', import.meta.url).pathname;
const PRODUCT = ['bin', 'jobs', 'samples', 'src', 'package.json', 'tsconfig.json'];
/** A sample, and what comes out of it. */
const IMPORT = 'import samples/json/festival.json --region eu --sandbox-seed samples/json/sandbox.json'.split(' ');
const RESULT = '11 of 15 rows succeeded';
const features = readdirSync(join(PROJECT, 'src/features'));
const run = promisify(execFile);

/** The product in a folder of its own, where tests may change it. */
function copyOfProduct(): string {
  const folder = tempDir();
  for (const part of PRODUCT) cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const settings = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as { include: string[] };
  settings.include = ['bin', 'src', 'jobs'];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  return folder;
}

/** Features that a feature's files import. */
function neededBy(name: string): string[] {
  const folder = `src/features/${name}`;
  const files = readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' });
  const targets = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const path = `${folder}/${file}`;
      return importsOf(readFileSync(join(PROJECT, path), 'utf8')).map((specifier) => targetOf(path, specifier));
    });
  return features.filter(
    (other) => other !== name && targets.some((path) => path.startsWith(`src/features/${other}/`)),
  );
}

/** A feature with those that stand on it, and on these. */
function withThoseOnIt(name: string): string[] {
  const gone = new Set([name]);
  for (const one of gone) {
    for (const other of features) if (neededBy(other).includes(one)) gone.add(other);
  }
  return [...gone];
}

/** Takes a feature out of a list: its entries, and what is imported for them. */
function withoutFeature(text: string, name: string): string {
  const imports = new RegExp(`^import \\{ (.*) \\} from '\\.\\./features/${name}/.*';\\n`, 'gm');
  // A feature that has none of it takes nothing out.
  const names = [...text.matchAll(imports)].flatMap(([, named = '']) => named.split(', ')).join('|') || '(?!)';
  const command = new RegExp(
    `^ {2}\\w+: \\{\\n(?: {4}.*\\n)*? {4}.*\\.\\./features/${name}/(?:.*\\n)*? {2}\\},\\n`,
    'gm',
  );
  const entry = new RegExp(`^ {2}(?:.*\\.\\./features/${name}/.*|(?:\\w+: )?(?:${names})),\\n`, 'gm');
  const page = new RegExp(`^ {2}\\{.*\\bpage: (?:${names})\\b.*\\},\\n`, 'gm');
  return text.replace(imports, '').replace(command, '').replace(entry, '').replace(page, '');
}

test.each(features)(
  'without its feature %s, and those that stand on it, rollcall compiles, starts and imports',
  async (name) => {
    const folder = copyOfProduct();
    for (const gone of withThoseOnIt(name)) {
      rmSync(join(folder, 'src/features', gone), { recursive: true });
      for (const list of LISTS) {
        const path = join(folder, list);
        writeFileSync(path, withoutFeature(readFileSync(path, 'utf8'), gone));
      }
    }
    const tsc = join(PROJECT, 'node_modules/.bin/tsc');
    await run(tsc, ['--checkers', '1'], { cwd: folder });
    await run(tsc, ['-p', 'src/console', '--checkers', '1'], { cwd: folder });
    const command = ['bin/rollcall.js', ...IMPORT, '--data-dir', tempDir()];
    const ended = await run(process.execPath, command, { cwd: folder }).catch((error: object) => error);
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining(RESULT) });
  },
);
