import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { open, read, refusal, short } from './reading.ts';

describe('YAML', () => {
  test('lists of rows, and groups with the lists of the service, are read as in JSON; numbers stay as they are written', async () => {
    const rows = '# crew\n- uid: 007\n  guid: g1\n  scope: admin\n- {uid: 1e3, guid: 12345678901234567890}\n';
    const { intake, rows: found } = await read(rows);
    expect(intake).toMatchObject({ kind: 'yaml', format: 'json' });
    expect(found.map(short)).toEqual(['us/g1/007/admin/', 'us/12345678901234567890/1e3/participant/']);

    const groups =
      '---\ngroups:\n  - guid: g1\n    admins: &a [anna]\n    participants: [bob, no]\n  - guid: g2\n    admins: *a\n';
    expect((await read(groups)).rows.map(short)).toEqual([
      'us/g1/anna/admin/',
      'us/g1/bob/participant/',
      'us/g1/no/participant/',
      'us/g2/anna/admin/',
    ]);
  });

  test.each([
    'rows:\n- &base {uid: ann, guid: g, scope: admin}\n- <<: *base\n  uid: bob\n',
    'defaults: &base {guid: g, scope: admin}\nrows:\n- <<: *base\n  uid: ann\n- {uid: bob, <<: *base}\n',
    'one: &g {guid: g}\nother: &s {scope: admin}\nrows:\n- {<<: [*g, *s], uid: ann}\n- {<<: [*g, *s], uid: bob}\n',
  ])('merge keys are followed: %j', async (text) => {
    const { rows } = await read(text);
    expect(rows.map(short)).toEqual(['us/g/ann/admin/', 'us/g/bob/admin/']);
  });

  test.each([
    '- {uid: 007, guid: g}\n- {uid: u2, guid: g}\n',
    '# crew\n\n- { "uid": 007, guid: g }\n- {uid: u2, guid: g}\n',
    '[{uid: 007, guid: g}, {uid: u2, guid: g}]',
    'members: [{uid: 007, guid: g},\n  {uid: u2, guid: g}]\n',
    '{guid: g, participants: [007, u2]}\n',
  ])('flow style is recognised: %j', async (text) => {
    const { intake, rows } = await read(text);
    expect(intake.kind).toBe('yaml');
    expect(rows.map(short)).toEqual(['us/g/007/participant/', 'us/g/u2/participant/']);
  });

  test.each([
    'guid: g\nparticipants: [007, u2]',
    'guid: g\r\n# all of them\r\nparticipants:\r\n- 007\r\n- u2\r\n',
    '"guid": "g"\nparticipants: [\n  007,\n  u2\n]\n',
    'guid: &here g\nparticipants: &all\n  - 007\n  - u2\n',
    'participants: &all\n  - 007\n  - u2\nguid: g\n',
    'all: &all [007, u2]\nguid: g\nparticipants: *all\n',
    'all: &all {guid: g}\nmembers:\n  - {<<: *all, guid: g, uid: 007}\n  - {uid: u2, guid: g}\n',
    'members:\n  - {uid: 007, guid: g}\n  - {uid: u2, guid: g}\n',
    '- &first\n  uid: 007\n  guid: g\n- {uid: u2, guid: g}\n',
    '- &first {uid: 007, guid: g}\n- uid: u2\n  guid: g\n',
    `guid: g\nname: ${'x'.repeat(9_000)}\nparticipants: [007, u2]\n`,
    `guid: g\nparticipants: [007, u2]\nabout: |\n${'  some, text\n'.repeat(1_000)}`,
  ])('a group is recognised, whatever its first key is, with anchors as well: %#', async (text) => {
    const { intake, rows } = await read(text);
    expect(intake.kind).toBe('yaml');
    expect(rows.map(short)).toEqual(['us/g/007/participant/', 'us/g/u2/participant/']);
  });

  test.each([
    '[{"uid":"u","guid":"g"}]',
    '{"guid":"g","participants":["u"]}',
    '[\n  {\n    "uid" : "u", "guid": "g"}]',
  ])('JSON is not taken for it: %j', async (text) => {
    expect((await open(text)).kind).toBe('json');
  });

  test('several documents are read one after the other', async () => {
    const { rows } = await read('---\n- uid: u1\n  guid: g1\n---\n- uid: u2\n  guid: g1\n');
    expect(rows.map(({ uid }) => uid)).toEqual(['u1', 'u2']);
  });

  test.each([
    'uid,guid\nu1,g1\n',
    'uid: x,guid\nu1,g1\n',
    'uid\n  u1\n',
    'Group members:\nuid,guid\nu1,g1\n',
    '# made by a program\nuid,guid\nu1,g1\n',
    '"uid","guid"\n"u: 1",g\n',
    'Report: members\nDate: today\nuid,guid\nu1,g1\n',
    'Report: members,\nDate: today,\nuid,guid\nu1,g1\n',
    'note: uid\nu1\n',
  ])('what is CSV is not taken for it: %j', async (text) => {
    expect((await open(text, { lenient: true })).kind).toBe('csv');
  });

  const laughs = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`).join('\n');
  test.each([
    ['a mistake', 'a:\n  b: 1\n c: 2\n', 'YAML_BROKEN', /line 3/],
    ['a billion laughs', `a:\n  - b\na0: &a0 [x]\n${laughs}\n`, 'YAML_BROKEN', /alias/],
    ['endless nesting', `a:\n  b: ${'['.repeat(5_000)}\n`, 'YAML_BROKEN', /./],
    ['a list that holds itself', 'a:\n  b: &a\n    - *a\n', 'YAML_BROKEN', /an alias stands inside.*Correct the file/],
    ['a key twice', 'a:\n  b: 1\n  b: 2\n', 'YAML_BROKEN', /unique/],
  ])('%s is refused', async (_, text, code, says) => {
    const error = await refusal(read(text));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(says);
  });

  test('a file that does not fit into the bound is refused', async () => {
    const error = await refusal(read(`a:\n  b: ${'x'.repeat(5_000)}\n`, { bounds: { element: 1_000 } }));
    expect(error).toMatchObject({ code: 'TOO_LARGE' });
  });
});

describe('LDIF', () => {
  test('a list of members of which the directory gave only a part is refused with this reason', async () => {
    const error = await refusal(read('dn: cn=g,dc=x\nmember;range=0-1499: uid=u,dc=x\n'));
    expect(error).toMatchObject({ code: 'LDIF_BROKEN', facts: { place: 'line 2' } });
    expect(error.message).toContain('"range=0-1499"');
  });

  test('what ldapsearch says of the search is no entry, unless the search did not end well', async () => {
    const entry = 'dn: cn=g,dc=x\nmember: uid=anna,dc=x\n\n';
    const { rows } = await read(`${entry}ref: ldap://forest.x/dc=x\n\n# search result\nsearch: 2\nresult: 0 Success\n`);
    expect(rows.map(({ guid, uid }) => [guid, uid])).toEqual([['g', 'anna']]);
    const error = await refusal(read(`${entry}search: 2\nresult: 4 Size limit exceeded\n`));
    expect(error).toMatchObject({ code: 'LDIF_BROKEN', facts: { place: 'line 5' } });
  });

  const text = [
    'version: 1',
    '',
    '# admins, Groups',
    'dn: cn=admins,ou=Groups,dc=example,dc=org',
    'objectClass: groupOfNames',
    'cn: admins',
    'member: uid=anna,ou=People,dc=exa',
    ' mple,dc=org',
    `member:: ${Buffer.from('uid=bob,ou=People').toString('base64')}`,
    '',
    'dn: uid=anna,ou=People,dc=example,dc=org',
    'uid: anna',
    '',
    'dn: cn=staff\\, all,ou=Groups',
    'memberUid: carl',
    'uniqueMember: CN=dora+sn=D,ou=People',
    '',
  ];

  test.each([
    ['\n', []],
    ['\r\n', []],
    ['\n', [1]],
    ['\n', [7, 3]],
  ])('groups give a row for each member (lines end with %j, pieces of %j bytes)', async (end, pieces) => {
    const { intake, rows } = await read(text.join(end), {}, pieces);
    expect(intake).toMatchObject({ kind: 'ldif', format: 'ndjson' });
    expect(rows.map(({ original }) => JSON.parse(original))).toEqual([
      {
        guid: 'admins',
        uid: 'anna',
        group_dn: 'cn=admins,ou=Groups,dc=example,dc=org',
        member_dn: 'uid=anna,ou=People,dc=example,dc=org',
      },
      { guid: 'admins', uid: 'bob', group_dn: 'cn=admins,ou=Groups,dc=example,dc=org', member_dn: 'uid=bob,ou=People' },
      { guid: 'staff, all', uid: 'carl', group_dn: 'cn=staff\\, all,ou=Groups', member_dn: '' },
      { guid: 'staff, all', uid: 'dora', group_dn: 'cn=staff\\, all,ou=Groups', member_dn: 'CN=dora+sn=D,ou=People' },
    ]);
  });

  test('bytes that a name escapes are UTF-8, and other characters are themselves', async () => {
    const { rows } = await read('dn: cn=caf\\C3\\A9 \\E2\\82\\AC\\, \\"x\\"\nmember: uid=andr\\c3\\a9,ou=People\n');
    expect(rows.map(({ original }) => JSON.parse(original))).toMatchObject([{ guid: 'café €, "x"', uid: 'andré' }]);
  });

  test.each([
    ['a change', 'dn: cn=a\nchangetype: modify\nadd: member\nmember: uid=x\n', /line 2: the entry is a change/],
    ['a line that is none', 'dn: cn=a\nnonsense\n', /line 2: "nonsense"/],
    ['a value from a URL', 'dn: cn=a\nmember:< file:///etc/passwd\n', /line 2: .*not fetched/],
  ])('%s is refused', async (_, broken, says) => {
    const error = await refusal(read(broken));
    expect(error).toMatchObject({ code: 'LDIF_BROKEN' });
    expect(error.message).toMatch(says);
  });

  test('without a group there are no rows', async () => {
    expect(await refusal(read('dn: uid=anna\nuid: anna\n'))).toMatchObject({ code: 'NO_ROWS' });
  });
});

