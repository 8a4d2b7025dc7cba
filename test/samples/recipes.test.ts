import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { builtInRecipes } from '../../src/features/recipes/recipe-store.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { runHere } from '../cli/run-here.ts';

/**
 * Every recipe that comes with rollcall, from its sample to the members in the sandbox. What they must be is computed here,
 * from the sample alone and without any of rollcall's code.
 */

const FOLDER = fileURLToPath(new URL('../../samples/recipes/', import.meta.url));

/** `group user scope`. */
type Membership = `${string} ${string} ${string}`;

interface Case {
  /** File or folder below samples/recipes. */
  readonly file: string;
  readonly recipe: string;
  readonly flags?: readonly string[];
  readonly expected: () => Membership[];
  readonly skipped?: number;
  readonly invalid?: number;
}

const text = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const json = <Content>(file: string) => JSON.parse(text(file)) as Content;
const table = (file: string, from = 1) =>
  parse(text(file), { columns: true, bom: true, from_line: from, relax_column_count: true }) as Record<
    string,
    string
  >[];
const lines = <Content>(file: string) =>
  text(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Content);
/** Key -> UID, from a file of two columns. */
const people = (file: string) => {
  const uids = new Map(
    table(file).map((row) => Object.values(row).map((cell) => cell.toLowerCase()) as [string, string]),
  );
  return (key: string) => uids.get(key.toLowerCase()) ?? '';
};
const teaching = (role: string) =>
  role === 'student' || role === '' ? 'participant' : role === 'manager' ? 'admin' : 'moderator';

interface Channel {
  readonly id: string;
  readonly is_archived: boolean;
  readonly members: string[];
}

const slack = (files: readonly string[]) => () =>
  files.flatMap((file) =>
    json<Channel[]>(`slack-export/export/${file}`)
      .filter((channel) => !channel.is_archived)
      .flatMap(({ id, members }) => members.map((user): Membership => `${id} ${user} participant`)),
  );

interface StreamItem {
  readonly type: string;
  readonly item: {
    channel_type: string;
    channel_id?: string;
    user_id: string;
    channel_role?: string;
    is_moderator?: boolean;
  };
}

const stream = (items: readonly StreamItem[]) =>
  items
    .filter(({ type, item }) => type === 'member' && item.channel_id?.startsWith('!') === false)
    .map(({ item }): Membership => {
      const moderates = item.channel_role === 'channel_moderator' || item.is_moderator === true;
      return `${item.channel_type}-${item.channel_id} ${item.user_id} ${moderates ? 'moderator' : 'participant'}`;
    });

interface ScimGroup {
  readonly id: string;
  readonly members?: { value: string; type?: string }[];
}

const scim = (groups: readonly ScimGroup[]) =>
  groups.flatMap(({ id, members = [] }) =>
    members.filter(({ type }) => type !== 'Group').map(({ value }): Membership => `${id} ${value} participant`),
  );

interface Team {
  readonly members?: string[];
  readonly maintainers?: string[];
  readonly teams?: Record<string, Team>;
}

const teams = (all: Record<string, Team> = {}): Membership[] =>
  Object.entries(all).flatMap(([name, team]) => {
    const guid = name.toLowerCase().replaceAll(' ', '-');
    return [
      ...(team.maintainers ?? []).map((user): Membership => `${guid} ${user} moderator`),
      ...(team.members ?? []).map((user): Membership => `${guid} ${user} participant`),
      ...teams(team.teams),
    ];
  });

