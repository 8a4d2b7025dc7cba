import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS, loadCommand } from '../src/cli/commands.ts';
import { PACKAGE_FOLDER } from '../src/platform/packages.ts';
import { manyMembers, members, openSandboxPlace, type SandboxPlace } from './cli/workplace.ts';
import { tempDir } from './temp-dir.ts';

const ajv = new Ajv2020({ formats: { 'date-time': true } });
const schema = (name: string) => JSON.parse(readFileSync(new URL(`schemas/${name}`, PACKAGE_FOLDER), 'utf8'));
ajv.addSchema(schema('output.schema.json'), 'output');
const NAMES = Object.keys(schema('output.schema.json').properties);

/** Returns the reason why a document is not the output of its command; null: it is. */
function wrong(command: string, document: unknown): string | null {
  const part = ajv.compile({ $ref: `output#/properties/${encodeURIComponent(command)}` });
  return part(document) ? null : ajv.errorsText(part.errors);
}

test('every command that takes --json has the schema of what it prints', async () => {
  const named = async (name: string) => {
    const command = await loadCommand(name);
    return command === undefined ? [] : withJson(command, '');
  };
  const withJson = (command: Command, before: string): string[] => {
    const name = `${before}${command.name()}`;
    const own = command.options.some(({ long }) => long === '--json') ? [name] : [];
    return [...own, ...command.commands.flatMap((sub) => withJson(sub, `${name} `))];
  };
  const found = (await Promise.all(Object.keys(COMMANDS).map(named))).flat();
  expect(found.toSorted()).toEqual(NAMES.toSorted());
});

