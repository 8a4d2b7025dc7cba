import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { members, openSandboxPlace } from './cli/workplace.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: ROOT })];
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the first page', () => {
  const readme = textOf('README.md');

  test('is short', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(150);
  });

  test('its commands do what it says, word by word, with a file of one’s own', async () => {
    const place = await openSandboxPlace({ users: 3, groups: 'any' });
    const rows = ['user-1', 'user-2', 'nobody'].map((uid) => ['team', uid] as const);
    place.file('members.csv', members(rows));
    const ends: [string, number | null][] = [];
    for (const section of ['Your own file', 'What comes out']) {
      const [, block] = new RegExp(`^## ${section}\n.*?^\`\`\`sh\n(.*?)^\`\`\``, 'ms').exec(readme) ?? [];
      for (const [, command = ''] of block?.matchAll(/^npx rollcall (.+?)(?: {2,}#.*)?$/gm) ?? []) {
        const { code } = await place.run(command.split(' '));
        ends.push([command, code]);
      }
    }
    // One row fails, for its user is not there: so it does when it is tried again.
    expect(ends).toEqual([
      ['inspect members.csv', 0],
      ['import members.csv --sandbox', 0],
      ['import members.csv --check', 1],
      ['import members.csv', 1],
      ['report --status failed,invalid', 0],
      ['retry', 1],
    ]);
  });
});

test.each(DOCUMENTS)('the links of %s lead somewhere', (document) => {
  const dead = [...textOf(document).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, source]) => link ?? source ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(textOf(file)).has(anchor);
    });
  expect(dead).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
