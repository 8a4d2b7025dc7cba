import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { manyMembers, openSandboxPlace } from './workplace.ts';

/** An app of a service on one's own machines has an address of its own, and then no host is needed. */

test('an import goes to the address of the app, and is continued at no other', async () => {
  const place = await openSandboxPlace();
  const { ROLLCALL_HOST: host = '', ROLLCALL_US_APP_ID: appId = '' } = place.env;
  for (const name of Object.keys(place.env)) if (/_(HOST|EU_.*|IN_.*)$/.test(name)) delete place.env[name];
  place.env['ROLLCALL_US_URL'] = `https://${appId}.api-us.${host}/v3/`;
  const doctor = await place.run(['doctor']);
  expect(doctor.stdout).toContain(`host ${appId}.api-us.${host}`);

  await place.run(['import', place.file('m.csv', manyMembers(30)), '--dry-run']);
  const elsewhere = await place.run(['resume'], { env: { ROLLCALL_US_URL: 'https://chat.corp.example/v3' } });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([EXIT.usage, expect.stringContaining('chat.corp.example')]);
  const { code, stdout } = await place.run(['resume']);
  expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining('30 rows')]);
});

test.each([
  ['http://chat.corp.example/v3', 'http://chat.corp.example/v3'],
  ['https://chat.corp.example', 'https://chat.corp.example'],
  ['https://ann:s3cret@chat.corp.example/v3', 'holds a user name or password'],
])('%s is no such address', async (url, said) => {
  const place = await openSandboxPlace({ users: 1 });
  const env = { ROLLCALL_US_URL: url };
  const { code, stderr } = await place.run(['import', place.file('m.csv', manyMembers(1))], { env });
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(said)]);
  expect(stderr).toContain('https');
  expect(stderr).not.toContain('s3cret');
});
