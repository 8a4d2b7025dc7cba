import { expect, test } from 'vitest';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/**
 * Services by the ways in which they list the banned, and whether bans can be known at all; the ways of adding ask for the
 * list in one way, so where it stands elsewhere one of them shows it.
 */
const SERVICES: readonly (Partial<Behaviour> & { readonly isKnown: boolean; readonly ways?: readonly string[] })[] = [
  { listBanned: true, isKnown: true, ways: ['import', 'sync'] },
  { listBanned: false, isKnown: true },
  { listBanned: false, bannedAddress: 'banned_members', isKnown: true, ways: ['import', 'sync'] },
  { listBanned: false, bannedAddress: 'none', isKnown: false },
];

const WANTED = members([
  ['team', 'bob'],
  ['team', 'cleo'],
]);

/** Every way that adds members, each of which would add bob, who is banned. */
const WAYS: Readonly<Record<string, (place: SandboxPlace) => Promise<void>>> = {
  import: async (place) => {
    await place.run(['import', place.file('m.csv', WANTED)]);
  },
  actions: async (place) => {
    const rows = 'action,guid,uid\nadd,team,bob\nadd,team,cleo\n';
    await place.run(['import', place.file('m.csv', rows), '--actions']);
  },
  'creating users': async (place) => {
    const rows = `${WANTED}team,new,participant\n`;
    await place.run(['import', place.file('m.csv', rows), '--create-users', '--user-name-from', 'uid']);
  },
  retry: async (place) => {
    await place.run(['import', place.file('m.csv', WANTED)]);
    await place.run(['retry']);
  },
  correct: async (place) => {
    await place.run(['import', place.file('m.csv', WANTED.replace('bob', 'b ob'))]);
    const { stdout } = await place.run(['report', '--status', 'invalid']);
    place.file('fixed.csv', stdout.replace('b ob', 'bob'));
    await place.run(['retry', '--edits', 'fixed.csv']);
  },
  sync: async (place) => {
    await place.run(['sync', place.file('m.csv', WANTED), '--apply']);
  },
  'mirror sync': async (place) => {
    await place.run(['sync', place.file('m.csv', WANTED), '--mode', 'mirror', '--apply']);
  },
  schedule: async (place) => {
    const file = place.file('m.csv', WANTED);
    await place.run(['schedule', 'add', 'nightly', '--cron', '30 2 * * *', '--file', file, '--apply']);
    await place.run(['schedule', 'run', 'nightly']);
  },
  undo: async (place) => {
    const taken = place.file('taken.csv', 'action,guid,uid\nremove,team,anna\n');
    const { summary } = await place.summary(['import', taken, '--actions']);
    await place.run(['import', place.file('ban.csv', 'guid,uid,scope\nteam,anna,ban\n'), '--no-ban-check']);
    await place.run(['undo', summary.id, '--apply']);
    expect(place.sandbox.members('us', 'team').get('anna')).toBe('ban');
  },
};

test.each(SERVICES)('no way of adding members lifts a ban without leave, where the service is %o', async (service) => {
  const { isKnown, ways = Object.keys(WAYS), ...behaviour } = service;
  for (const [way, add] of Object.entries(WAYS)) {
    if (!ways.includes(way)) continue;
    const team = { participants: ['anna', 'dora'], usersToBan: ['bob'] };
    const seed = { users: ['cleo'], regions: { us: { members: { team } } } };
    const place = await openSandboxPlace({ seed, behaviour });
    await add(place);
    const now = place.sandbox.members('us', 'team');
    expect(`${way}: ${now.get('bob')}`).toBe(`${way}: ban`);
    if (!['undo', 'correct'].includes(way)) {
      expect(`${way}: ${now.get('cleo')}`).toBe(`${way}: ${isKnown ? 'participant' : undefined}`);
    }
  }
});
