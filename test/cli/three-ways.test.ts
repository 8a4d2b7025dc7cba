import { subscribe, unsubscribe } from 'node:diagnostics_channel';
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
  ({ waiting }) => ['export', '--resume', waiting],
  () => ['export', '--resume', 'export-of-nobody'],
  () => ['export', '--resume'],
  () => ['import', 'unknown.csv', '--json'],
  () => ['retry', '--json'],
  () => ['import', 'wrong.csv', '--json'],
  () => ['retry', '--edits', 'corrected.csv', '--json'],
  ({ over }) => ['retry', over, '--edits', 'nothing.csv'],
  ({ over }) => ['retry', over, '--edits', 'bad.csv'],
  () => ['sync', 'members.csv', '--mode', 'mirror', '--json'],
  ({ kept }) => ['sync', 'apply', kept, '--json'],
  ({ over }) => ['undo', over, '--json'],
  () => ['undo', 'nobody', '--json'],
  () => ['schedule', 'list', '--json'],
  () => ['schedule', 'pause', 'nightly', '--json'],
  () => ['schedule', 'edit', 'nightly', '--cron', '0 4 1 1 *', '--json'],
  () => ['schedule', 'resume', 'nightly', '--json'],
  () => ['schedule', 'history', 'nightly', '--json'],
  () => ['schedule', 'run', 'nightly', '--json'],
  () => ['schedule', 'run', 'nobody'],
  () => ['schedule', 'remove', 'nightly', '--json'],
  () => ['schedule', 'remove', 'nightly', '--json'],
  ({ file }) => ['schedule', 'add', 'weekly', '--file', file, '--cron', '@weekly', '--tz', 'UTC', '--json'],
  ({ file }) => ['schedule', 'add', 'weekly', '--file', file, '--cron', '@weekly', '--tz', 'UTC'],
  () => ['expire', '--json'],
  () => ['expiring', '--json'],
  () => ['sync', 'members.csv', '--sync-name', 'team', '--apply', '--json'],
  () => ['sync', 'members', 'team'],
  () => ['sync', 'bring-back', 'team', 'u1'],
  () => ['sync', 'bring-back', 'nobody'],
];

/** Operations that no command of the table asks for, by the reason. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'for pages and programs: no command asks for it': [
    'DELETE /v1/imports/{id}',
    'GET /v1/imports/{id}/calls',
    'GET /v1/imports/{id}/created',
    'GET /v1/imports/{id}/rows',
    'GET /v1/imports/{id}/rows/{row}',
    'GET /v1/imports/{id}/sending',
    'GET /v1/imports/{id}/transitions',
    'GET /v1/members',
    'GET /v1/members/{uid}/history',
    'POST /v1/members/{uid}/ask',
    'GET /v1/overview',
    'GET /v1/audit',
    'GET /v1/schedules/next',
    'POST /v1/schedules/look',
    'POST /v1/schedules/try',
    'GET /v1/syncs/{id}/actions',
    'GET /v1/syncs/{id}/before',
    'GET /v1/syncs/{id}/groups',
    'GET /v1/imports/{id}/check/groups',
    'GET /v1/imports/{id}/check/rows',
    'GET /v1/imports/{id}/corrections',
    'GET /v1/imports/{id}/corrections/rows',
    'PATCH /v1/imports/{id}/corrections/rows',
    'POST /v1/imports/{id}/corrections/replace',
    'DELETE /v1/session',
    'POST /v1/session',
    'GET /healthz',
    'GET /metrics',
    'GET /readyz',
  ],
  'its command is about this machine alone: tokens, recipes, templates, notifications, files to inspect': [
    'DELETE /v1/tokens/{id}',
    'GET /v1/tokens',
    'POST /v1/tokens',
    'DELETE /v1/recipes/{name}',
    'GET /v1/recipes',
    'GET /v1/recipes/{name}',
    'PUT /v1/recipes/{name}',
    'GET /v1/template',
    'DELETE /v1/notifications',
    'GET /v1/notifications',
    'POST /v1/notifications/test',
    'PUT /v1/notifications',
    'POST /v1/look',
  ],
  'asked for while something is under way, or for more than a document holds': [
    'GET /v1/regions',
    'GET /v1/syncs/{id}/findings',
    'GET /v1/imports/{id}/problems',
  ],
};

interface Made {
  readonly staged: string;
  readonly over: string;
  readonly plan: string;
  /** Read, and not sent. */
  readonly held: string;
  /** A plan that no guard holds. */
  readonly kept: string;
  /** An export that waits for more calls to be allowed. */
  readonly waiting: string;
  /** Whole path of a file that schedules may read. */
  readonly file: string;
}

