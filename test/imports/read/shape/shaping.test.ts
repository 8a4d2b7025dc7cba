import { describe, expect, test } from 'vitest';
import type { InputRow } from '../../../../src/imports/read/input-row.ts';
import type { IntakeOptions } from '../../../../src/imports/read/intake-options.ts';
import type { Shape } from '../../../../src/options/shape.ts';
import { type Read, read, refusal, short } from '../reading.ts';

/** Memberships of a file, each with its row and which value of it. */
async function memberships(content: string, shape: Shape, options: Partial<IntakeOptions> = {}) {
  const { rows } = await read(content, { ...options, shape });
  return rows.map(described);
}

function described(row: InputRow): string {
  const { shaped, line, problems } = row;
  const what = shaped?.skipped === true ? `skipped ${problems[0]?.code}` : short(row);
  return `${line}: ${what}${shaped?.value ? ` (${shaped.value})` : ''}`;
}

const UIDS: Readonly<Record<string, string>> = { 'anna@x.it': 'anna', 'ben@x.it': 'ben' };
const IDENTITIES = { find: (key: string) => [UIDS[key.toLowerCase()] ?? []].flat().map((id) => ({ id })) };

describe('where the table begins', () => {
  test.each<[string, string, Shape]>([
    ['rows to skip', 'Members\n\nuid,guid\nanna,g1\n', { skipLines: 1 }],
    ['the row of the header', 'Members of 2026,\nas of today,\nuid,guid\nanna,g1\n', { headerRow: 3 }],
    ['no header', 'anna,g1\n', { columns: ['uid', 'guid'] }],
    ['no header, and a title', 'Members\nanna;Anna Rossi;g1\n', { columns: ['uid', '-', 'guid'], skipLines: 1 }],
    ['the preamble of Microsoft Entra', 'version:v1.0\nuid,guid\nanna,g1\n', {}],
    ['the preamble of Google Groups', 'Members for group Sales\nuid,guid\nanna,g1\n', {}],
    ['a semicolon below a title', 'My members, as of today\nuid;guid\nanna;g1\n', { skipLines: 1 }],
  ])('%s', async (_, content, shape) => {
    const { rows } = await read(content, { shape });
    expect(rows.map(short)).toEqual(['us/g1/anna/participant/']);
  });

  test('columns that are not needed have a name in the report', async () => {
    const { intake } = await read('anna,Anna,g1\n', { shape: { columns: ['uid', '-', 'guid'] } });
    expect(intake.columns()).toEqual(['uid', 'column_2', 'guid']);
  });

  test('rows keep the numbers that a spreadsheet shows', async () => {
    const { rows } = await read('Title\n\nuid,guid\nanna,g1\n', { shape: { headerRow: 3 } });
    expect(rows[0]?.line).toBe(4);
  });
});

