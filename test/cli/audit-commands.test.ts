import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAccessStore } from '../../src/server/access/access-store.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/** Every command that sends something, or decides on a plan, is in the audit log, with what it was done to. */

const PEOPLE = Array.from({ length: 10 }, (_, at) => `u${at + 1}`);
const ROWS = members(['u1', 'new', 'nobody'].map((uid) => ['team', uid] as const));
const idIn = (text: string) => /(?:sync|undo)-\d{8}-\d{6}-\w{3}/.exec(text)?.[0] ?? '';

function openPlace(): Promise<SandboxPlace> {
  return openSandboxPlace({
    seed: { users: ['new'], regions: { us: { members: { team: { participants: PEOPLE } } } } },
  });
}

/** Returns the audit log, oldest first: action, target, detail. */
function audited({ dataDir }: SandboxPlace): string[][] {
  const access = openAccessStore(join(dataDir, 'access.sqlite'));
  try {
    const entries = access.audit({ limit: 50 }).toReversed();
    expect(new Set(entries.map(({ address }) => address))).toEqual(new Set(['command line']));
    return entries.map(({ action, target, detail }) => [action, target, detail]);
  } finally {
    access.close();
  }
}

test('imports that are continued, sent again and undone by a command are on record', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', ROWS);
  const { summary } = await at.summary(['import', file, '--dry-run']);
  expect((await at.run(['resume', summary.id])).code).toBe(1);
  const again = await at.summary(['retry', summary.id]);
  const undone = await at.run(['undo', summary.id]);
  const { id } = summary;
  expect(audited(at).slice(1)).toEqual([
    ['import.resume', id, expect.stringMatching(/^to=localhost:\d+ \(sandbox-us in us, /)],
    ['import.retry', again.summary.id, expect.stringContaining(`of ${id} to=`)],
    ['import.undo', idIn(undone.stderr), expect.stringContaining(`of ${id} to=`)],
  ]);
});

test('syncs that are made, carried out, approved and rejected by a command are on record, with the reason', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', ROWS);
  const made = idIn((await at.run(['sync', file])).stderr);
  await at.run(['sync', 'apply', made]);
  const few = at.file('few.csv', members([['team', 'u1']]));
  const mirror = ['--mode', 'mirror', '--missing', 'remove', '--apply'];
  const held = idIn((await at.run(['sync', few, ...mirror])).stderr);
  await at.run(['sync', 'approve', held, '--reason', 'the course is over']);
  const unwanted = idIn((await at.run(['sync', file])).stderr);
  await at.run(['sync', 'reject', unwanted, '--reason', 'the wrong file']);
  expect(audited(at)).toEqual([
    ['sync.create', made, expect.stringContaining(`file=${file}`)],
    ['sync.apply', made, expect.stringContaining(`${file} to=`)],
    ['sync.create', held, expect.stringMatching(/mirror.*remove/)],
    ['sync.approve', held, expect.stringContaining('the course is over to=')],
    ['sync.create', unwanted, expect.any(String)],
    ['sync.reject', unwanted, 'the wrong file'],
  ]);
});

test('a schedule that is run by a command is on record', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', ROWS);
  await at.run(['schedule', 'add', 'nightly', '--cron', '30 2 * * *', '--file', file]);
  await at.run(['schedule', 'run', 'nightly']);
  expect(audited(at).slice(1)).toEqual([['schedule.run', 'nightly', expect.stringMatching(/^to=/)]]);
});

test('a command that is refused is not on record', async () => {
  const at = await openPlace();
  const file = at.file('members.csv', ROWS);
  const { summary } = await at.summary(['import', file]);
  await at.run(['resume', summary.id]);
  expect(audited(at).map(([action]) => action)).toEqual(['import.create']);
});
