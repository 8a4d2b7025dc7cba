import { describe, expect, test } from 'vitest';
import { read, refusal, short } from './reading.ts';

const EDITS = { edits: true };

/** `action/scope` of each row, or the codes of its problems. */
async function asked(...lines: readonly string[]): Promise<string[]> {
  const { rows } = await read(`guid,uid,scope,Action\n${lines.map((line) => `g,${line}`).join('\n')}\n`, EDITS);
  return rows.map((row) => (row.problems.length > 0 ? short(row) : `${row.action ?? 'add'}/${row.scope}`));
}

describe('an import of edits', () => {
  test('reads from the column "action" what to do, in any case; an empty cell adds', async () => {
    expect(await asked('a,admin,ADD', 'b,moderator, Change ', 'c,,remove', 'd,ban,', 'e,,')).toEqual([
      'add/admin',
      'change/moderator',
      'remove/participant',
      'add/ban',
      'add/participant',
    ]);
  });

  test('takes no scope for a removal, whatever stands there, and no default for a change', async () => {
    expect(await asked('a,boss,remove', 'b,,change', 'c,ban,change', 'd,boss,change')).toEqual([
      'remove/participant',
      'scope: EMPTY',
      'scope: UNKNOWN_SCOPE',
      'scope: UNKNOWN_SCOPE',
    ]);
  });

  test('shows an action that is not valid, with what is allowed', async () => {
    const { rows } = await read('guid,uid,action\ng,a,delete\n', EDITS);
    expect(rows[0]?.problems).toEqual([
      {
        column: 'action',
        value: 'delete',
        code: 'UNKNOWN_ACTION',
        reason: '"delete" is not a valid action; allowed are add, change, remove, unban',
      },
    ]);
  });

  test('tells how the action is read', async () => {
    const { intake } = await read('guid,uid,ACTION\ng,a,add\n', EDITS);
    expect(intake.recognised()).toMatchObject({ action: 'ACTION' });
  });

  test.each([
    ['without the column', 'guid,uid,acton\ng,a,remove\n', 'MISSING_COLUMN'],
    ['with two such columns', 'guid,uid,action,Action\ng,a,remove,add\n', 'AMBIGUOUS_COLUMN'],
    ['in JSON', '[{"guid":"g","uid":"a","action":"remove"}]', 'MISSING_COLUMN'],
  ])('is refused %s: removals must not pass for additions', async (_, content, code) => {
    const error = await refusal(read(content, EDITS));
    expect(error.code).toBe(code);
    expect(error.message).toContain('"action"');
  });
});

test.each([
  ['CSV', 'guid,uid,action\ng,a,remove\ng,b,nonsense\n'],
  ['JSON', '[{"guid":"g","uid":"a","action":"remove"},{"guid":"g","uid":"b","action":7}]'],
])('in any other import, %s, the column means nothing: no file removes anyone', async (_, content) => {
  const { intake, rows } = await read(content);
  expect(rows.map(short)).toEqual(['us/g/a/participant/', 'us/g/b/participant/']);
  expect(rows.map(({ action }) => action)).toEqual([undefined, undefined]);
  expect(intake.recognised()).not.toHaveProperty('action');
});
