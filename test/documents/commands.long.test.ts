import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { manyMembers, members, openSandboxPlace } from '../cli/workplace.ts';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { blocksOf, DOCUMENTS, textOf } from './blocks.ts';
import { type Has, type Reading, readAlong } from './reader.ts';

const SAMPLES = join(import.meta.dirname, '../../samples');

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;
const file = (name: string, ...all: readonly string[]): Has => ({ files: { [name]: lines(...all) } });
const m = (...all: readonly string[]): Has => file('m.csv', ...all);

const TEAM = members([
  ['team', 'user-1', 'admin'],
  ['team', 'user-2'],
]);
/** One row fails, for its user is not there, where the sandbox knows two users. */
const WITH_NOBODY = members([
  ['team', 'user-1'],
  ['team', 'user-2'],
  ['team', 'nobody'],
]);
const WORKBOOK = xlsx({
  sheets: [
    {
      name: 'Team list',
      rows: textRows([
        ['guid', 'uid'],
        ['team', 'ann'],
      ]),
    },
  ],
});
/** The first JSON of a document. */
const jsonOf = (document: string) => /^```json\n(.*?)^```/ms.exec(textOf(document))?.[1] ?? '';
const KURSE = lines('Person,Kurs,Rolle', 'ann,bio,Lehrer', 'ben,bio,');
const PEOPLE_WITHOUT_ACCOUNT = file('held.csv', 'guid,uid', 'team,cem', 'team,dan');
const HELD: Has = {
  ...PEOPLE_WITHOUT_ACCOUNT,
  run: ['rollcall import held.csv --create-users --user-name-from uid --max-create users=0'],
};

/**
 * The belongings of readers of documents whose commands run on this machine alone; `servers.long.test.ts` has the others.
 */
const READINGS: Readonly<Record<string, Reading & { readonly sandbox?: SandboxOptions }>> = {
  'README.md': {
    sandbox: { users: 2, groups: 'any' },
    has: { files: { 'members.csv': WITH_NOBODY } },
    ends: { 'rollcall import members.csv --sandbox': 0, 'rollcall import members.csv': 1, 'rollcall retry': 1 },
  },
  'docs/migrate.md': {
    sandbox: { users: 'any', groups: 'any' },
    has: { files: { 'channels.json': readFileSync(join(SAMPLES, 'recipes/sendbird-channels/channels.json'), 'utf8') } },
  },
  'docs/check-and-export.md': {
    sandbox: { users: 2, groups: 'any' },
    has: { files: { 'members.csv': WITH_NOBODY, 'groups.csv': 'guid\nteam\n' } },
    before: {
      'rollcall resume <id> --leave': { run: ['rollcall import members.csv --check'] },
      'rollcall check <id>': { run: ['rollcall import members.csv --check'] },
      'rollcall import .rollcall/syncs': {
        files: { 'fewer.csv': members([['team', 'user-1']]) },
        run: ['rollcall sync fewer.csv --mode mirror --missing remove --limit emptiedFrom=9 --apply'],
      },
    },
    ends: {
      'rollcall import members.csv --check': 1,
      'rollcall resume <id>': 1,
      'rollcall resume <id> --leave-out-failing': 0,
      'rollcall check': 1,
    },
  },
  'docs/creating.md': {
    sandbox: {},
    has: {
      files: { 'members.csv': lines('uid,guid,name,group_name', 'ann,team,Ann,The Team', 'bob,team,Bob,The Team') },
    },
    before: {
      'rollcall resume <id>': HELD,
      'rollcall cancel <id>': {
        ...file('held.csv', 'guid,uid', 'team,eva', 'team,fay'),
        run: ['rollcall import held.csv --create-users --user-name-from uid --max-create users=0'],
      },
    },
  },
  'docs/files.md': {
    has: {
      files: {
        'members.xlsx': WORKBOOK,
        'exports.zip': archive({ 'members-1.csv': TEAM, 'extra/more.xlsx': WORKBOOK }),
        'exports/members-1.csv': TEAM,
        'delta.csv': lines('guid,uid,action', 'team,ann,add', 'team,ben,remove'),
      },
    },
    before: {
      'rollcall import enrollments.csv --actions': file(
        'enrollments.csv',
        'uid,guid,status',
        'ann,bio,active',
        'ben,bio,deleted',
      ),
    },
  },
  'docs/adding.md': { has: { files: { 'members.csv': TEAM } } },
  'docs/ending.md': { has: { files: { 'guests.csv': TEAM } } },
  'docs/outcomes.md': {
    sandbox: { users: 2, groups: 'any' },
    has: { files: { 'members.csv': WITH_NOBODY }, run: ['rollcall import members.csv'] },
  },
  'docs/shaping.md': {
    before: {
      'rollcall import m.csv --first': m('guid,uid', ...Array.from({ length: 12 }, (_, at) => `team,u${at}`)),
    },
  },
  'docs/pipeline.md': { has: { files: { 'members.csv': TEAM } } },
  'docs/recipes.md': {
    has: {
      files: { 'kurse-may.csv': KURSE, 'kurse.json': jsonOf('docs/recipes.md') },
      act: ({ root }) => cpSync(join(SAMPLES, 'recipes/canvas-sis/enrollments.csv'), join(root, 'enrollments.csv')),
    },
  },
  'docs/corrections.md': {
    sandbox: { users: 2, groups: 'any' },
    has: { files: { 'members.csv': WITH_NOBODY }, run: ['rollcall import members.csv'] },
  },
  'docs/server.md': {
    has: {
      files: { 'members.csv': TEAM },
      act: ({ root }) => cpSync(SAMPLES, join(root, 'samples'), { recursive: true }),
    },
    before: { 'rollcall serve --host': { stop: true } },
    own: { 'https://rollcall.example': 'http://127.0.0.1:7700' },
  },
  'docs/single-calls.md': {
    has: { files: { 'choir.csv': lines('guid,uid', 'choir,anna') }, run: ['rollcall import choir.csv'] },
  },
  'docs/sync.md': { has: { files: { 'members.csv': TEAM } } },
  'docs/schedules.md': {
    has: { files: { 'members.csv': TEAM } },
    own: { '/data/members.csv': 'members.csv' },
  },
};

const hasCommands = (document: string) =>
  blocksOf(document).some(({ language, notRun }) => language === 'sh' && notRun === undefined);
const NEED_SERVERS = new Set(['docs/addresses.md', 'docs/nightly.md', 'docs/workers.md']);

describe('the commands do what they should, as they stand', () => {
  test.each(DOCUMENTS.filter((document) => !NEED_SERVERS.has(document) && hasCommands(document)))(
    '%s',
    async (document) => {
      const { sandbox, ...reading } = READINGS[document] ?? {};
      const place = await openSandboxPlace(sandbox, { dataDir: '.rollcall' });
      expect(await readAlong(document, place, reading)).toEqual([]);
    },
  );
});

test('1,500 members of a group take 60 calls and one list, as README.md says', async () => {
  const place = await openSandboxPlace();
  place.file('members.csv', manyMembers(1500));
  const { summary } = await place.summary(['import', 'members.csv']);
  expect(summary.rows).toMatchObject({ read: 1500, added: 1500 });
  expect([summary.calls, place.calls()]).toEqual([60, 60 + 1]);
  expect(textOf('README.md')).toContain('1,500 members of a group take 60 calls and one list');
});
