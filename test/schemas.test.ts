import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { builtInRecipes } from '../src/features/recipes/recipe-store.ts';
import { readConfig } from '../src/platform/config.ts';
import { PACKAGE_FOLDER } from '../src/platform/packages.ts';
import { schemaFiles } from '../tools/schemas.ts';
import { tempDir } from './temp-dir.ts';

const read = (path: string) => readFileSync(new URL(path, PACKAGE_FOLDER), 'utf8');

test.each([...schemaFiles()])('%s is as the declarations say; `npm run build` writes it', (path, text) => {
  expect(read(path)).toBe(text);
});

const allows = (name: string, content: unknown) => new Ajv2020().validate(JSON.parse(read(`schemas/${name}`)), content);

describe('the schema of rollcall.config.json', () => {
  const SETTINGS = {
    $schema: './node_modules/rollcall/schemas/rollcall.config.schema.json',
    host: 'cometchat.io',
    callsPerMinute: 500,
    askBeforeRepeat: 'never',
    apps: { eu: { appId: 'app', apiKeyFile: 'key' } },
  };

  test('takes the settings that rollcall takes, itself among them', () => {
    expect(allows('rollcall.config.schema.json', SETTINGS)).toBe(true);
    const folder = tempDir();
    writeFileSync(join(folder, 'key'), 'k');
    writeFileSync(join(folder, 'rollcall.config.json'), JSON.stringify(SETTINGS));
    expect(readConfig({}, {}, folder)).toMatchObject({ callsPerMinute: 500, apps: { eu: { apiKey: 'k' } } });
  });

  test.each([{ hosts: 'x' }, { callsPerMinute: '500' }, { askBeforeRepeat: 'perhaps' }, { apps: { mars: {} } }])(
    'refuses %j',
    (content) => {
      expect(allows('rollcall.config.schema.json', content)).toBe(false);
    },
  );
});

test('the schema of a recipe takes every recipe that comes with rollcall, and no other setting', () => {
  for (const { name, saved: _, ...recipe } of builtInRecipes()) {
    expect([name, allows('recipe.schema.json', recipe)]).toEqual([name, true]);
  }
  expect(allows('recipe.schema.json', { title: 'Mine', settings: { colour: 'red' } })).toBe(false);
});