interface Place {
  readonly at: SandboxPlace;
  readonly made: Made;
}

async function openPlace(): Promise<Place> {
  const at = await openSandboxPlace({
    seed: { users: ['new'], regions: { us: { members: { team: { participants: PEOPLE } } } } },
  });
  at.env['ROLLCALL_SOURCES'] = at.root;
  const file = at.file('members.csv', ROWS);
  const over = (await at.summary(['import', file])).summary.id;
  const staged = (await at.summary(['import', file, '--dry-run'])).summary.id;
  const planned = await at.run(['sync', file, '--mode', 'mirror', '--json']);
  const plan = /sync-\d{8}-\d{6}-\w{3}/.exec(planned.stdout + planned.stderr)?.[0] ?? '';
  expect(plan, planned.stdout + planned.stderr).not.toBe('');
  at.file('unknown.csv', members([['team', 'nobody']]));
  at.file('wrong.csv', members([['team', 'n ew']]));
  at.file('corrected.csv', 'guid,uid,scope,_row\nteam,new,participant,2\n');
  at.file('bad.csv', 'no,column,known\n1,2,3\n');
  const held = (await at.summary(['import', file, '--dry-run'])).summary.id;
  const kept = JSON.parse((await at.run(['sync', file, '--json'])).stdout).id;
  const stopped = await at.run(['export', '--groups', 'team', '--max-calls', '1']);
  const [, waiting = ''] = /--resume (export-\S+)/.exec(stopped.stderr) ?? [];
  expect(waiting, stopped.stderr).not.toBe('');
  await at.run(['schedule', 'add', 'nightly', '--file', file, '--cron', '0 3 1 1 *', '--tz', 'UTC']);
  return { at, made: { staged, over, plan, held, kept, waiting, file: join(at.root, file) } };
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
      .replaceAll(/"(seconds|startedAt|finishedAt|durationMs|restricted|sandbox|createdBy|who)":[^,}]*/g, '"$1":0')
  );
}

test('commands answer alike about a directory, one that a server owns, and a server', async () => {
  const here = await answers(await openPlace(), []);
  const beside = await besideServer((place) => answers(place, []));
  const asked: string[] = [];
  const over = await besideServer(async (place, url) => {
    const heard = (message: unknown) => {
      const { method, path } = (message as { readonly request: { readonly method: string; readonly path: string } })
        .request;
      asked.push(`${method} ${path}`);
    };
    subscribe('undici:request:create', heard);
    const found = await answers(place, ['--server', url]);
    unsubscribe('undici:request:create', heard);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: Record<string, object> };
    return { ...found, operations: operationsIn(paths) };
  });
  for (const found of [beside, over]) {
    for (const [at, answer] of found.found.entries()) expect.soft(answer).toEqual(here.found[at]);
    expect.soft(found.audited).toEqual(here.audited);
  }
  const left = over.operations.filter(({ pattern }) => !asked.some((request) => pattern.test(request)));
  expect(left.map(({ name }) => name).toSorted()).toEqual(Object.values(LEFT_OUT).flat().toSorted());
});

/** The operations of an OpenAPI document, with a pattern of their requests. */
function operationsIn(paths: Readonly<Record<string, object>>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const name = `${method.toUpperCase()} ${path}`;
      return { name, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`) };
    }),
  );
}

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