describe('where a uid comes from', () => {
  test('the first filled of several columns', async () => {
    const content = 'Login,E-mail,guid\nanna,a@x.it,g1\n,ben,g1\n , ,g1\n';
    expect(await memberships(content, { firstOf: { uid: ['Login', 'E-mail'] } })).toEqual([
      '2: us/g1/anna/participant/',
      '3: us/g1/ben/participant/',
      '4: Login | E-mail: EMPTY',
    ]);
    const { rows } = await read(content, { map: { uid: 'Login|E-mail' } });
    expect(rows.map(short)[1]).toBe('us/g1/ben/participant/');
  });

  test('a column whose name has a bar in it', async () => {
    const { rows } = await read('a|b,guid\nanna,g1\n', { map: { uid: 'a|b' } });
    expect(rows.map(short)).toEqual(['us/g1/anna/participant/']);
  });

  test.each([
    ['{email|localpart|lower}', 'Anna.Rossi@x.it', 'anna.rossi'],
    ['{email|slug}', 'Änna.Rossi+new@x.it', 'anna-rossi-new-x-it'],
    ['{email|cometchat}', 'john', 'john'],
    ['{email|cometchat}', 'a_b', 'a_b'],
    ['{email|cometchat}', 'A.b', 'a_b_1ddh'],
    ['{email|cometchat}', 'messaging:general', 'messaging_general_1o0t3ea'],
    ['{email|cometchat}', 'anna@x.example', 'anna_x_example_1f5lx78'],
    ['{email|cometchat}', 'a'.repeat(100), 'a'.repeat(100)],
    ['{email|cometchat}', 'a'.repeat(101), `${'a'.repeat(90)}_1b5z19d`],
    ['{email|cometchat}', '😀', '___2r5s'],
    ['x-{email|localpart}-y', 'anna@x.it', 'x-anna-y'],
    ['{email|domain|slug}', 'anna@X.it', 'x-it'],
    ['{email|digits}', 'u-17@x.it', '17'],
    ['{email|after:uid=|before:,}', 'uid=anna,ou=people', 'anna'],
    ['{email|upper}', 'anna', 'ANNA'],
    ['{none ?? email|upper}', 'anna', 'ANNA'],
    ['{{{email}}}', 'anna', '{anna}'],
    ['u{email}{none}', 'anna', ''],
  ])('the template %s makes of %s %s', async (template, email, uid) => {
    const content = `email,none,guid\n"${email}",,g1\n`;
    const { rows } = await read(content, { shape: { templates: { uid: template } } });
    expect(rows[0]?.uid).toBe(uid);
    expect(rows[0]?.shaped?.sources?.uid).toBe(email);
  });

  test('what a template gives must be an id, and the message says which column is at fault', async () => {
    expect(await memberships('email,guid\nanna rossi@x.it,g1\n', { templates: { uid: '{email|localpart}' } })).toEqual([
      '2: email: BAD_CHARACTER',
    ]);
  });

  test.each([
    ['{email|locapart}', /locapart.* is not a function.*Allowed are lower/s],
    ['{email', /never closes/],
    ['anna', /no column in it/],
    ['{}', /without a column/],
    ['{e-mail|lower}', /"e-mail", which the input does not have.*Write "email"/s],
  ])('a wrong template %s is refused, with what is allowed', async (template, message) => {
    const error = await refusal(read('email,guid\na,g1\n', { shape: { templates: { uid: template } } }));
    expect(error.message).toMatch(message);
  });

  test('a uid is looked up in the identity file, without regard to case', async () => {
    const shape: Shape = { identities: {} };
    const content = 'E-mail,guid\nAnna@x.it,g1\nnobody@x.it,g1\n,g1\n';
    expect(await memberships(content, shape, { map: { uid: 'E-mail' }, lookups: { identities: IDENTITIES } })).toEqual([
      '2: us/g1/anna/participant/',
      '3: E-mail: UNKNOWN_IDENTITY',
      '4: E-mail: EMPTY',
    ]);
  });
});

