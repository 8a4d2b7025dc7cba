import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { listen } from '../chat/chat-server.ts';
import { filesBelow, members, openSandboxPlace } from './workplace.ts';

/** Sources that the settings name, and standard input that says that it is whole. */

const PEOPLE = members([
  ['team', 'ann'],
  ['team', 'bob'],
]);
const SECRET = 's3cret-of-the-export';

async function openPlace(sources: (url: string) => unknown) {
  const place = await openSandboxPlace();
  const asked: IncomingMessage[] = [];
  const server = createServer((request: IncomingMessage, reply: ServerResponse) => {
    asked.push(request);
    reply.end(PEOPLE);
  });
  const url = `http://${await listen(server)}`;
  place.file('rollcall.config.json', JSON.stringify({ sources: sources(url) }));
  return { ...place, asked };
}

test('import, sync and inspect take what is in a named source, with its settings and secrets', async () => {
  const place = await openPlace((url) => ({
    hr: { url: `${url}/exports/`, headers: { Authorization: 'HR_TOKEN' } },
  }));
  place.env['HR_TOKEN'] = SECRET;
  for (const command of [
    ['import', 'hr:members.csv'],
    ['sync', 'hr:/members.csv', '--apply'],
    ['inspect', 'hr:members.csv'],
  ]) {
    const { code, stdout, stderr } = await place.run(command);
    expect([command[0], code]).toEqual([command[0], EXIT.ok]);
    expect(stdout + stderr).not.toContain(SECRET);
  }
  expect((await place.run(['inspect', 'hr:members.csv'])).stderr).toContain('hr:members.csv --dry-run');
  expect(place.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual(
    Array.from({ length: 4 }, () => ['/exports/members.csv', SECRET]),
  );
  expect([...place.sandbox.members('us', 'team').keys()]).toEqual(['ann', 'bob']);
  expect(filesBelow(place.root).filter(({ content }) => content.includes(SECRET))).toEqual([]);
});

test('a name that the settings do not know is a path', async () => {
  const place = await openPlace(() => ({}));
  const { code, stderr } = await place.run(['import', 'it:members.csv']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[FILE_NOT_FOUND]')]);
});

test.each([
  ['a password in its address', { hr: { url: `sftp://ann:${SECRET}@hr.example/` } }, 'holds a password'],
  ['a secret in place of where it is', { hr: { url: 'sftp://hr.example/', secrets: { password: SECRET } } }, 'secrets'],
  ['a setting that is not one', { hr: { url: 'https://hr.example/', password: SECRET } }, 'password'],
  ['no address', { hr: {} }, 'sources.hr.url'],
])('a named source with %s is refused, and no secret is repeated', async (_what, sources, says) => {
  const place = await openPlace(() => sources);
  const { code, stdout, stderr } = await place.run(['import', 'hr:members.csv']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(says)]);
  expect(stdout + stderr).not.toContain(SECRET);
});

test.each([
  [[`password=${SECRET}`], 'the secret password says not where its value is'],
  [[SECRET], 'a secret has no name'],
])('--secret %j is refused, and what is given is not repeated', async (given, says) => {
  const place = await openSandboxPlace();
  const flags = given.flatMap((one) => ['--secret', one]);
  const { code, stdout, stderr } = await place.run(['import', 'https://files.example/m.csv', ...flags]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(says)]);
  expect(stdout + stderr).not.toContain(SECRET);
});

test('sync reads standard input that says how many rows it has, in a flag or a last line', async () => {
  const place = await openSandboxPlace();
  for (const [args, input] of [
    [['--expect-rows', '2'], PEOPLE],
    [[], `${PEOPLE}# rows=2\n`],
    [['--expect-rows', '2'], `${PEOPLE}# rows=2`],
  ] as const) {
    const { code } = await place.run(['sync', '-', '--apply', ...args], { input });
    expect([args, code]).toEqual([args, EXIT.ok]);
  }
  expect([...place.sandbox.members('us', 'team').keys()]).toEqual(['ann', 'bob']);
});

test.each([
  ['says nothing', [], PEOPLE, 'does not say that it is whole'],
  ['says another number', [], `${PEOPLE}# rows=3\n`, '3'],
  ['is contradicted by the flag', ['--expect-rows', '3'], `${PEOPLE}# rows=2\n`, 'correct the one that is wrong'],
])('sync of standard input that %s changes nothing', async (_what, args, input, says) => {
  const place = await openSandboxPlace();
  const { code, stdout, stderr } = await place.run(['sync', '-', '--apply', ...args], { input });
  expect([code === EXIT.ok, stdout + stderr]).toEqual([false, expect.stringContaining(says)]);
  expect(place.sandbox.members('us', 'team').size).toBe(0);
});

test('import takes the last line for a count too', async () => {
  const place = await openSandboxPlace();
  const { code, summary } = await place.summary(['import', '-'], { input: `${PEOPLE}# rows=2\n` });
  expect([code, summary.rows.read]).toEqual([EXIT.ok, 2]);
  const cut = await place.run(['import', '-'], { input: `${members([['team', 'cleo']])}# rows=2\n` });
  expect([cut.code, cut.stdout + cut.stderr]).toEqual([EXIT.usage, expect.stringContaining('2 were')]);
});