const CASES: readonly Case[] = [
  {
    file: 'entra-members/members.csv',
    recipe: 'entra-members',
    flags: ['--guid', 'entra-crew', '--identities', 'entra-members/people.csv'],
    expected: () => {
      const uidOf = people('entra-members/people.csv');
      const [, , ...principals] = text('entra-members/members.csv').trim().split('\n');
      const known = principals.filter((principal) => uidOf(principal) !== '');
      return known.map((principal) => `entra-crew ${uidOf(principal)} participant` as const);
    },
    invalid: 1,
  },
  {
    file: 'google-groups/members.csv',
    recipe: 'google-groups',
    flags: ['--guid', 'choir', '--identities', 'google-groups/people.csv'],
    expected: () => {
      const scopes: Record<string, string> = { owner: 'admin', manager: 'moderator', member: 'participant' };
      const uidOf = people('google-groups/people.csv');
      return table('google-groups/members.csv', 2)
        .filter((row) => row['Group status'] !== 'invited')
        .map((row) => `choir ${uidOf(row['Email address'] ?? '')} ${scopes[row['Group status'] ?? '']}` as const);
    },
    skipped: 1,
  },
  {
    file: 'gam-group-members/members.csv',
    recipe: 'gam-group-members',
    flags: ['--identities', 'gam-group-members/people.csv'],
    expected: () => {
      const scopes: Record<string, string> = { OWNER: 'admin', MANAGER: 'moderator', MEMBER: 'participant' };
      const uidOf = people('gam-group-members/people.csv');
      return table('gam-group-members/members.csv')
        .filter(({ type, status }) => type === 'USER' && status === 'ACTIVE')
        .map(({ group = '', email = '', role = '' }): Membership => {
          const [local = ''] = group.toLowerCase().split('@');
          return `${local.replace('.', '-')} ${uidOf(email)} ${scopes[role]}`;
        });
    },
    skipped: 3,
  },
  {
    file: 'canvas-sis/enrollments.csv',
    recipe: 'canvas-sis',
    expected: () =>
      table('canvas-sis/enrollments.csv')
        .filter(({ status }) => status === 'active')
        .map(
          (row) => `${row['course_id'] || row['section_id']} ${row['user_id']} ${teaching(row['role'] ?? '')}` as const,
        ),
    skipped: 2,
  },
  {
    file: 'moodle-users/users.csv',
    recipe: 'moodle-users',
    expected: () =>
      table('moodle-users/users.csv').flatMap((row) =>
        ['1', '2', '3']
          .filter((number) => row[`course${number}`] !== '')
          .map(
            (number) => `${row[`course${number}`]} ${row['username']} ${teaching(row[`role${number}`] ?? '')}` as const,
          ),
      ),
  },
  {
    file: 'sds-v2',
    recipe: 'sds-v2',
    expected: () =>
      table('sds-v2/enrollments.csv').map(
        (row) => `${row['classSourcedId']} ${row['userSourcedId']} ${teaching(row['role'] ?? '')}` as const,
      ),
  },
  {
    file: 'slack-export/export',
    recipe: 'slack-export',
    expected: slack(['channels.json', 'groups.json']),
    skipped: 1,
  },
  {
    file: 'mattermost-bulk/export.jsonl',
    recipe: 'mattermost-bulk',
    expected: () =>
      lines<{
        user?: {
          username: string;
          teams: { name: string; channels: { name: string; roles: string }[] }[] | null;
        };
      }>('mattermost-bulk/export.jsonl').flatMap(({ user }) =>
        (user?.teams ?? []).flatMap(({ name, channels }) =>
          channels.map((channel): Membership => {
            const scope = channel.roles.includes('channel_admin') ? 'admin' : 'participant';
            return `${name}-${channel.name} ${user?.username} ${scope}`;
          }),
        ),
      ),
  },
  {
    file: 'stream-import/import.jsonl',
    recipe: 'stream-import',
    expected: () => stream(lines<StreamItem>('stream-import/import.jsonl')),
    skipped: 3,
  },
  {
    file: 'stream-import/import.json',
    recipe: 'stream-import',
    expected: () => stream(json<StreamItem[]>('stream-import/import.json')),
  },
  {
    file: 'sendbird-channels/channels.json',
    recipe: 'sendbird-channels',
    // The ids by another program of the rule, in Python.
    expected: () => [
      'sendbird_group_channel_4711_sales anna_17uf4 moderator',
      'sendbird_group_channel_4711_sales ben participant',
      'sendbird_group_channel_4711_sales carla_acme_example_109r7f1 participant',
      'general_talk_qao8x0 ben moderator',
    ],
    skipped: 1,
  },
  {
    file: 'twilio-participants/participants.json',
    recipe: 'twilio-participants',
    expected: () => [
      'ch0000000000000000000000000000000a_qsa9w6 anna participant',
      'ch0000000000000000000000000000000a_qsa9w6 ben_acme_example_1nygle3 participant',
    ],
    skipped: 1,
  },
  {
    file: 'twilio-participants/page.json',
    recipe: 'twilio-participants',
    expected: () => ['ch0000000000000000000000000000000b_qsa9w7 anna participant'],
  },
  {
    file: 'cometchat-import/members.json',
    recipe: 'cometchat-import',
    expected: () =>
      Object.values(
        json<{ members: Record<string, { guid: string; uid: string; scope?: string; isBanned?: boolean }> }>(
          'cometchat-import/members.json',
        ).members,
      ).map(({ guid, uid, scope = 'participant', isBanned }) => `${guid} ${uid} ${isBanned ? 'ban' : scope}` as const),
  },
  {
    file: 'scim-groups/groups.json',
    recipe: 'scim-groups',
    expected: () => scim(json<{ Resources: ScimGroup[] }>('scim-groups/groups.json').Resources),
    skipped: 1,
  },
  {
    file: 'scim-groups/group.json',
    recipe: 'scim-groups',
    expected: () => scim([json<ScimGroup>('scim-groups/group.json')]),
  },
  {
    file: 'peribolos/org.yaml',
    recipe: 'peribolos',
    expected: () => {
      const { orgs } = parseYaml(text('peribolos/org.yaml')) as { orgs: Record<string, Team> };
      return Object.values(orgs).flatMap((org) => teams(org.teams));
    },
  },
  {
    file: 'peribolos/one-org.yaml',
    recipe: 'peribolos',
    expected: () => teams((parseYaml(text('peribolos/one-org.yaml')) as Team).teams),
  },
];

