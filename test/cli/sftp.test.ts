import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { type Sshd, startSshd } from '../servers/sshd.ts';
import { members, openSandboxPlace } from './workplace.ts';

/** An SFTP server in every command that takes a file. */

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
  mkdirSync(join(sshd.dir, 'files/out'));
  writeFileSync(join(sshd.dir, 'files/out/members.csv'), members([['team', 'ann']]));
});
afterAll(() => sshd.stop());

test('import, sync and a schedule read a file of an SFTP server, by its address and by its name', async () => {
  const place = await openSandboxPlace();
  const { keyFile, knownHosts, url } = sshd;
  const flags = ['--key-file', keyFile, '--known-hosts', knownHosts];
  place.file('rollcall.config.json', JSON.stringify({ sources: { hr: { url, keyFile, knownHosts } } }));
  for (const command of [
    ['import', `${url}/out/members.csv`, ...flags],
    ['import', `${url}/out/*.csv`, ...flags],
    ['import', 'hr:out/members.csv'],
    ['sync', 'hr:/out/*.csv', '--apply'],
    ['schedule', 'add', 'by-address', '--cron', '@daily', '--file', `${url}/out/members.csv`, '--apply', ...flags],
    ['schedule', 'run', 'by-address'],
    ['schedule', 'add', 'by-name', '--cron', '@daily', '--file', 'hr:out/members.csv', '--apply'],
    ['schedule', 'edit', 'by-name', '--cron', '@weekly'],
    ['schedule', 'run', 'by-name'],
  ]) {
    const { code, stderr } = await place.run(command);
    expect([command, code, code === EXIT.ok ? '' : stderr]).toEqual([command, EXIT.ok, '']);
  }
  expect([...place.sandbox.members('us', 'team').keys()]).toEqual(['ann']);
  // The settings no longer know the name.
  place.file('rollcall.config.json', '{}');
  const gone = await place.run(['schedule', 'run', 'by-name']);
  expect([gone.code === EXIT.ok, gone.stdout + gone.stderr]).toEqual([false, expect.stringContaining('"hr"')]);
});

test('sources and doctor try each named source, and say what is wrong with it', async () => {
  const place = await openSandboxPlace();
  const { keyFile, knownHosts, url } = sshd;
  const reached = { keyFile, knownHosts };
  place.file(
    'rollcall.config.json',
    JSON.stringify({
      sources: {
        hr: { ...reached, url: `${url}/out` },
        one: { ...reached, url: `${url}/out/members.csv` },
        it: { ...reached, url: `${url}/elsewhere` },
      },
    }),
  );
  const { code, stdout } = await place.run(['sources', '--json']);
  const { ok, findings } = JSON.parse((await place.run(['doctor', '--json'])).stdout);
  const tried = JSON.parse(stdout);
  expect(code).toBe(EXIT.usage);
  expect(tried).toMatchObject([
    { name: 'hr', ok: true, detail: '1 file in its folder; the newest, members.csv, can be read' },
    { name: 'one', ok: true, detail: expect.stringMatching(/\d+ bytes/) },
    { name: 'it', ok: false, detail: expect.stringContaining('is no ') },
  ]);
  expect([ok, findings]).toEqual([
    false,
    expect.arrayContaining([expect.objectContaining({ check: 'source it', ok: false })]),
  ]);
  const shown = await place.run(['sources', 'hr']);
  expect([shown.code, shown.stdout]).toEqual([EXIT.ok, expect.stringContaining('ok     hr  sftp://')]);
  expect((await place.run(['sources', 'nobody'])).stderr).toContain('nobody');
});

test('a first contact is refused before anything is sent, with the fingerprint and the line that accepts the host', async () => {
  const place = await openSandboxPlace();
  const empty = join(place.root, place.file('known_hosts', ''));
  const { code, stderr } = await place.run([
    'import',
    `${sshd.url}/out/members.csv`,
    '--key-file',
    sshd.keyFile,
    '--known-hosts',
    empty,
  ]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('SHA256:')]);
  expect(stderr).toContain(`[127.0.0.1]:${sshd.port} ssh-ed25519 `);
  expect(place.calls()).toBe(0);
});
