import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * `node tools/release-notes.ts v0.1.0` prints the chapter of the changelog for that tag: the text of the release's page. It refuses a
 * tag that is not the version of the package and of the chart, or of which the changelog has no chapter.
 */

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const [, , tag = ''] = process.argv;
const version = tag.replace(/^v/, '');
const chart: Record<string, unknown> = parse(read('deploy/helm/rollcall/Chart.yaml'));
const versions: readonly (readonly [place: string, version: unknown])[] = [
  ['version in package.json', JSON.parse(read('package.json')).version],
  ['version in deploy/helm/rollcall/Chart.yaml', chart['version']],
  ['appVersion in deploy/helm/rollcall/Chart.yaml', chart['appVersion']],
];
const chapter = read('CHANGELOG.md')
  .split(/^(?=## )/m)
  .find((text) => /^## (\S+)/.exec(text)?.[1] === version);
const wrong = versions.filter(([, found]) => found !== version).map(([place, found]) => `${place} is ${found}`);
if (chapter === undefined) wrong.push(`CHANGELOG.md has no chapter "## ${version}"`);
if (wrong.length > 0) {
  process.stderr.write(`The tag "${tag}" cannot be released: ${wrong.join('; ')}. A tag is v and the version.\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${chapter?.replace(/^.*\n+/, '').trim()}\n`);
}
