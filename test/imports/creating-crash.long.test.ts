import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOptions } from '../../src/options/create-options.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { completedAfterKills } from './killed-coordinator.ts';
import { csv } from './pipeline-harness.ts';

const NEW_USERS = 60;
const NEW_GROUPS = 20;
/** Calls after which the process is killed: while it looks, creates groups, adds, creates users, and adds these. */
const KILLS = [10, 30, 45, 70, 100];
/** The same, where one call creates or adds fifty. */
const KILLED_IN_SILENCE = [10, 21, 26];

test.each([undefined, true] as const)(
  'kill -9 in the middle of looking, creating and adding (silent: %s): no one is created twice, and no row is lost',
  async (silent) => {
    const root = tempDir();
    const users = Array.from({ length: NEW_USERS }, (_, n) => `new${n}`);
    const groups = Array.from({ length: NEW_GROUPS }, (_, n) => `team${n}`);
    const behaviour = { importsPerMinute: 100_000 };
    const sandbox = await startSandbox({ seed: { users: ['ann'] }, latencyMs: [20, 60], behaviour });
    onTestFinished(() => sandbox.close());
    const rows = groups.flatMap((guid, at) => [
      { guid, uid: 'ann' },
      ...users.filter((_, n) => n % NEW_GROUPS === at).map((uid) => ({ guid, uid })),
    ]);
    const file = join(root, 'members.csv');
    writeFileSync(file, csv(rows));
    const dir = dataDir(join(root, 'data'));
    const { appId, apiKey } = sandbox.apps.us;
    const settings: CoordinatorProcessSettings = {
      dataDir: dir.root,
      file,
      host: sandbox.host,
      ca: sandbox.caPem,
      appId,
      apiKey,
      ...(silent && { silent }),
      create: createOptions.parse({
        users: true,
        groups: true,
        userNameFrom: 'uid',
        groupNameFrom: 'guid',
        max: { users: { count: NEW_USERS }, groups: { count: NEW_GROUPS } },
      }),
    };
    const { reported, created } = await completedAfterKills(settings, sandbox, silent ? KILLED_IN_SILENCE : KILLS);
    expect(reported).toHaveLength(rows.length);
    for (const { status, message } of reported) {
      if (status !== 'added')
        expect([status, message]).toEqual(['already_member', expect.stringContaining('earlier call')]);
    }
    // Creations whose answer was lost count as created, by the call before.
    expect(created).toEqual({ users: NEW_USERS, groups: NEW_GROUPS, reactivated: 0 });
    for (const [at, guid] of groups.entries()) {
      expect(sandbox.members('us', guid).size, guid).toBe(1 + users.filter((_, n) => n % NEW_GROUPS === at).length);
    }
  },
);
