import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { openSandboxPlace } from './workplace.ts';

test('the file of a sync is shaped as that of an import: groups become what its memberships say', async () => {
  const place = await openSandboxPlace({
    users: 'any',
    groups: 'any',
    seed: { regions: { us: { members: { g1: { participants: ['anna', 'old'] } } } } },
  });
  const people = place.file('people.csv', 'email,uid\nanna@x.it,anna\nben@x.it,ben\n');
  const file = place.file('m.csv', 'mail,guid,state\nAnna@x.it,g1;g2,in\nben@x.it,g1,in\nold@x.it,g1,out\n');
  const flags = ['--map', 'uid=mail', '--identities', people, '--split', 'guid=;', '--where', 'state=in'];
  const mirror = ['--mode', 'mirror', '--missing', 'remove', '--apply'];
  const { code, stderr } = await place.run(['sync', file, ...flags, ...mirror]);
  expect([code, stderr]).toEqual([EXIT.ok, expect.anything()]);
  expect([...place.sandbox.members('us', 'g1').keys()].sort()).toEqual(['anna', 'ben']);
  expect([...place.sandbox.members('us', 'g2').keys()]).toEqual(['anna']);
});

test('a file of which all rows are left out asks for nothing: a guard holds the sync', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'uid,guid,state\nanna,g1,out\n');
  const { code, stdout } = await place.run(['sync', file, '--where', 'state=in', '--mode', 'mirror']);
  expect(code).toBe(EXIT.stopped);
  expect(stdout).toContain('no rows');
});

test('a sync does not take a file of changes', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'uid,guid,action\nanna,g1,remove\n');
  const { code, stderr } = await place.run(['sync', file, '--actions']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[BAD_OPTION]')]);
});
