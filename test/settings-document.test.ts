import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingFlag } from '../src/cli/flags/flags.ts';
import { readConfig } from '../src/platform/config.ts';
import { CONFIG_NAMES, type FlagName, SETTINGS, type SettingDeclaration, VARIABLES } from '../src/platform/settings.ts';
import { settingsTable } from '../tools/settings-table.ts';
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
    expect(flag.description).toContain('(default: 300, or ROLLCALL_CONCURRENCY)');
  });
});

test('a variable that is not a setting is refused with the one that is meant, and those of others are left alone', () => {
  expect(() => readConfig({}, { ROLLCALL_CALLS_PER_MINUT: '60' }, tempDir())).toThrow(
    'ROLLCALL_CALLS_PER_MINUT is not a setting of rollcall; did you mean ROLLCALL_CALLS_PER_MINUTE?',
  );
  const others = { PATH: '/bin', ROLLCALL_SERVICE_HOST: '10.0.0.7', ROLLCALL_PORT_7700_TCP: 'tcp://10.0.0.7:7700' };
  expect(readConfig({}, { ROLLCALL_CONCURRENCY: '5', ...others }, tempDir()).concurrency).toBe(5);
});

/** Each setting accepts one of them, and none is a default. */
const TEXTS = ['7', '12h', '30m', 'never', 'bannedusers', 'debug', 'http://127.0.0.1:7700', 'some.example'];

test.each(CONFIG_NAMES)('%s is read as its entry in the table declares it', (name) => {
  const declared: SettingDeclaration = SETTINGS[name];
  const { env, flag, only, isNumber, isPath, orFile, preset } = declared;
  const folder = tempDir();
  const text = TEXTS.find((one) => declared.parse(one, name) !== undefined) ?? '';
  const value = declared.parse(text, name);
  const inFolder = isPath ? join(folder, text) : value;
  const expected = name === 'sources' ? [join(folder, text)] : inFolder;

  expect(readConfig({}, { [env]: text }, folder)[name]).toEqual(expected);
  if (orFile) {
    writeFileSync(join(folder, 'mounted'), text);
    expect(readConfig({}, { [`${env}_FILE`]: 'mounted' }, folder)[name]).toEqual(expected);
  }
  if (flag !== undefined) {
    const given: unknown = settingFlag(name as FlagName).parseArg?.(text, undefined);
    expect(readConfig({ [name]: given }, { [env]: 'x' }, folder)[name]).toEqual(expected);
  }
  if (preset !== undefined) expect(declared.parse(String(preset), name)).toBe(preset);

  writeFileSync(join(folder, 'rollcall.config.json'), JSON.stringify({ [name]: isNumber ? Number(text) : text }));
  const read = () => readConfig({}, {}, folder)[name];
  if (only === 'environment') expect(read).toThrow(`Unrecognized key: "${name}"`);
  else expect(read()).toEqual(expected);
});
