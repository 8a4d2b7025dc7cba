import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/** A place whose file has two profiles: one leads to the sandbox, the other to an app that is not there. */
async function openProfiles(): Promise<SandboxPlace> {
  const place = await openSandboxPlace();
  const { host, apps } = place.sandbox;
  for (const name of Object.keys(place.env)) {
    if (/^ROLLCALL_(HOST|REGION|(.._)?(APP_ID|API_KEY))$/.test(name)) delete place.env[name];
  }
  const app = (appId: string) => ({ host, region: 'us', appId, apiKey: apps.us.apiKey });
  const profiles = { staging: app(apps.us.appId), production: app('another') };
  place.file('rollcall.config.json', JSON.stringify({ profiles }));
  place.file('members.csv', members([['g', 'anna']]));
  return place;
}

test('an import says where it goes before it is sent, is kept with that, and is not continued elsewhere', async () => {
  const place = await openProfiles();
  const { host, apps } = place.sandbox;
  const to = `profile staging, ${host} (${apps.us.appId} in us)`;
  const dry = await place.run(['import', 'members.csv', '--dry-run', '--profile', 'staging']);
  expect(dry.stderr).toContain(`Service: ${to}.`);
  expect(dry.stderr).toMatch(/ resume \S+ --profile staging/);
  expect((await place.run(['status'])).stdout).toContain(`Service: ${to}.`);
  const { summary } = await place.summary(['status']);
  expect(summary.target).toEqual({ profile: 'staging', host, apps: { us: apps.us.appId } });

  const refused = await place.run(['--profile', 'production', 'resume']);
  expect(refused.code).toBe(EXIT.usage);
  expect(refused.stderr).toContain('[WRONG_TARGET]');
  expect(refused.stderr).toContain('--profile staging');
  expect(place.calls()).toBe(0);

  const done = await place.run(['resume'], { env: { ROLLCALL_PROFILE: 'staging' } });
  expect(done.code).toBe(EXIT.ok);
  expect(done.stderr).toContain(`Service: ${to}.`);
  expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['anna']);
});

test('the plan of a sync is applied where it was made, and nowhere else', async () => {
  const place = await openProfiles();
  const planned = await place.run(['sync', 'members.csv', '--json', '--profile', 'staging']);
  const { id, target } = JSON.parse(planned.stdout) as { id: string; target: { profile: string } };
  expect(target.profile).toBe('staging');
  const refused = await place.run(['sync', 'apply', id, '--profile', 'production']);
  expect(refused.code).toBe(EXIT.usage);
  expect(refused.stderr).toContain('[WRONG_TARGET]');
  expect((await place.run(['sync', 'apply', id, '--profile', 'staging'])).code).toBe(EXIT.ok);
  const undone = await place.run(['undo', id, '--apply', '--profile', 'production']);
  expect(undone.stderr).toContain('[WRONG_TARGET]');
  expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['anna']);
});

test('a name that no profile has is refused with those that there are, and completion knows them', async () => {
  const place = await openProfiles();
  const { code, stderr } = await place.run(['import', 'members.csv', '--profile', 'prod']);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toMatch(/"prod".*staging, production/);
  expect((await place.run(['complete', '--', 'import', '--profile', ''])).stdout).toMatch(/staging\nproduction/);
  expect((await place.run(['schedule', 'list', '--help'])).stdout).toContain('--profile <name>');
});