describe('zstd', () => {
  const rows = Array.from({ length: 50_000 }, (_, row) => `u${row * 7919},g${row % 13}\n`);
  const csv = `uid,guid\n${rows.join('')}`;

  test.each([
    ['in one frame', [zstdCompressSync(csv)]],
    ['in several frames', [zstdCompressSync('uid,guid\n'), ...rows.slice(0, 20).map((row) => zstdCompressSync(row))]],
    ['with a check sum', [zstdCompressSync(csv, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })]],
  ])('a file %s is read to its end', async (_, frames) => {
    const bytes = Buffer.concat(frames);
    const { rows: found } = await read(bytes, {}, [1_000]);
    expect(found).toHaveLength(frames.length === 1 ? 50_000 : frames.length - 1);
    expect((await read(bytes)).rows).toEqual(found);
  });

  test.each([
    ['cut off', zstdCompressSync(csv).subarray(0, -100)],
    ['followed by something else', Buffer.concat([zstdCompressSync(csv), Buffer.from('rubbish')])],
    ['damaged', Buffer.concat([zstdCompressSync(csv).subarray(0, 5_000), Buffer.alloc(500, 0xff)])],
  ])('a file that is %s is refused', async (_, bytes) => {
    expect(await refusal(read(bytes))).toMatchObject({ code: 'ZSTD_BROKEN' });
  });

  test('a bomb is refused', async () => {
    const bomb = `uid,guid\n${`u,${'g'.repeat(998)}\n`.repeat(20_000)}`;
    expect(await refusal(read(zstdCompressSync(bomb)))).toMatchObject({ code: 'TOO_LARGE' });
  });
});
