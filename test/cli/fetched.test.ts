import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { listen } from '../chat/chat-server.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { filesBelow, manyMembers, members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/** Files at https addresses, for commands in this process. */

const authority = createAuthority();
const PEOPLE = members([
  ['team', 'ann'],
  ['team', 'bob'],
]);
const TOKEN = ['--header', 'Authorization=env:EXPORT_TOKEN'];
const SECRET = 's3cret-of-the-export';

interface FilePlace extends SandboxPlace {
  /** With a signature in its query. */
  readonly url: string;
  readonly asked: IncomingMessage[];
}

/** A sandbox, and a real https server for one file. */
async function openPlace(answer: (reply: ServerResponse) => void): Promise<FilePlace> {
  const place = await openSandboxPlace();
  const { ca, issue } = await authority;
  const asked: IncomingMessage[] = [];
  const server = createServer(await issue(['localhost']), (request, reply) => {
    asked.push(request);
    answer(reply);
  });
  const url = `https://${await listen(server)}/members.csv?signature=${SECRET}`;
  place.env['ROLLCALL_CA_FILE'] = join(place.root, place.file('authorities.pem', `${place.sandbox.caPem}\n${ca}`));
  place.env['EXPORT_TOKEN'] = SECRET;
  return { ...place, url, asked };
}

const inTeam = ({ sandbox }: SandboxPlace) => [...sandbox.members('us', 'team').keys()];
const leftIn = (place: SandboxPlace, folder: string) => {
  try {
    return readdirSync(join(place.dataDir, folder));
  } catch {
    return [];
  }
};
const telling = (place: SandboxPlace) =>
  filesBelow(place.root)
    .filter(({ content }) => content.includes(SECRET))
    .map(({ path }) => path);

test('an import fetches its file once, keeps it, and a retry reads the same rows; no secret is written', async () => {
  const place = await openPlace((reply) => reply.end(PEOPLE));
  const { code, stdout, stderr } = await place.run(['import', place.url, ...TOKEN, '--dry-run', '--json']);
  expect([code, stderr]).toEqual([EXIT.ok, expect.any(String)]);
  const { id } = JSON.parse(stdout) as { id: string };
  const resumed = await place.run(['resume', id]);
  expect([resumed.code, inTeam(place)]).toEqual([EXIT.ok, ['ann', 'bob']]);
  expect(place.asked.map(({ headers }) => headers.authorization)).toEqual([SECRET]);
  const status = await place.run(['status', id]);
  expect(status.stdout).toContain('/members.csv');
  expect(stdout + stderr + status.stdout + resumed.stderr).not.toContain(SECRET);
  expect(telling(place)).toEqual([]);
});

test('what unpacks to far more than was fetched is refused, and nothing is sent', async () => {
  const bomb = gzipSync(`guid,uid\n${'team,anna\n'.repeat(4_000_000)}`);
  const place = await openPlace((reply) => reply.end(bomb));
  const { code, stderr } = await place.run(['import', place.url]);
  expect([code === EXIT.ok, stderr]).toEqual([false, expect.stringMatching(/unpacks to/)]);
  expect(place.calls()).toBe(0);
});

test('a sync fetches its file, and the next one is compared with it', async () => {
  let content = manyMembers(100);
  const place = await openPlace((reply) => reply.end(content));
  const first = await place.run(['sync', place.url, ...TOKEN, '--apply']);
  expect([first.code, place.sandbox.members('us', 'g0').size]).toEqual([EXIT.ok, 100]);
  // A column fewer than in the last run.
  content = 'guid,uid\ng0,new\n';
  const second = await place.run(['sync', place.url, ...TOKEN, '--apply', '--json']);
  expect(JSON.parse(second.stdout)).toMatchObject({ state: 'held' });
  expect(place.asked).toHaveLength(2);
  expect(telling(place)).toEqual([]);
});