let sandbox: Sandbox;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'recipes-test-'));
  sandbox = await startSandbox({ users: 'any', groups: 'any', randomSeed: 1, caFile: join(dataDir, 'ca.pem') });
});

afterAll(async () => {
  await sandbox.close();
  rmSync(dataDir, { recursive: true });
});

const run = async (args: readonly string[]) => {
  const env = { PATH: process.env['PATH'], ...sandbox.env };
  const ended = await runHere([...args, '--data-dir', join(dataDir, 'data')], { cwd: FOLDER, env });
  if (ended === undefined) throw new Error('another command runs');
  return ended;
};

test.each(CASES)('$recipe: $file', async ({ file, recipe, flags = [], expected, skipped = 0, invalid = 0 }) => {
  const memberships = expected();
  expect(memberships.length).toBeGreaterThan(0);
  const { code, stdout, stderr } = await run(['import', file, '--recipe', recipe, ...flags, '--json']);
  expect(stdout, stderr).not.toBe('');
  const { rows } = JSON.parse(stdout) as { rows: Record<string, number> };
  expect({
    added: rows['added'],
    banned: rows['banned'],
    skipped: rows['skipped'],
    invalid: rows['invalid'],
    code,
  }).toEqual({
    added: memberships.filter((one) => !one.endsWith(' ban')).length,
    banned: memberships.filter((one) => one.endsWith(' ban')).length,
    skipped,
    invalid,
    code: invalid === 0 ? 0 : 1,
  });
  const groups = [...new Set(memberships.map((one) => one.split(' ')[0] ?? ''))];
  const there = groups.flatMap((guid) =>
    [...sandbox.members('us', guid)].map(([uid, scope]) => `${guid} ${uid} ${scope}`.toLowerCase()),
  );
  expect(there.toSorted()).toEqual(memberships.map((one) => one.toLowerCase()).toSorted());
});

test.each(CASES.filter(({ file }) => file !== 'stream-import/import.json'))(
  '$file is recognised as $recipe, and as nothing else; the command that inspect suggests is the one above',
  async ({ file, recipe, flags = [] }) => {
    const { stdout } = await run(['inspect', file, '--json']);
    const facts = JSON.parse(stdout) as { recipes: { name: string }[]; command: string };
    expect(facts.recipes.map(({ name }) => name)).toEqual([recipe]);
    const toFillIn: Record<string, string> = { '--guid': '<group>', '--identities': '<people.csv>' };
    const words = flags.map((word, at) => toFillIn[flags[at - 1] ?? ''] ?? word);
    const suggested = ['rollcall', 'import', file, '--recipe', recipe, ...words, '--data-dir', join(dataDir, 'data')];
    expect(facts.command).toBe(suggested.join(' '));
  },
);

const user = (username: string, more: object = {}) =>
  JSON.stringify({
    type: 'user',
    user: { username, teams: [{ name: 't', channels: [{ name: 'c', roles: 'channel_user' }] }], ...more },
  });

test.each<
  [recipe: string, files: Readonly<Record<string, string>>, flags: readonly string[], members: string, skipped: number]