describe('what commands print with --json is as their schemas say', () => {
  const used = new Set<string>();

  /** Runs a command with --json; gives what it printed. */
  async function printed(place: SandboxPlace, command: string, ...rest: readonly string[]) {
    const { stdout, stderr } = await place.run([...command.split(' '), ...rest, '--json']);
    used.add(command);
    const document = JSON.parse(stdout === '' ? `{"said":${JSON.stringify(stderr)}}` : stdout);
    expect([command, wrong(command, document)]).toEqual([command, null]);
    return document;
  }

  const open = () =>
    openSandboxPlace({
      seed: { users: ['anna', 'bob'], regions: { us: { members: { team: { participants: ['cleo', 'dan'] } } } } },
    });

  test('imports, and what is kept of one', async () => {
    const place = await open();
    place.file(
      'm.csv',
      members([
        ['team', 'anna'],
        ['team', 'nobody'],
        ['', 'bob'],
      ]),
    );
    const { id } = await printed(place, 'import', 'm.csv', '--tag', 'spring');
    const kept = JSON.parse(readFileSync(join(place.dataDir, 'imports', id, 'summary.json'), 'utf8'));
    const summary = ajv.compile(schema('summary.schema.json'));
    expect([summary(kept), summary.errors]).toEqual([true, null]);
    await printed(place, 'list');
    await printed(place, 'tag', id, 'summer');
    await printed(place, 'status', id);
    await printed(place, 'watch', id);
    await printed(place, 'retry', id);
    await printed(place, 'export', '--groups', 'team', '--output', 'now.csv');
    await printed(place, 'undo', id, '--apply');
  });

  test('sources that the settings name', async () => {
    const place = await open();
    const folder = tempDir();
    const people = new DatabaseSync(join(folder, 'app.db'));
    people.exec("create table people as select 'anna' as uid, 'team' as guid");
    people.close();
    const source = (name: string) => ({ url: `sqlite:${join(folder, name)}`, table: 'people' });
    const sources = { app: source('app.db'), gone: source('gone.db') };
    place.file('rollcall.config.json', JSON.stringify({ sources }));
    expect(await printed(place, 'sources')).toMatchObject([
      { name: 'app', ok: true },
      { name: 'gone', ok: false },
    ]);
  });

  test('imports that wait, and one that goes on by itself', async () => {
    const place = await open();
    place.file(
      'm.csv',
      members([
        ['team', 'anna'],
        ['team', 'nobody'],
      ]),
    );
    await printed(place, 'import', 'm.csv', '--check');
    await printed(place, 'check');
    await printed(place, 'status');
    await printed(place, 'resume');
    await printed(place, 'import', 'm.csv', '--dry-run');
    await printed(place, 'cancel');
    const slow = await openSandboxPlace();
    slow.file('many.csv', manyMembers(20, 20));
    // It takes twenty minutes.
    const { id } = await printed(slow, 'import', 'many.csv', '--detach', '--no-ban-check', '--calls-per-minute', '1');
    await printed(slow, 'pause', id);
    await printed(slow, 'cancel', id);
  });

  test('syncs and schedules', async () => {
    const place = await open();
    place.file(
      'm.csv',
      members([
        ['team', 'anna'],
        ['team', 'cleo'],
      ]),
    );
    const { id } = await printed(place, 'sync', 'm.csv');
    const plan = JSON.parse((await place.run(['sync', 'show', id, '--format', 'json'])).stdout);
    const isPlan = ajv.compile(schema('plan.schema.json'));
    expect([isPlan(plan), isPlan.errors]).toEqual([true, null]);
    await printed(place, 'sync apply', id);
    place.file('less.csv', members([['team', 'anna']]));
    const held = await printed(
      place,
      'sync',
      'less.csv',
      '--mode',
      'mirror',
      '--missing',
      'remove',
      '--limit',
      'smallGroupRemovals=0',
    );
    expect(held.state).toBe('held');
    await printed(place, 'sync approve', held.id, '--reason', 'they have left');
    await printed(place, 'sync list');
    await printed(place, 'expiring');
    expect((await printed(place, 'expire')).state).toBe('unchanged');
    place.file('guests.csv', 'guid,uid,until\nteam,cleo,2100-01-01\n');
    await printed(place, 'import', 'guests.csv');
    const ends = new DatabaseSync(join(place.dataDir, 'ends.sqlite'));
    ends.exec('update ends set until = 1');
    ends.close();
    await printed(place, 'expire');
    await printed(
      place,
      'schedule add',
      'nightly',
      '--cron',
      '30 2 * * *',
      '--tz',
      'UTC',
      '--file',
      'm.csv',
      '--create-users',
    );
    await printed(place, 'schedule edit', 'nightly', '--cron', '30 3 * * *');
    await printed(place, 'schedule run', 'nightly');
    await printed(place, 'schedule list');
    await printed(place, 'schedule history', 'nightly');
    await printed(place, 'schedule pause', 'nightly');
    await printed(place, 'schedule resume', 'nightly');
    await printed(place, 'schedule remove', 'nightly');
  });

  test('the others', async () => {
    const place = await open();
    place.file('m.csv', members([['team', 'anna']]));
    await printed(place, 'inspect', 'm.csv');
    await printed(place, 'recipes list');
    await printed(place, 'recipes show', 'slack-export');
    const { id } = await printed(place, 'token create', '--role', 'viewer', '--expires', '1d');
    await printed(place, 'token list');
    await printed(place, 'token revoke', id);
    await printed(place, 'token list');
    await printed(place, 'apps');
    await printed(place, 'users list', '--region', 'us');
    await printed(place, 'users token', 'anna', '--region', 'us');
    await printed(place, 'message', 'Welcome!', '--to-group', 'team', '--on-behalf-of', 'cleo', '--region', 'us');
    await printed(place, 'doctor');
    await printed(place, 'version');
    const sandbox = place.start(['sandbox', '--port', '0', '--json'], { stays: true });
    await sandbox.says('}}\n');
    expect(wrong('sandbox', JSON.parse(sandbox.stdout()))).toBeNull();
    used.add('sandbox');
    sandbox.interrupt();
    await sandbox.ended;
  });

  test('every one was run', () => {
    expect(NAMES.filter((name) => !used.has(name))).toEqual([]);
  });
});

test('options that are kept with an import, and a schedule as it is made, are as their schemas say', async () => {
  const place = await openSandboxPlace();
  place.file('m.csv', members([['team', 'anna']]));
  const { summary } = await place.summary(['import', 'm.csv', '--sandbox', '--max-errors', '5%', '--create-users']);
  const { options } = JSON.parse(readFileSync(join(place.dataDir, 'imports', summary.id, 'import.json'), 'utf8'));
  const kept = ajv.compile(schema('import-options.schema.json'));
  expect([kept(typeof options === 'string' ? JSON.parse(options) : options), kept.errors]).toEqual([true, null]);
  const made = ajv.compile(schema('schedule.schema.json'));
  expect(made({ name: 'nightly', cron: '30 2 * * *', tz: 'UTC', file: '/srv/m.csv', mode: 'mirror' })).toBe(true);
  expect(made({ name: 'nightly', cron: '30 2 * * *', tz: 'UTC', file: '/srv/m.csv', modus: 'mirror' })).toBe(false);
});