test('inspect looks at the file, and keeps nothing', async () => {
  const place = await openPlace((reply) => reply.end(PEOPLE));
  const { code, stdout, stderr } = await place.run(['inspect', place.url, ...TOKEN]);
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('/members.csv')]);
  // The query of the address may be a secret.
  expect(stderr).toContain(`--header ${TOKEN[1]} --dry-run`);
  expect(stdout + stderr).not.toContain(SECRET);
  expect(filesBelow(place.dataDir)).toEqual([]);
});

test.each([
  [
    'a file that is shorter than the server said',
    (reply: ServerResponse) => {
      reply.writeHead(200, { 'content-length': PEOPLE.length + 100 });
      reply.write(PEOPLE, () => reply.destroy());
    },
    'cannot be read: other side closed; check its address, and that its server is up; then try again',
  ],
  [
    'a file that breaks off at the end of a line',
    (reply: ServerResponse) => void reply.write(PEOPLE, () => reply.destroy()),
    'cannot be read',
  ],
  ['a page in place of it', (reply: ServerResponse) => void reply.writeHead(404).end('gone'), 'answered 404'],
  [
    'a redirect to http',
    (reply: ServerResponse) => void reply.writeHead(302, { location: 'http://files.example/m.csv' }).end(),
    'redirects lead to https only',
  ],
])('%s is an error: nothing is sent, and nothing stays', async (_what, answer, says) => {
  const place = await openPlace(answer);
  for (const command of [
    ['import', place.url],
    ['sync', place.url, '--apply'],
    ['inspect', place.url],
  ]) {
    const { code, stdout, stderr } = await place.run(command);
    expect([command[0], code, stdout, stderr]).toEqual([command[0], EXIT.usage, '', expect.stringContaining(says)]);
    expect(stderr).not.toContain(SECRET);
  }
  expect([place.calls(), leftIn(place, 'imports'), leftIn(place, 'syncs')]).toEqual([0, [], []]);
});

test('a file that is too large is refused before it is fetched', async () => {
  const place = await openPlace((reply) => reply.writeHead(200, { 'content-length': 5_000 }).end());
  const { code, stderr } = await place.run(['import', place.url, '--max-source', '1kb']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('--max-source')]);
  expect(leftIn(place, 'imports')).toEqual([]);
});

test.each(['import', 'sync', 'inspect'])('Ctrl-C while %s fetches the file leaves nothing', async (command) => {
  const begun = Promise.withResolvers<void>();
  const place = await openPlace((reply) => void reply.write('guid,', () => begun.resolve()));
  const running = place.begin([command, place.url]);
  await begun.promise;
  running.interrupt();
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([EXIT.interrupted, expect.stringContaining('nothing was sent')]);
  expect([place.calls(), leftIn(place, 'imports'), leftIn(place, 'syncs')]).toEqual([0, [], []]);
});

test('an address with a password, a header with a secret and a header for a path are refused before anyone is asked', async () => {
  const place = await openPlace((reply) => reply.end(PEOPLE));
  const path = place.file('members.csv', PEOPLE);
  for (const [args, says] of [
    [[place.url.replace('://', `://ann:${SECRET}@`)], 'holds a user name or password'],
    [['http://files.example/members.csv'], 'allowed are https'],
    [[place.url, '--header', `Authorization=${SECRET}`], 'names no environment variable'],
    [[place.url, '--header', 'Authorization=env:NOT_THERE'], 'NOT_THERE'],
    [[path, ...TOKEN], '--header is for addresses, and the file is not one'],
  ] as const) {
    for (const command of ['import', 'sync', 'inspect']) {
      const { code, stdout, stderr } = await place.run([command, ...args]);
      expect([command, args, code, stdout, stderr]).toEqual([
        command,
        args,
        EXIT.usage,
        '',
        expect.stringContaining(says),
      ]);
      expect(stderr).not.toContain(SECRET);
    }
  }
  expect(place.asked).toEqual([]);
});