describe('several memberships in a row', () => {
  test('several groups in a cell', async () => {
    expect(await memberships('uid,guid\nanna,g1; g2;\nben,g1\ncleo,\n', { split: { guid: ';' } })).toEqual([
      '2: us/g1/anna/participant/ (guid=g1)',
      '2: us/g2/anna/participant/ (guid=g2)',
      '3: us/g1/ben/participant/',
      '4: skipped NO_MEMBERSHIP',
    ]);
  });

  test('several groups for several users, with a scope for each group', async () => {
    const content = 'uid,guid,scope\na|b,g1;g2,admin;moderator\nc,g1;g2,admin\nd,g1;g2,admin;admin;admin\n';
    expect(await memberships(content, { split: { guid: ';', uid: '|', scope: ';' } })).toEqual([
      '2: us/g1/a/admin/ (guid=g1, uid=a)',
      '2: us/g1/b/admin/ (guid=g1, uid=b)',
      '2: us/g2/a/moderator/ (guid=g2, uid=a)',
      '2: us/g2/b/moderator/ (guid=g2, uid=b)',
      '3: us/g1/c/admin/ (guid=g1, uid=c)',
      '3: us/g2/c/admin/ (guid=g2, uid=c)',
      '4: scope: VALUE_COUNT (guid=g1, uid=d)',
      '4: scope: VALUE_COUNT (guid=g2, uid=d)',
    ]);
  });

  test('a template is for each value of a cell', async () => {
    expect(
      await memberships('people,guid\nAnna@x.it; ben@x.it,g1\n', {
        split: { uid: ';' },
        templates: { uid: '{people|localpart|lower}' },
      }),
    ).toEqual(['2: us/g1/anna/participant/ (people=Anna@x.it)', '2: us/g1/ben/participant/ (people=ben@x.it)']);
  });

  test('a list of users for each scope', async () => {
    const shape: Shape = { lists: { admin: ['owners'], participant: ['members'] }, split: { uid: ' ' } };
    expect(await memberships('guid,owners,members\ng1,anna,ben cleo\ng2,,\n', shape)).toEqual([
      '2: us/g1/anna/admin/ (owners=anna)',
      '2: us/g1/ben/participant/ (members=ben)',
      '2: us/g1/cleo/participant/ (members=cleo)',
      '3: skipped NO_MEMBERSHIP',
    ]);
  });

  test('a column for each group, with a mark or a scope in it', async () => {
    const content = 'uid,Team A,Team B,phone\nanna,x,Admin,1\nben,-,no,2\ncleo,perhaps,1,3\n';
    const shape: Shape = { wide: { columns: ['Team *'], guid: '{column|slug}' } };
    expect(await memberships(content, shape)).toEqual([
      '2: us/team-a/anna/participant/ (Team A=x)',
      '2: us/team-b/anna/admin/ (Team B=Admin)',
      '3: skipped NO_MEMBERSHIP',
      '4: Team A: UNKNOWN_MARK (Team A=perhaps)',
      '4: us/team-b/cleo/participant/ (Team B=1)',
    ]);
  });

  test('a word for any other mark makes no member of a mark that means none, which its own word may', async () => {
    const content = 'uid,Team A,Team B,Team C\nanna,Lead,no,\nben,vip,0,-\ncleo,false,Member,N\n';
    const wide = { columns: ['Team *'], guid: '{column|slug}' };
    expect(await memberships(content, { wide, scopeWords: { Lead: 'admin', '*': 'participant' } })).toEqual([
      '2: us/team-a/anna/admin/',
      '3: us/team-a/ben/participant/',
      '4: us/team-b/cleo/participant/',
    ]);
    expect(await memberships(content, { wide, scopeWords: { Lead: 'admin', '*': 'none', No: 'moderator' } })).toEqual([
      '2: us/team-a/anna/admin/ (Team A=Lead)',
      '2: us/team-b/anna/moderator/ (Team B=no)',
      '3: skipped NO_MEMBERSHIP',
      '4: skipped NO_MEMBERSHIP',
    ]);
  });

  test('* is every column that is not read for something else', async () => {
    const shape: Shape = { wide: { columns: ['*'] }, where: [{ column: 'active', is: ['1'] }] };
    expect(await memberships('uid,active,g1,g2\nanna,1,x,\n', shape)).toEqual(['2: us/g1/anna/participant/']);
  });

  test('two columns that give the same group are refused', async () => {
    const error = await refusal(
      read('uid,Team A,team-a\nx,1,1\n', { shape: { wide: { columns: ['team*'], guid: '{column|slug}' } } }),
    );
    expect(error.code).toBe('AMBIGUOUS_COLUMN');
    expect(error.message).toContain('"team-a"');
  });

  test('numbered columns', async () => {
    const content = 'uid,course1,role1,course2,role2,course10\nanna,c1,teacher,c2,,c3\nben,,teacher,,,\n';
    const shape: Shape = {
      numbered: { guid: 'course#', scope: 'role#' },
      scopeWords: { teacher: 'admin' },
    };
    expect(await memberships(content, shape)).toEqual([
      '2: us/c1/anna/admin/ (course1=c1)',
      '2: us/c2/anna/participant/ (course2=c2)',
      '2: us/c3/anna/participant/ (course10=c3)',
      '3: skipped NO_MEMBERSHIP',
    ]);
  });

  test('a row that is broken as a whole has that problem in each of its memberships', async () => {
    expect(await memberships('uid,guid\na,g1\nb,g1;g2,x\n', { split: { guid: ';' } })).toEqual([
      '2: us/g1/a/participant/',
      '3: _extra_1: CELL_COUNT (guid=g1)',
      '3: _extra_1: CELL_COUNT (guid=g2)',
    ]);
  });

  test('only the first membership of a row has its text; the others are the same row', async () => {
    const { rows, intake } = await read('uid,guid\nanna,g1;g2\n', { shape: { split: { guid: ';' } } });
    expect(rows.map(({ original, shaped }) => [original, shaped?.part])).toEqual([
      ['["anna","g1;g2"]', 1],
      ['', 2],
    ]);
    expect(intake.rowsRead()).toBe(1);
  });

  test('a row that gives more than is allowed is invalid, and says how to allow it', async () => {
    const { rows } = await read('uid,guid\na b c,1 2 3\nd,4\n', {
      shape: { split: { guid: ' ', uid: ' ' } },
      bounds: { memberships: 8 },
    });
    expect(rows.map(short)).toEqual(['uid: TOO_MANY_MEMBERSHIPS', 'us/4/d/participant/']);
  });
});

