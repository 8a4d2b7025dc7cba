import { describe, expect, test } from 'vitest';
import type { InputRow } from '../../../src/imports/read/input-row.ts';
import { read, refusal, short } from './reading.ts';

const HEADER = 'region,guid,uid,scope,on_behalf_of';

async function row(cells: string): Promise<InputRow | undefined> {
  const { rows } = await read(`${HEADER}\n${cells}\n`);
  return rows[0];
}

describe('the membership of a row', () => {
  test.each([
    ['admin', 'admin'],
    ['Admins', 'admin'],
    ['MODERATOR', 'moderator'],
    ['moderators', 'moderator'],
    ['participants', 'participant'],
    ['ban', 'ban'],
    ['Banned', 'ban'],
    ['usersToBan', 'ban'],
    ['users_to_ban', 'ban'],
    [' participant ', 'participant'],
  ])('the scope %j means %s', async (written, scope) => {
    expect(await row(`us,g1,u1,${written},`)).toMatchObject({ scope, problems: [] });
  });

  test('an unknown scope is a problem that shows the value and what is allowed', async () => {
    expect((await row('us,g1,u1,owner,'))?.problems).toEqual([
      {
        column: 'scope',
        value: 'owner',
        code: 'UNKNOWN_SCOPE',
        reason:
          '"owner" is not a valid scope; allowed are admin, moderator, participant, ban; if this column does not hold scopes, do not read it as scope',
      },
    ]);
  });

  test('regions are read in any case', async () => {
    expect(await row('EU,g1,u1,admin,')).toMatchObject({ region: 'eu', problems: [] });
  });

  test('an unknown region is a problem that shows the value and what is allowed', async () => {
    expect((await row('moon,g1,u1,admin,'))?.problems).toEqual([
      {
        column: 'region',
        value: 'moon',
        code: 'UNKNOWN_REGION',
        reason: '"moon" is not a valid region; allowed are us, eu, in',
      },
    ]);
  });

  test('cells are trimmed for reading and kept as they were in the original', async () => {
    expect(await row(' eu , g1 ,\tu1 , admin , u9 ')).toMatchObject({
      region: 'eu',
      guid: 'g1',
      uid: 'u1',
      onBehalfOf: 'u9',
      original: '[" eu "," g1 ","\\tu1 "," admin "," u9 "]',
    });
  });

  test('an empty cell takes the default of its field, a filled one does not', async () => {
    const defaults = { region: 'in', guid: 'g0', scope: 'moderator', onBehalfOf: 'boss' } as const;
    const { rows } = await read(`${HEADER}\n,,u1,,\nus,g1,u1,admin,u2\n`, defaults);
    expect(rows.map(short)).toEqual(['in/g0/u1/moderator/boss', 'us/g1/u1/admin/u2']);
  });

  test('without a scope anywhere a row asks for the lowest one', async () => {
    const { rows } = await read('guid,uid\ng1,u1\n');
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
  });

  test('a default that is not a valid id is refused before the input is read', async () => {
    const error = await refusal(read('uid\nu1\n', { region: 'us', guid: 'my group' }));
    expect(error).toMatchObject({ code: 'BAD_DEFAULT' });
    expect(error.message).toContain('"my group"');
  });

  test('a row without UID or GUID is a problem of that column', async () => {
    expect((await row('us,,,admin,'))?.problems.map(({ column, code }) => [column, code])).toEqual([
      ['guid', 'EMPTY'],
      ['uid', 'EMPTY'],
    ]);
  });

  test('an id of 100 characters is taken, one of 101 is a problem', async () => {
    expect((await row(`us,g1,${'u'.repeat(100)},admin,`))?.problems).toEqual([]);
    expect((await row(`us,g1,${'u'.repeat(101)},admin,`))?.problems).toEqual([
      { column: 'uid', value: 'u'.repeat(101), code: 'TOO_LONG', reason: expect.stringContaining('101 characters') },
    ]);
  });

  test.each([
    ['guid', 'us,g 1,u1,admin,', '" " (U+0020) at position 2'],
    ['uid', 'us,g1,zoë-1,admin,', '"ë" (U+00EB) at position 3'],
    ['uid', 'us,g1,👍👍,admin,', '"👍" (U+1F44D) at position 1'],
    ['on_behalf_of', 'us,g1,u1,admin,a@b', '"@" (U+0040) at position 2'],
  ])('a character that an id may not have is named with its position: %s of %j', async (column, cells, problem) => {
    expect((await row(cells))?.problems).toMatchObject([
      { column, code: 'BAD_CHARACTER', reason: expect.stringContaining(problem) },
    ]);
  });

  test('a NUL byte in an id is a problem that names it and stays visible', async () => {
    const filler = 'us,g1,u1,admin,\n'.repeat(1_000);
    const { rows } = await read(`${HEADER}\n${filler}us,g1,u\0x,admin,\n`);
    expect(rows.at(-1)?.problems).toMatchObject([
      { column: 'uid', code: 'CONTROL_CHARACTER', reason: expect.stringContaining('U+0000') },
    ]);
    expect(rows.at(-1)?.problems[0]?.reason).toContain('"u\\u0000x"');
  });

  test('every problem of a row is listed, and the next row has its own', async () => {
    const { rows } = await read(`${HEADER}\nmoon,g 1,${'é'.repeat(101)},owner,a b,more\nus,g1,u1,admin,\n`);
    expect(rows[0]?.problems.map(({ column, code }) => `${column} ${code}`)).toEqual([
      '_extra_1 CELL_COUNT',
      'region UNKNOWN_REGION',
      'guid BAD_CHARACTER',
      'uid TOO_LONG',
      'uid BAD_CHARACTER',
      'scope UNKNOWN_SCOPE',
      'on_behalf_of BAD_CHARACTER',
    ]);
    expect(rows[1]?.problems).toEqual([]);
  });
});

