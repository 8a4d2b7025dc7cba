import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingFlag } from '../src/cli/flags/setting-flag.ts';
import { readConfig, unknownVariables } from '../src/platform/config.ts';
import { settingsTable, VARIABLES } from '../src/platform/settings.ts';
import { tempDir } from './temp-dir.ts';

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('settings are declared once', () => {
  test('docs/settings.md has their table, word by word', () => {
    expect(text('docs/settings.md')).toContain(`\n${settingsTable()}\n`);
  });

  test('every variable that the sources name is one of them', () => {
    const sources = readdirSync(new URL('../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.[tj]s$/.test(path))
      .map((path) => text(join('src', path)))
      .join('\n');
    const named = new Set(sources.match(/\bROLLCALL_[A-Z][A-Z_]*[A-Z]\b/g));
    expect(VARIABLES.length).toBeGreaterThan(25);
    expect([...named].filter((name) => !VARIABLES.includes(name))).toEqual([]);
  });

  test('a flag refuses what the setting refuses, and its help names the variable', () => {
    const flag = settingFlag('concurrency');
    expect(() => flag.parseArg?.('many', undefined)).toThrow('Expected a whole number from 1 to 1000.');
    expect(() => readConfig({}, { ROLLCALL_CONCURRENCY: 'many' }, tempDir())).toThrow(
      'ROLLCALL_CONCURRENCY is "many"; allowed is a whole number from 1 to 1000',
    );
    expect(flag.description).toBe('concurrent calls in each region (default: 20, or ROLLCALL_CONCURRENCY)');
  });
});

test('a variable that is not a setting is found, and those of other programs are left alone', () => {
  const env = { ROLLCALL_CONCURENCY: '5', ROLLCALL_IN_API_KEY: 'k', PATH: '/bin' };
  expect(unknownVariables(env, tempDir())).toEqual(['ROLLCALL_CONCURENCY']);
});