describe('words, and rows that are left out', () => {
  test('words for scopes', async () => {
    const scopeWords: Shape['scopeWords'] = { OWNER: 'admin', Manager: 'moderator', Bot: 'none', '*': 'participant' };
    const content = 'uid,guid,role\na,g,owner\nb,g,MANAGER\nc,g,MEMBER\nd,g,bot\ne,g,\n';
    expect(await memberships(content, { scopeWords })).toEqual([
      '2: us/g/a/admin/',
      '3: us/g/b/moderator/',
      '4: us/g/c/participant/',
      '5: skipped NO_MEMBERSHIP',
      '6: us/g/e/participant/',
    ]);
  });

  test('a word that is not listed is judged as it is', async () => {
    expect(await memberships('uid,guid,role\na,g,admin\nb,g,boss\n', { scopeWords: { owner: 'admin' } })).toEqual([
      '2: us/g/a/admin/',
      '3: role: UNKNOWN_SCOPE',
    ]);
  });

  test('conditions leave rows out, each with its reason', async () => {
    const where: Shape['where'] = [
      { column: 'status', is: ['active', 'pending'] },
      { column: 'deleted', isNot: ['true'] },
    ];
    const { rows, intake } = await read(
      'uid,guid,status,deleted\na,g,Active,\nb,g,gone,\nc,g, pending ,TRUE\nd,g,,\n',
      { shape: { where } },
    );
    expect(rows.map(described)).toEqual([
      '2: us/g/a/participant/',
      '3: skipped FILTERED',
      '4: skipped FILTERED',
      '5: skipped FILTERED',
    ]);
    expect(rows[1]?.problems[0]?.reason).toBe('it is "gone"; kept are rows with "active", "pending"');
    expect(rows[2]?.problems[0]).toMatchObject({
      column: 'deleted',
      reason: 'it is "TRUE"; left out are rows with "true"',
    });
    expect(intake.rowsRead()).toBe(4);
  });

  test('a file of changes', async () => {
    const shape: Shape = {
      actions: { column: 'status', words: { active: 'add', deleted: 'remove', blocked: 'ban', '?': 'none' } },
    };
    const { rows } = await read('uid,guid,status\na,g,active\nb,g,DELETED\nc,g,blocked\nd,g,unban\ne,g,?\nf,g,huh\n', {
      shape,
    });
    expect(rows.map((row) => `${row.action ?? 'add'} ${described(row)}`)).toEqual([
      'add 2: us/g/a/participant/',
      'remove 3: us/g/b/participant/',
      'add 4: us/g/c/ban/',
      'unban 5: us/g/d/participant/',
      'add 6: skipped FILTERED',
      'add 7: status: UNKNOWN_ACTION',
    ]);
    expect(rows[5]?.problems[0]?.reason).toBe(
      '"huh" is not a valid action; allowed are add, change, remove, ban, unban, none, active, deleted, blocked, ?',
    );
  });

  test('without --actions a column of that name means nothing', async () => {
    const { rows } = await read('uid,guid,action\na,g;h,remove\n', { shape: { split: { guid: ';' } } });
    expect(rows.map(({ action }) => action)).toEqual([undefined, undefined]);
  });
});

