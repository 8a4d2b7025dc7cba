import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccessStore } from '../../src/server/access/access-store.ts';
import { jsonOrUndefined } from '../../src/text/json-or-undefined.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/**
 * A command about a data directory that no process owns, about one that a server owns, and about that server over HTTP: the same
 * answer, the same refusal, the same line in the audit log.
 */

const PEOPLE = Array.from({ length: 10 }, (_, at) => `u${at + 1}`);
const ROWS = members([['team', 'new']]);

/** Each in its order, on what the ones before it left. @param made ids by the name of what was made */
const COMMANDS: readonly ((made: Made) => readonly string[])[] = [
  () => ['list', '--json'],
  ({ staged }) => ['status', staged, '--json'],
  ({ staged }) => ['tag', staged, '+term', '--json'],
  () => ['status', 'nobody', '--json'],
  ({ staged }) => ['pause', staged, '--json'],
  ({ staged }) => ['cancel', staged, '--json'],
  ({ staged }) => ['cancel', staged, '--json'],
  ({ over }) => ['cancel', over, '--json'],
  ({ over }) => ['report', over, '--format', 'csv'],
  ({ plan }) => ['sync', 'show', plan, '--format', 'json'],
  () => ['sync', 'list', '--json'],
  ({ plan }) => ['sync', 'approve', plan, '--reason', 'too early'],
  ({ plan }) => ['sync', 'reject', plan, '--reason', 'the wrong file'],
  ({ plan }) => ['sync', 'reject', plan, '--reason', 'the wrong file'],
  ({ plan }) => ['sync', 'apply', plan],
  () => ['sync', 'reject', 'sync-of-nobody', '--reason', 'none'],
  () => ['import', 'members.csv', '--json'],
  () => ['import', 'bad.csv', '--json'],
  () => ['import', 'nothing.csv', '--json'],
  ({ held }) => ['check', held, '--json'],
  ({ held }) => ['resume', held, '--json'],
  ({ held }) => ['resume', held],
  ({ over }) => ['check', over, '--json'],
  ({ over }) => ['retry', over, '--json'],
  ({ over }) => ['watch', over, '--json'],
  () => ['export', '--groups', 'team'],
  () => ['export', '--resume', 'export-of-nobody'],
  () => ['sync', 'members.csv', '--mode', 'mirror', '--json'],
  ({ kept }) => ['sync', 'apply', kept, '--json'],
  ({ over }) => ['undo', over, '--json'],
  () => ['undo', 'nobody', '--json'],
  () => ['schedule', 'list', '--json'],
  () => ['schedule', 'pause', 'nightly', '--json'],
  () => ['schedule', 'edit', 'nightly', '--cron', '0 4 1 1 *', '--json'],
  () => ['schedule', 'resume', 'nightly', '--json'],
  () => ['schedule', 'history', 'nightly', '--json'],
  () => ['schedule', 'remove', 'nightly', '--json'],
  () => ['schedule', 'remove', 'nightly', '--json'],
];

interface Made {
  readonly staged: string;
  readonly over: string;
  readonly plan: string;
  /** Read, and not sent. */
  readonly held: string;
  /** A plan that no guard holds. */
  readonly kept: string;
}

interface Place {
  readonly at: SandboxPlace;
  readonly made: Made;
}

async function openPlace(): Promise<Place> {
  const at = await openSandboxPlace({
    seed: { users: ['new'], regions: { us: { members: { team: { participants: PEOPLE } } } } },
  });
  const file = at.file('members.csv', ROWS);
  const over = (await at.summary(['import', file])).summary.id;
  const staged = (await at.summary(['import', file, '--dry-run'])).summary.id;
  const planned = await at.run(['sync', file, '--mode', 'mirror', '--json']);
  const plan = /sync-\d{8}-\d{6}-\w{3}/.exec(planned.stdout + planned.stderr)?.[0] ?? '';
  expect(plan, planned.stdout + planned.stderr).not.toBe('');
  at.file('bad.csv', 'no,column,known\n1,2,3\n');
  const held = (await at.summary(['import', file, '--dry-run'])).summary.id;
  const kept = JSON.parse((await at.run(['sync', file, '--json'])).stdout).id;
  await at.run(['schedule', 'add', 'nightly', '--file', file, '--cron', '0 3 1 1 *', '--tz', 'UTC']);
  return { at, made: { staged, over, plan, held, kept } };
}

/** Returns the answers of commands, and their lines in the audit log, without ids, times and what names a place. */
async function answers({ at, made }: Place, flags: readonly string[]) {
  const found: unknown[] = [];
  for (const command of COMMANDS) {
    const args = command(made);
    const { code, stdout } = await at.run([...args, ...flags]);
    found.push([essence(args.join(' '), at, made), code, document(essence(stdout, at, made))]);
  }
  const access = openAccessStore(join(at.dataDir, 'access.sqlite'));
  const lines = access.audit({ limit: 100 }).toReversed();
  access.close();
  const audited = lines.map(({ action, target }) => [action, essence(target, at, made)]);
  return { found, audited };
}

/** Without the order of fields. */
function document(text: string): unknown {
  return jsonOrUndefined(text) ?? text;
}

function essence(text: string, { root }: SandboxPlace, made: Made): string {
  const named = Object.entries(made).reduce((rest, [name, id]) => rest.replaceAll(id, name), text);
  return (
    named
      .replaceAll(/(sync-|undo-)?\d{8}-\d{6}-\w{3}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(root, '')
      .replaceAll(/localhost:\d+/g, 'HOST')
      // A server names addresses of its own where a directory names files.
      .replaceAll(/"(?:http|\/)[^"]*"/g, '"PLACE"')
      .replaceAll(/"(seconds|startedAt|finishedAt|durationMs|sandbox|createdBy|who)":[^,}]*/g, '"$1":0')
  );
}

test('commands answer alike about a directory, one that a server owns, and a server', async () => {
  const here = await answers(await openPlace(), []);
  const beside = await besideServer((place) => answers(place, []));
  const over = await besideServer((place, url) => answers(place, ['--server', url]));
  for (const found of [beside, over]) {
    for (const [at, answer] of found.found.entries()) expect.soft(answer).toEqual(here.found[at]);
    expect.soft(found.audited).toEqual(here.audited);
  }
});

/** One server after another: in this process there is room for the settings of one place. */
async function besideServer<Found>(ask: (place: Place, url: string) => Promise<Found>): Promise<Found> {
  const place = await openPlace();
  const server = place.at.begin(['serve', '--port', '0']);
  await server.says('Listening on http');
  const found = await ask(place, /http:\S+/.exec(server.stderr())?.[0] ?? '');
  server.interrupt('SIGTERM');
  await server.ended;
  return found;
}
