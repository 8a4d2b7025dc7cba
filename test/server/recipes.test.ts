import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Recipe } from '../../src/features/recipes/recipe.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const body = (content: string, type = 'application/octet-stream'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: content,
});
const put = (content: unknown, method = 'PUT'): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(content),
});
const ENROLLMENTS = 'course_id,user_id,role,section_id,status\nbio,ana,student,,active\nbio,bo,teacher,,deleted\n';
const names = async () => (await server.json<{ recipes: Recipe[] }>('/v1/recipes')).recipes.map(({ name }) => name);

test('a file is inspected: what it is, which recipe fits, and a command', async () => {
  const { facts } = await server.look(ENROLLMENTS, 'name=enrollments.csv');
  expect(facts).toMatchObject({
    format: 'csv',
    recipes: [{ name: 'canvas-sis' }],
    command: 'rollcall import enrollments.csv --recipe canvas-sis',
  });
});

test('what is not understood is answered with what was seen, not with a refusal', async () => {
  const { facts } = await server.look('<!DOCTYPE html>\n<html></html>\n');
  expect(facts).toMatchObject({
    format: null,
    refusal: { code: 'OTHER_FORMAT' },
    firstLines: ['<!DOCTYPE html>', '<html></html>'],
  });
});

test('the beginning of a long file is inspected without calling its end broken', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `{"guid":"g${at % 7}","uid":"user-${at}"}`);
  const { facts } = await server.look(`[${rows.join(',')}`.slice(0, 500_000));
  expect(facts).toMatchObject({ format: 'json', refusal: null, rows: { seen: 200, valid: 200 } });
});

test('a preview and an import read the file with a recipe', async () => {
  const { preview } = await server.look(ENROLLMENTS, 'recipe=canvas-sis');
  expect(preview?.rows.map(({ guid, uid, scope }) => `${guid} ${uid} ${scope}`)[0]).toBe('bio ana participant');
  const { rows } = await server.run(ENROLLMENTS, 'recipe=canvas-sis');
  expect(rows).toMatchObject({ added: 1, skipped: 1 });
  expect([...server.sandbox.members('us', 'bio')]).toEqual([['ana', 'participant']]);
});

test.each<[what: string, query: string, problem: object]>([
  ['does not exist', 'recipe=nobody', { code: 'UNKNOWN_RECIPE', status: 404 }],
  ['does not fit', 'recipe=gam-group-members&map=uid={email|slug}', { code: 'BAD_OPTION', field: 'recipe' }],
  ['needs a group', 'recipe=google-groups', { code: 'RECIPE_NEEDS', field: 'guid' }],
])('a recipe that %s refuses the upload, and nothing is kept', async (_, query, problem) => {
  expect(await server.problem(`/v1/imports?${query}`, body(ENROLLMENTS, 'text/csv'))).toMatchObject(problem);
  expect(server.leftovers()).toEqual([]);
});

test('a recipe that is saved is suggested for files with its header, and used by its name or as JSON', async () => {
  const recipe = {
    title: 'Badges',
    fits: { header: ['Badge', 'Team'] },
    settings: { map: { uid: 'Badge', guid: 'Team' } },
  };
  expect(await server.json<Recipe>('/v1/recipes/badges', put(recipe))).toMatchObject({ ...recipe, saved: true });
  const { facts } = await server.look('Badge,Team\nbo,g2\n');
  expect(facts?.recipes.map(({ name }) => name)).toEqual(['badges']);
  expect((await server.run('Badge,Team\nbo,g2\n', 'recipe=badges')).rows).toMatchObject({ added: 1 });
  const text = encodeURIComponent(JSON.stringify(recipe));
  expect((await server.run('Badge,Team\ncy,g2\n', `recipe=${text}`)).rows).toMatchObject({ added: 1 });
  const wrong = encodeURIComponent(JSON.stringify({ ...recipe, settings: { map: { uid: 3 } } }));
  expect(await server.problem(`/v1/imports?recipe=${wrong}`, body('Badge,Team\ncy,g2\n'))).toMatchObject({
    code: 'BAD_RECIPE',
    field: 'recipe',
    detail: expect.stringContaining('settings.map.uid'),
  });
});

test('recipes are saved, listed, changed and deleted; those that come with rollcall stay', async () => {
  const recipe = { title: 'Mine', expects: 'anything', fits: {}, settings: { map: { uid: 'x' } } };
  await server.json('/v1/recipes/mine', put(recipe));
  expect(await names()).toEqual(expect.arrayContaining(['mine', 'slack-export']));
  await server.json('/v1/recipes/mine', put({ ...recipe, title: 'Ours' }));
  expect(await server.json('/v1/recipes/mine')).toMatchObject({ name: 'mine', title: 'Ours', saved: true });
  expect((await server.fetch('/v1/recipes/mine', { method: 'DELETE' })).status).toBe(204);
  expect(await names()).not.toContain('mine');
  expect(await server.problem('/v1/recipes/mine')).toMatchObject({ code: 'UNKNOWN_RECIPE' });
  expect(await server.problem('/v1/recipes/canvas-sis', put(recipe))).toMatchObject({
    code: 'BAD_RECIPE',
    field: 'name',
  });
  expect(await server.problem('/v1/recipes/canvas-sis', { method: 'DELETE' })).toMatchObject({ code: 'BAD_RECIPE' });
  expect(await server.problem('/v1/recipes/mine', put({ ...recipe, settings: { colour: 1 } }))).toMatchObject({
    code: 'BAD_OPTION',
  });
});

test('an example file can be downloaded', async () => {
  const answer = await server.fetch('/v1/template?format=xlsx');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="members.xlsx"');
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
});

test('a file that is not a recipe, and a link, harm no other request, and nothing of their content leaves', async () => {
  mkdirSync(server.dir.recipes, { recursive: true });
  writeFileSync(join(server.dir.recipes, 'broken.json'), 'secret: not JSON');
  symlinkSync('/etc/passwd', join(server.dir.recipes, 'leak.json'));
  const listed = await server.json<{ recipes: Recipe[]; unreadable: string[] }>('/v1/recipes');
  expect(listed.recipes.length).toBeGreaterThan(1);
  expect(listed.unreadable).toEqual(['broken']);
  expect((await server.look(ENROLLMENTS)).facts).toMatchObject({ recipes: [{ name: 'canvas-sis' }] });
  const problem = await server.problem('/v1/recipes/broken');
  expect(JSON.stringify(problem)).not.toMatch(/secret|rollcall-test-/);
  expect(await server.problem('/v1/recipes/leak')).toMatchObject({ code: 'UNKNOWN_RECIPE' });
  expect((await server.fetch('/v1/recipes/broken', { method: 'DELETE' })).status).toBe(204);
  rmSync(join(server.dir.recipes, 'leak.json'));
});

test('the same file is recognised', async () => {
  const text = 'guid,uid\nchoir,ana\n';
  const lookAt = (query = '') => server.look(text, `name=next.csv${query}`);
  expect((await lookAt()).before).toBeNull();
  const { id } = await server.run(text, 'name=may.csv');
  expect((await lookAt()).before).toMatchObject({ isWhole: true, import: { id, rows: { added: 1 } } });
  expect((await lookAt('&size=5000')).before).toBeNull();
});