describe('JSON and NDJSON', () => {
  const text = (value: unknown) => JSON.stringify(value);

  test('lists are opened: each group with each user', async () => {
    const file = text([
      { groups: ['g1', 'g2'], members: ['a', 'b'] },
      { groups: ['g1'], members: [] },
    ]);
    const { rows } = await read(file, { shape: { firstOf: { uid: ['members'], guid: ['groups'] } } });
    expect(rows.map(described)).toEqual([
      '1: us/g1/a/participant/ (groups=g1, members=a)',
      '1: us/g2/a/participant/ (groups=g2, members=a)',
      '1: us/g1/b/participant/ (groups=g1, members=b)',
      '1: us/g2/b/participant/ (groups=g2, members=b)',
      '2: skipped NO_MEMBERSHIP',
    ]);
  });

  test('what is under the same list stays together', async () => {
    const lines = [
      { type: 'version', version: 1 },
      {
        type: 'user',
        user: {
          username: 'anna',
          teams: [
            {
              channels: [
                { name: 'c1', roles: 'channel_admin' },
                { name: 'c2', roles: 'channel_user' },
              ],
            },
            { channels: [{ name: 'c3', roles: 'channel_user' }] },
          ],
        },
      },
    ];
    const { rows } = await read(lines.map(text).join('\n'), {
      map: { uid: 'user.username', guid: 'user.teams.channels.name', scope: 'user.teams.channels.roles' },
      shape: { where: [{ column: 'type', is: ['user'] }], scopeWords: { channel_admin: 'admin', '*': 'participant' } },
    });
    expect(rows.map(described)).toEqual([
      '1: skipped FILTERED',
      '2: us/c1/anna/admin/ (user.teams.channels.name=c1, user.username=anna)',
      '2: us/c2/anna/participant/ (user.teams.channels.name=c2, user.username=anna)',
      '2: us/c3/anna/participant/ (user.teams.channels.name=c3, user.username=anna)',
    ]);
  });

  test('names of keys, values of every key, and a list for each scope', async () => {
    const file = text({
      teams: { dev: { members: ['a', 'b'], maintainers: ['c'] }, ops: { members: [], maintainers: ['a'] } },
    });
    const { rows } = await read(file, {
      map: { guid: 'teams.@key' },
      shape: { lists: { participant: ['teams.*.members'], admin: ['teams.*.maintainers'] } },
    });
    expect(rows.map((row) => short(row))).toEqual([
      'us/dev/a/participant/',
      'us/dev/b/participant/',
      'us/dev/c/admin/',
      'us/ops/a/admin/',
    ]);
  });

  test('a list of the document that the mapping opens is not a list of rows', async () => {
    const group = { displayName: 'g1', members: [{ value: 'a' }, { value: 'b' }] };
    const map = { uid: 'members.value', guid: 'displayName' };
    const alone = await read(text(group), { map });
    const listed = await read(text({ totalResults: 1, Resources: [group] }), { map });
    for (const { rows } of [alone, listed]) {
      expect(rows.map(short)).toEqual(['us/g1/a/participant/', 'us/g1/b/participant/']);
    }
  });

  test('the service’s own shape, with conditions', async () => {
    const file = [
      { guid: 'g1', admins: ['a'], usersToBan: ['b'], on: true },
      { guid: 'g2', admins: ['a'], on: false },
    ];
    const { rows } = await read(text(file), { shape: { where: [{ column: 'on', is: ['true'] }] } });
    expect(rows.map(described)).toEqual([
      '1: us/g1/a/admin/ (admins=a)',
      '1: us/g1/b/ban/ (usersToBan=b)',
      '2: skipped FILTERED',
    ]);
  });

  test.each([
    ['a role of the user', { uid: 'anna', guid: 'g', roles: [] }, { scope: 'roles' }],
    ['a path to it', { uid: 'anna', guid: 'g', role: [{ names: [] }] }, { scope: 'role.names' }],
    ['beside a list of groups', { uid: 'anna', groups: ['g'], roles: [] }, { guid: 'groups', scope: 'roles' }],
  ])('an empty list of scopes is no scope, as null is: %s', async (_, element, map) => {
    const { rows } = await read(text([{ uid: 'first', guid: 'x', groups: ['x'] }, element]), {
      map,
      shape: { scopeWords: { owner: 'admin', '*': 'participant' } },
    });
    expect(rows.map(short)).toEqual(['us/x/first/participant/', 'us/g/anna/participant/']);
  });

  test('an empty list of scopes has nothing of the entry before it', async () => {
    const members = [
      { id: 'anna', roles: ['admin'] },
      { id: 'bob', roles: [] },
      { id: 'cy', roles: [] },
    ];
    const roles = { map: { uid: 'members.id', scope: 'members.roles' } };
    expect((await read(text([{ guid: 'g', members }]), roles)).rows.map(short)).toEqual([
      'us/g/anna/admin/',
      'us/g/bob/participant/',
      'us/g/cy/participant/',
    ]);
    const shape = { where: [{ column: 'members.roles', is: ['admin'] }] };
    const kept = await read(text([{ guid: 'g', members }]), { map: { uid: 'members.id' }, shape });
    expect(kept.rows.map(short)).toEqual(['us/g/anna/participant/']);
  });

  test('an empty list of users or groups has no membership, also where it holds the scopes', async () => {
    const rows = [
      { guid: 'g', members: [] },
      { guid: 'g', members: [{ id: 'anna', roles: [] }] },
    ];
    const map = { uid: 'members.id', scope: 'members.roles' };
    expect((await read(text(rows), { map })).rows.map(described)).toEqual([
      '1: skipped NO_MEMBERSHIP',
      '2: us/g/anna/participant/',
    ]);
  });

  test('values of JSON are judged as without a shape: whole numbers are ids, and nothing else that is no text', async () => {
    const uids = '[7,"x",1e3,1E3,10e-1,-0,1.0,true,12345678901234567890,{"a":1},null]';
    const plain = await read(`[{"guid":"g","uid":${uids}}]`);
    const shaped = await read(`[{"guid":"g","to":{"uid":${uids}}}]`, { map: { uid: 'to.uid' } });
    const codes = ({ rows }: Read) => rows.map(({ uid, problems: [problem] }) => problem?.code ?? uid);
    expect(codes(shaped)).toEqual(['7', 'x', ...Array(8).fill('NOT_TEXT'), 'EMPTY']);
    expect(codes(shaped)).toEqual(codes(plain));
    expect(codes(await read('[{"guid":{"id":1e3},"uid":"q"}]', { map: { guid: 'guid.id' } }))).toEqual(['NOT_TEXT']);
    expect(codes(await read('[{"guid":"g","uid":1.5}]', { shape: { templates: { uid: '{uid|slug}' } } }))).toEqual([
      'NOT_TEXT',
    ]);
  });

  test('a path that nothing has is refused at the end, and the columns are listed', async () => {
    const error = await refusal(read('[{"user":{"id":"a"},"guid":"g"}]', { map: { uid: 'user.uid' } }));
    expect(error.code).toBe('UNKNOWN_COLUMN');
    expect(error.message).toContain('"user", "guid"');
  });
});

test.each<[string, Shape, Partial<IntakeOptions>, string, RegExp]>([
  [
    'a column of a condition',
    { where: [{ column: 'Satus', is: ['x'] }] },
    {},
    'UNKNOWN_COLUMN',
    /a condition needs the column "Satus".*Write "Status"/s,
  ],
  ['a mapped column', {}, { map: { uid: 'Name|Mail' } }, 'UNKNOWN_COLUMN', /the uid needs the column "Name"/],
  ['a wide pattern', { wide: { columns: ['Room *'] } }, {}, 'UNKNOWN_COLUMN', /no column is called/],
  ['a numbered pattern', { numbered: { guid: 'room#' } }, {}, 'UNKNOWN_COLUMN', /no column is called/],
  ['an identity file that is not given', { identities: {} }, {}, 'BAD_IDENTITIES', /--identities FILE/],
  ['two places for groups', { wide: { columns: ['S*'] } }, { map: { guid: 'guid' } }, 'BAD_SHAPE', /Give one of them/],
])('%s that is wrong is refused, and the message helps', async (_, shape, options, code, message) => {
  const error = await refusal(read('uid,guid,Status\na,g,x\n', { ...options, shape }));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
});
