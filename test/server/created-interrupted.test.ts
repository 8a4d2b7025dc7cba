import { expect, test } from 'vitest';
import type { CreatedView } from '../../src/features/undo/api.ts';
import { type Followed, openSandboxPlace, until } from '../cli/workplace.ts';
import { eventually } from '../eventually.ts';

const USERS = Array.from({ length: 24 }, (_, n) => `new${n}`);
const GROUPS = Array.from({ length: 8 }, (_, n) => `team${n}`);

test('a server that is killed while it deletes what an import created deletes the rest when it starts again', async () => {
  const place = await openSandboxPlace({ users: 0, seed: { users: ['ann'], groups: ['old'] }, latencyMs: 20 });
  const { sandbox } = place;
  const serve = ['serve', '--port', '0'];
  const urlOf = async (server: Followed) => {
    await server.says('Listening on http://');
    return /Listening on (\S+)/.exec(server.stderr())?.[1] ?? '';
  };
  const first = place.start(serve, { stays: true });
  const url = await urlOf(first);
  const rows = [...GROUPS.map((guid) => `${guid},ann`), ...USERS.map((uid, at) => `team${at % GROUPS.length},${uid}`)];
  place.file('m.csv', `guid,uid\n${rows.join('\n')}\nold,ann\n`);
  const names = ['--create-users', '--create-groups', '--user-name-from', 'uid', '--group-name-from', 'guid'];
  const { summary } = await place.summary(['import', 'm.csv', ...names, '--server', url]);
  const { id } = summary;
  expect(summary.created).toMatchObject({ users: USERS.length, groups: GROUPS.length });
  expect((await place.run(['undo', id, '--apply', '--server', url])).code).toBe(0);

  const left = () =>
    GROUPS.filter((guid) => sandbox.group('us', guid)).length + USERS.filter((uid) => sandbox.user('us', uid)).length;
  // So that a look between two answers finds some of them done, and some not.
  sandbox.faults.set('slow=500ms');
  expect((await fetch(`${url}/v1/imports/${id}/created`, { method: 'DELETE' })).status).toBe(202);
  await until(() => left() < USERS.length);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(left()).toBeGreaterThan(0);
  sandbox.faults.clear();

  const again = await urlOf(place.begin(serve));
  const created = async () => (await (await fetch(`${again}/v1/imports/${id}/created`)).json()) as CreatedView;
  await eventually(created).toMatchObject({ deletable: 0, progress: null, reason: '' });
  expect(left()).toBe(0);
  expect([sandbox.user('us', 'ann'), sandbox.group('us', 'old')]).not.toContain(undefined);
});
