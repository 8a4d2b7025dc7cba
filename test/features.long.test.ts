import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyOfProject } from './project-copy.ts';
import { importsOf, LISTS, targetOf } from './source-rules.ts';

const PROJECT = new URL('..', import.meta.url).pathname;
/** A sample, and what comes out of it. */
const IMPORT = 'import samples/json/festival.json --region eu --sandbox-seed samples/json/sandbox.json'.split(' ');
const RESULT = '11 of 15 rows succeeded';
const features = readdirSync(join(PROJECT, 'src/features'));

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
    const copy = copyOfProject();
    for (const gone of withThoseOnIt(name)) {
      copy.remove(`src/features/${gone}`);
      for (const list of LISTS) copy.change(list, (text) => withoutFeature(text, gone));
    }
    // Tests of what is gone stay.
    copy.change('tsconfig.json', (text) => JSON.stringify({ ...JSON.parse(text), include: ['bin', 'src', 'jobs'] }));
    await copy.compile();
    await copy.compile('-p', 'src/console');
    await expect(copy.rollcall(...IMPORT, '--data-dir', 'data')).rejects.toMatchObject({
      message: expect.stringContaining(RESULT),
      cause: { code: 1 },
    });
  },
);
