import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { listen } from '../chat/chat-server.ts';
import { filesBelow, openSandboxPlace } from './workplace.ts';

/** Identity, group and protect files at addresses and in named sources. */

const SECRET = 's3cret-of-the-export';
const FILES: Readonly<Record<string, string>> = {
  '/people.csv': 'email,uid\nanna@x.it,anna\nben@x.it,ben\n',
  '/groups.csv': 'code,guid\nHR,hr-all\nHR,hr-eu\n',
  '/protect.txt': 'boss\n',
};

async function openPlace() {
  const place = await openSandboxPlace({
    users: 'any',
    groups: 'any',
    seed: { regions: { us: { members: { 'hr-all': { participants: ['anna', 'boss', 'old'] } } } } },
  });
  const files: Record<string, string> = { ...FILES };
  const asked: string[] = [];
  const server = createServer(({ url = '' }: IncomingMessage, reply: ServerResponse) => {
    asked.push(url);
    const content = files[url.replace(/\?.*/, '')];
    reply.statusCode = content === undefined ? 404 : 200;
    reply.end(content);
  });
  const url = `http://${await listen(server)}`;
  place.file('rollcall.config.json', JSON.stringify({ sources: { hr: { url } } }));
  place.file('m.csv', 'mail,group\nanna@x.it,HR\nben@x.it,hr\n');
  const told = () => filesBelow(place.root).filter(({ content }) => content.includes(SECRET));
  return { ...place, files, asked, url, told };
}

type Place = Awaited<ReturnType<typeof openPlace>>;
const flagsOf = ({ url }: Place) => [
  '--map',
  'uid=mail',
  '--identities',
  'hr:people.csv',
  '--groups',
  `${url}/groups.csv?signature=${SECRET}`,
];
const MIRROR = ['--mode', 'mirror', '--missing', 'remove', '--apply'];
const within = (place: Place, guid: string) => [...place.sandbox.members('us', guid).keys()].sort();

test('an import fetches both files, keeps them, and goes on with them when their server has gone', async () => {
  const place = await openPlace();
  const { code, stdout, stderr } = await place.run(['import', 'm.csv', ...flagsOf(place), '--dry-run', '--json']);
  expect([code, stderr]).toEqual([EXIT.ok, expect.any(String)]);
  place.files['/groups.csv'] = 'code,guid\nHR,other\n';
  const { id, rows } = JSON.parse(stdout) as { id: string; rows: object };
  expect(rows).toMatchObject({ read: 4, invalid: 0 });
  expect((await place.run(['resume', id])).code).toBe(EXIT.ok);
  expect([within(place, 'hr-eu'), within(place, 'other')]).toEqual([['anna', 'ben'], []]);
  expect(place.asked).toEqual(['/people.csv', `/groups.csv?signature=${SECRET}`]);
  expect(stdout + stderr).not.toContain(SECRET);
  expect(place.told()).toEqual([]);
});

test('a file that is not there is an error: nothing is sent or kept', async () => {
  const place = await openPlace();
  delete place.files['/groups.csv'];
  const { code, stderr } = await place.run(['import', 'm.csv', ...flagsOf(place)]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('/groups.csv')]);
  expect([place.calls(), stderr.includes(SECRET)]).toEqual([0, false]);
  expect(filesBelow(place.root).filter(({ path }) => path.includes('/imports/'))).toEqual([]);
  expect((await place.run(['sync', 'm.csv', '--protect', 'hr:no.txt'])).stderr).toContain('/no.txt');
});

test('a sync fetches them, and the file of those whom it must not remove', async () => {
  const place = await openPlace();
  const { code, stderr } = await place.run([
    'sync',
    'm.csv',
    ...flagsOf(place),
    ...MIRROR,
    '--protect',
    'hr:protect.txt',
  ]);
  expect([code, stderr]).toEqual([EXIT.ok, expect.anything()]);
  expect([within(place, 'hr-all'), within(place, 'hr-eu')]).toEqual([
    ['anna', 'ben', 'boss'],
    ['anna', 'ben'],
  ]);
  expect(place.told()).toEqual([]);
});

test('each run of a schedule fetches them anew: another group file is another run, the same is none', async () => {
  const place = await openPlace();
  const add = ['schedule', 'add', 'nightly', '--cron', '@daily', '--file', 'm.csv', ...MIRROR];
  const added = await place.run([
    ...add,
    ...flagsOf(place),
    '--protect',
    'hr:protect.txt',
    '--limit',
    'groupRemovalsPercent=100',
  ]);
  expect([added.code, added.stderr]).toEqual([EXIT.ok, expect.anything()]);
  const run = () => place.run(['schedule', 'run', 'nightly']);
  const first = await run();
  expect([first.code, first.stderr]).toEqual([EXIT.ok, expect.anything()]);
  expect([within(place, 'hr-all'), within(place, 'hr-eu')]).toEqual([
    ['anna', 'ben', 'boss'],
    ['anna', 'ben'],
  ]);
  const second = await run();
  expect(second.stdout + second.stderr).toContain('not changed');
  place.files['/groups.csv'] = 'code,guid\nHR,hr-all\nHR,hr-eu\nHR,hr-new\n';
  expect((await run()).code).toBe(EXIT.ok);
  expect(within(place, 'hr-new')).toEqual(['anna', 'ben']);

  delete place.files['/people.csv'];
  const broken = await run();
  expect(broken.code).not.toBe(EXIT.ok);
  expect(within(place, 'hr-new')).toEqual(['anna', 'ben']);
  const shown = await place.run(['schedule', 'list', '--json']);
  expect(shown.stdout + added.stdout + added.stderr).not.toContain(SECRET);
});
