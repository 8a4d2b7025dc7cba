import { beforeAll, expect, test } from 'vitest';
import { resumeCommand } from '../../src/cli/commands/continue-commands.ts';
import { importCommand } from '../../src/cli/commands/import-command.ts';
import { sendingArguments } from '../../src/cli/detach.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { readConfig } from '../../src/platform/config.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { manyMembers, openSandboxPlace } from './workplace.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

test('every flag about sending that import and resume have in common goes along', () => {
  const describing = () => async () => {};
  const flagsOf = (command: ReturnType<typeof importCommand>) => command.options.map(({ long }) => long ?? '');
  const common = new Set(flagsOf(importCommand(describing)));
  // These are for this process alone: what it prints, and what --detach cannot be used with.
  const others = ['--json', '--server', '--plain-http', '--sandbox', '--sandbox-seed', '--sandbox-faults'];
  // These are kept with the import.
  others.push('--max-create', '--max-removals', '--no-ban-check');
  const shared = flagsOf(resumeCommand(describing)).filter((flag) => common.has(flag) && !others.includes(flag));
  const config = readConfig({ dataDir: '/data', callsPerMinute: 1, concurrency: 2, perGroup: 3 }, {});
  const passed = sendingArguments(config, { queue: 'redis://q', withWorkers: true }, 'id');
  expect(passed.filter((word) => word.startsWith('--')).toSorted()).toEqual(shared.toSorted());
  expect(passed).toContain('redis://q');
});

test('an import in the background uses the queue and the workers that its flags name', async () => {
  const place = await openSandboxPlace();
  place.file('m.csv', manyMembers(60));
  const { code, stdout } = await place.run(['import', 'm.csv', '--detach', '--queue', server.url, '--with-workers']);
  expect(code).toBe(EXIT.ok);
  const watched = await place.run(['watch', stdout.trim()]);
  expect(watched.stdout).toContain('60');
  expect(place.calls()).toBeGreaterThanOrEqual(3);
});

test('no warning of Node reaches the terminal', async () => {
  const place = await openSandboxPlace();
  const warn = "process.once('beforeExit',()=>process.emitWarning('beware','TimeoutNegativeWarning'))";
  const { ended } = place.start(['list'], { env: { NODE_OPTIONS: `--import="data:text/javascript,${warn}"` } });
  const { stderr } = await ended;
  expect(stderr).toContain(place.dataDir);
  expect(stderr).not.toMatch(/Warning|beware/);
});
