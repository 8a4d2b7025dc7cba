import { describe, expect, test } from 'vitest';
import { read, refusal } from './reading.ts';

describe('columns', () => {
  test.each([
    ['Group ID,User ID,Role,REGION,On Behalf Of'],
    ['group_id,member-id,scope,Region,onBehalfOf'],
    ['GUID,UID,Scope,region,acting_user'],
    ['group,member,role,region,on_behalf_of'],
  ])('are recognised by the usual names: %s', async (header) => {
    const { intake, rows } = await read(`${header}\ng1,u1,admin,eu,u2\n`);
    const [guid, uid, scope, region, onBehalfOf] = header.split(',');
    expect(intake.recognised()).toEqual({ guid, uid, scope, region, onBehalfOf });
    expect(rows[0]).toMatchObject({ guid: 'g1', uid: 'u1', scope: 'admin', region: 'eu', onBehalfOf: 'u2' });
  });

  test('that serve no field are kept and not read', async () => {
    const { intake, rows } = await read('name,uid,guid,uid hash\nAda,u1,g1,77\n');
    expect(intake.columns()).toEqual(['name', 'uid', 'guid', 'uid hash']);
    expect(rows[0]?.original).toBe('["Ada","u1","g1","77"]');
  });

  test('can be mapped to fields by name', async () => {
    const { rows } = await read('person;room\nu1;g1\n', { map: { uid: 'person', guid: 'room' } });
    expect(rows[0]).toMatchObject({ uid: 'u1', guid: 'g1' });
  });

  test('that match the same field are refused, both named, with the way out', async () => {
    const error = await refusal(read('uid,guid,user\nu1,g1,Ada\n'));
    expect(error).toMatchObject({ code: 'AMBIGUOUS_COLUMN' });
    expect(error.message).toContain('"uid" (column 1) and "user" (column 3)');
    expect(error.remedy).toContain('--map uid=user');
  });

  test('that match the same field are fine once one of them is mapped', async () => {
    const { rows } = await read('uid,guid,user\nu1,g1,Ada\n', { map: { uid: 'uid' } });
    expect(rows[0]?.uid).toBe('u1');
  });

  test('whose names begin with _ serve no field, so that a full report can be imported again', async () => {
    const { rows } = await read('uid,guid,_row,_guid,_uid\nu1,g1,2,other,other\n');
    expect(rows[0]).toMatchObject({ uid: 'u1', guid: 'g1' });
  });

  test('of the very same name cannot be distinguished by mapping, so renaming is asked for', async () => {
    const error = await refusal(read('uid,guid,uid\nu1,g1,u2\n'));
    expect(error).toMatchObject({ code: 'AMBIGUOUS_COLUMN' });
    expect(error.remedy).toMatch(/rename/i);
  });

  test('that are mapped and missing are refused with the list of those that are there', async () => {
    const error = await refusal(read('uid,guid,name\nu1,g1,x\n', { map: { scope: 'rank' } }));
    expect(error).toMatchObject({ code: 'UNKNOWN_COLUMN' });
    expect(error.message).toContain('"rank"');
    expect(error.message).toContain('"uid", "guid", "name"');
  });

  test('without a UID are refused with the list of those that are there', async () => {
    const error = await refusal(read('name,guid\nAda,g1\n'));
    expect(error).toMatchObject({ code: 'MISSING_COLUMN' });
    expect(error.message).toContain('"name", "guid"');
    expect(error.remedy).toContain('--map "uid=<column>"');
  });

  test('with a delimiter that is not recognised are refused with the flag that names it', async () => {
    const error = await refusal(read('uid:guid\nu1:g1\n'));
    expect(error).toMatchObject({ code: 'MISSING_COLUMN' });
    expect(error.remedy).toMatch(/":".*--delimiter/);
    const { rows } = await read('uid:guid\nu1:g1\n', { delimiter: ':' });
    expect(rows[0]).toMatchObject({ uid: 'u1', guid: 'g1' });
  });

  test('without a GUID are refused unless a default group is given', async () => {
    const error = await refusal(read('uid\nu1\n'));
    expect(error).toMatchObject({ code: 'MISSING_COLUMN' });
    expect(error.remedy).toContain('--guid');
    const { rows } = await read('uid\nu1\n', { region: 'us', guid: 'g1' });
    expect(rows[0]?.guid).toBe('g1');
  });
});
