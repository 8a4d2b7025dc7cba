import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/features/sync/guard-limits.ts';
import { GUARDS } from '../../src/features/sync/plan/plan-guards.ts';

const DOCUMENT = readFileSync(new URL('../../docs/guards.md', import.meta.url), 'utf8');

test('docs/guards.md has every guard with its meaning and what to do', () => {
  for (const { name, meaning, modes, remedy } of GUARDS) {
    expect(DOCUMENT).toContain(`| \`${name}\` | ${meaning} | ${[...modes].join(', ')} | ${remedy} |`);
  }
  expect(DOCUMENT.match(/^\| `[a-z][a-z-]+` /gm)).toHaveLength(GUARDS.length);
});

test('docs/guards.md has every limit with its default and the reason for it', () => {
  for (const { name, ...limit } of LIMITS) {
    expect(DOCUMENT).toContain(
      `| \`${name}\` | ${limit.default}${limit.unit === 'percent' ? ' %' : ''} | ${limit.why} |`,
    );
  }
  expect(DOCUMENT.match(/^\| `[a-z]+[A-Z][A-Za-z]+` /gm)).toHaveLength(LIMITS.length);
});
