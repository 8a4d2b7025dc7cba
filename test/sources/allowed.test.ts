import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sourceList } from '../../src/platform/named-sources.ts';
import { checkAllowed, checkAllowedHost } from '../../src/sources/allowed-sources.ts';
import { allowedSource } from '../../src/sources/obtain.ts';
import { rejection } from '../chat/chat-server.ts';

/** Sources that users of the API may name beside paths: ROLLCALL_SOURCES allows a place and all below it. */

const ALLOWED = [
  'sftp://feeds@HR.example.com/out',
  's3://hr-exports/members/',
  'postgres://reader@db.internal/app',
  'hr:',
  'it:/nightly',
  'sqlite:/srv/data',
];

describe('ROLLCALL_SOURCES', () => {
  test.each([
    'sftp://feeds@hr.example.com/out/members.csv',
    'sftp://feeds@hr.example.com/out/2026-*.csv',
    's3://hr-exports/members/2026/a.csv',
    'postgres://reader@db.internal/app',
    'hr:/anything/members.csv',
    'hr:members.csv',
    'it:nightly/members.csv',
    'sqlite:/srv/data/members.db',
  ])('allows %j', async (source) => {
    await expect(checkAllowed(source, ALLOWED)).resolves.toBeUndefined();
  });

  test.each([
    ['another folder whose name begins so', 'sftp://feeds@hr.example.com/outer/members.csv'],
    ['another user', 'sftp://root@hr.example.com/out/members.csv'],
    ['another host', 'sftp://feeds@hr.example.com.evil.example/out/members.csv'],
    ['another port', 'sftp://feeds@hr.example.com:2222/out/members.csv'],
    ['a way out', 'sftp://feeds@hr.example.com/out/../etc/passwd'],
    ['an encoded way out', 'sftp://feeds@hr.example.com/out/%2e%2e/etc/passwd'],
    ['alternatives', 'sftp://feeds@hr.example.com/out/{a,../b}/m.csv'],
    ['another bucket', 's3://hr-exports-2/members/a.csv'],
    ['the bucket above', 's3://hr-exports/a.csv'],
    ['another database', 'postgres://reader@db.internal/application'],
    ['another scheme', 'mysql://reader@db.internal/app'],
    ['a name that is not allowed', 'payroll:/members.csv'],
    ['a folder above', 'it:/members.csv'],
    ['another file of a database', 'sqlite:/srv/database.db'],
    ['a way out of a name', 'it:/nightly/../payroll.csv'],
  ])('refuses %s', async (_what, source) => {
    expect(await rejection(checkAllowed(source, ALLOWED))).toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  });

  test.each([
    'http:/ann:s3cret@hr.example.com/m.csv',
    'http:ann:s3cret@hr.example.com/m.csv',
    'http:\\\\ann:s3cret@hr.example.com\\m.csv',
    'sftp:/ann:s3cret@hr.example.com/out/m.csv',
    'SFTP:/ann:s3cret@hr.example.com/out/m.csv',
    '//ann:s3cret@hr.example.com/m.csv',
    'htps:/ann:s3cret@hr.example.com/m.csv',
    'ann:s3cret@hr.example.com:/out/m.csv',
    's3:/hr-exports/members/s3cret.csv',
  ])('takes %j for no path, and repeats no part of it', async (source) => {
    // All places of this machine are allowed.
    for (const allowed of [[...ALLOWED, '/'], []]) {
      const error = await rejection(allowedSource(source, allowed));
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(?:BAD_ADDRESS|BAD_SOURCE|SOURCE_NOT_ALLOWED)$/),
      });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
    }
  });

  test.each([
    ['a public address', 'hr.example.com', '93.184.215.14', []],
    ['a private address that is named', 'hr.internal', '10.0.0.5', ['https://10.0.0.5/']],
    ['it in another spelling', 'hr.internal', '::ffff:10.0.0.5', ['sftp://feeds@10.0.0.5/out']],
    ['one of IPv6', 'hr.internal', 'fd00::5', ['https://[fd00:0::5]/']],
    ['this machine', 'localhost', '::1', ['http://localhost:8080/']],
  ])('lets a name lead to %s', (_, host, address, more) => {
    expect(() => checkAllowedHost(host, address, [...ALLOWED, ...more])).not.toThrow();
  });

  test.each([
    '10.0.0.5',
    '169.254.169.254',
    '127.0.0.1',
    '::1',
    'fe80::1',
    '::ffff:192.168.0.1',
    '0.0.0.0',
    '::7f00:1',
    '1::1',
    '4000::1',
  ])('lets no name lead to %s', (address) => {
    const near = [...ALLOWED, 'https://10.0.0.4/', 'https://hr.internal/'];
    expect(() => checkAllowedHost('hr.internal', address, near)).toThrow(
      expect.objectContaining({ code: 'SOURCE_NOT_ALLOWED' }),
    );
  });

  test('takes addresses of every scheme and names, and never a password', () => {
    expect(sourceList.parse(ALLOWED.join(','), 'ROLLCALL_SOURCES')).toEqual(ALLOWED);
    expect(() => sourceList.parse('sftp://ann:s3cret@hr.example/out', 'ROLLCALL_SOURCES')).toThrow('user name');
    expect(() => sourceList.parse('sftp://ann:s3cret@hr.example/out', 'ROLLCALL_SOURCES')).not.toThrow('s3cret');
  });
});