>([
  [
    'moodle-users',
    {
      'left-out.csv':
        'username,suspended,deleted,course1,enrolstatus1,course2,enrolstatus2\n' +
        'ana,0,0,M1,0,M2,1\nbo,1,0,M1,0,,\ncy,0,1,M1,0,,\ndi,,,M1,1,,\ned,,,M1,,M2,0\n',
    },
    [],
    'M1 ana, M1 ed, M2 ed',
    3,
  ],
  [
    'mattermost-bulk',
    {
      'left-out.jsonl': [
        '{"type":"version","version":1}',
        user('mia'),
        user('ned', { delete_at: 1_700_000_000_000 }),
        user('ola', { delete_at: 0 }),
      ].join('\n'),
    },
    [],
    't-c mia, t-c ola',
    1,
  ],
  [
    'sds-v2',
    {
      'left-out-enrollments.csv':
        'sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role\n' +
        'e1,active,,OR1,s,u1,student\ne2,tobedeleted,,OR1,s,u2,student\ne3,,,OR1,s,u3,student\n',
    },
    [],
    'OR1 u1, OR1 u3',
    1,
  ],
  [
    'slack-export',
    {
      'slack/channels.json': '[{"id":"CX","name":"x","is_archived":false,"members":["U1","U2"]}]',
      'slack/users.json': '[{"id":"U1","deleted":false},{"id":"U2","deleted":true}]',
    },
    [],
    'CX U1',
    1,
  ],
  [
    'gam-group-members',
    {
      'left-out-gam.csv':
        'group,type,role,id,status,email\ngam@x.example,USER,MEMBER,1,ACTIVE,a1@x.example\n' +
        'gam@x.example,USER,MEMBER,2,SUSPENDED,a2@x.example\ngam@x.example,USER,MEMBER,3,ARCHIVED,a3@x.example\n',
    },
    ['--uid', '{email|localpart}'],
    'gam a1',
    2,
  ],
  [
    'google-groups',
    {
      'left-out-google.csv':
        'Members for group goo@x.example\nEmail address,Nickname,Group status\nb1@x.example,,member\nb2@x.example,,invited\nb3@x.example,,banned\n',
    },
    ['--uid', '{Email address|localpart}', '--guid', 'goo'],
    'goo b1',
    2,
  ],
  [
    'canvas-sis',
    {
      'left-out-canvas.csv':
        'course_id,user_id,role,section_id,status\nCV,c1,student,,active\nCV,c2,student,,deleted\n' +
        'CV,c3,student,,inactive\nCV,c4,student,,completed\n',
    },
    [],
    'CV c1',
    3,
  ],
])('%s leaves out people who are suspended, deleted or invited', async (recipe, files, flags, members, skipped) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true });
    writeFileSync(join(dataDir, name), content);
  }
  const [first = ''] = Object.keys(files);
  const file = join(dataDir, first.includes('/') ? dirname(first) : first);
  const { stdout, stderr } = await run(['import', file, '--recipe', recipe, ...flags, '--json']);
  expect(stdout, stderr).not.toBe('');
  const { rows } = JSON.parse(stdout) as { rows: Record<string, number> };
  expect(rows['skipped']).toBe(skipped);
  const expected = members.split(', ');
  const there = [...new Set(expected.map((one) => one.split(' ')[0] ?? ''))].flatMap((guid) =>
    [...sandbox.members('us', guid).keys()].map((uid) => `${guid} ${uid}`.toLowerCase()),
  );
  expect(there.toSorted()).toEqual(expected.map((one) => one.toLowerCase()).toSorted());
  expect(rows['added']).toBe(expected.length);
});

test('every recipe that comes with rollcall has a sample', () => {
  expect([...new Set(CASES.map(({ recipe }) => recipe))].toSorted()).toEqual(builtInRecipes().map(({ name }) => name));
});

test('a recipe that does not fit the file is refused with what was expected and what was seen, before anything is stored', async () => {
  const { code, stdout, stderr } = await run(['import', 'sds-v2/enrollments.csv', '--recipe', 'canvas-sis']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    '"sds-v2/enrollments.csv" does not fit the recipe canvas-sis: it expects the columns user_id, role and status, and course_id, section_id or both; missing: "course_id|section_id", "user_id", "status"; the file has the columns "classSourcedId", "userSourcedId", "role"',
  );
  const slack = await run(['import', 'sds-v2/enrollments.csv', '--recipe', 'slack-export']);
  expect(slack.stderr).toContain('it expects channels with "id", "name" and "members"; the file has the columns');
});

test('what the file lacks must be added, and the refusal says why', async () => {
  const group = await run(['import', 'google-groups/members.csv', '--recipe', 'google-groups']);
  expect(group.code).toBe(2);
  expect(group.stderr).toContain('the recipe google-groups needs a value for guid: the file is about one group');
  const users = await run(['import', 'google-groups/members.csv', '--recipe', 'google-groups', '--guid', 'g']);
  expect(users.stderr).toContain(
    'the recipe google-groups needs a value for identities: people are known by e-mail address',
  );
});

test('a name that no recipe has is answered with those that there are', async () => {
  const { code, stderr } = await run(['import', 'sds-v2/enrollments.csv', '--recipe', 'canvas']);
  expect(code).toBe(2);
  expect(stderr).toContain('"canvas"');
});
