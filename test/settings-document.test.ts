import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REGIONS } from '../src/membership/membership.ts';

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Every setting that the code reads from the environment. */
function settingsOfCode(): Set<string> {
  const code = ['src/platform/config.ts', 'src/platform/app-settings.ts'].map(text).join('\n');
  const whole = code.match(/(?<=['`])(?:ROLLCALL_[A-Z_]+|HTTPS_PROXY|NO_PROXY)(?=')/g) ?? [];
  const ofRegions = code.match(/(?<=\$\{prefix\})_[A-Z_]+/g) ?? [];
  const named = new Set([
    ...whole,
    ...ofRegions.flatMap((ending) => REGIONS.map((region) => `ROLLCALL_${region.toUpperCase()}${ending}`)),
  ]);
  // A key may always be in a file.
  return new Set([...named].flatMap((name) => (name.endsWith('_API_KEY') ? [name, `${name}_FILE`] : [name])));
}

/** Every setting in the table of README; `…_EU_…` repeats the name before it for another region. */
function settingsOfReadme(): Set<string> {
  const [, section = ''] = text('README.md').split('\n## Settings\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return new Set(
    rows.flatMap((row) => {
      const [, cell = ''] = row.split('|');
      const names = cell.match(/[A-Z]+_[A-Z_]+/g)?.filter((name) => !/^_?(US|EU|IN)_$/.test(name)) ?? [];
      const others = (cell.match(/…_(EU|IN)_…/g) ?? []).map((part) => part.replaceAll('…', ''));
      return [...names, ...others.flatMap((part) => names.map((name) => name.replace('_US_', part)))];
    }),
  );
}

test('every setting is in the table of README, and the table names no other', () => {
  const [code, readme] = [settingsOfCode(), settingsOfReadme()];
  expect(code.size).toBeGreaterThan(20);
  expect([...readme].toSorted()).toEqual([...code].toSorted());
});