describe('the time at which a member joined', () => {
  const NOON = Date.UTC(2024, 4, 1, 12) / 1_000;
  const read1 = async (written: string, silent = true) =>
    (await read(JSON.stringify([{ uid: 'u1', guid: 'g1', joined_at: written }]), { silent })).rows[0];

  test.each([
    ['2024-05-01', NOON - 12 * 3600],
    ['2024-05-01T12:00:00Z', NOON],
    ['2024-05-01 14:00:00.25+02', NOON],
    ['2024-05-01T12:00', NOON],
    [String(NOON), NOON],
    [` ${NOON}999 `, NOON],
    ['', undefined],
  ])('%j', async (written, seconds) => {
    const row = await read1(written);
    expect([row?.problems, row?.joinedAt]).toEqual([[], seconds]);
  });

  test.each(['last summer', '2024-02-31', '2024-05-01T25:00Z', '12', '2999-01-01'])('not %j', async (written) => {
    expect((await read1(written))?.problems).toMatchObject([{ column: 'joined_at', value: written, code: 'BAD_TIME' }]);
  });

  test('is not read from rows that are added, and a note says so', async () => {
    expect(await read1('last summer', false)).toMatchObject({ problems: [] });
    const { intake, rows } = await read('uid,guid,since\nu1,g1,2024-05-01\n', { map: { joinedAt: 'since' } });
    expect(rows[0]).not.toHaveProperty('joinedAt');
    expect(intake.notes()).toMatchObject([{ code: 'JOINED_AT_NOT_USED' }]);
  });

  test('may be made by a shape', async () => {
    const { rows } = await read('uid,guid,day\nu1;u2,g1,2024-05-01\n', {
      silent: true,
      map: { joinedAt: '{day}T12:00Z' },
      shape: { split: { uid: ';' } },
    });
    expect(rows.map(({ joinedAt }) => joinedAt)).toEqual([NOON, NOON]);
  });
});
