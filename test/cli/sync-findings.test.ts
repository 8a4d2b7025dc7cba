import { expect, test } from 'vitest';
import type { Imports } from '../../src/cli/client/imports.ts';
import type { SyncView } from '../../src/features/sync/api.ts';
import { syncsOf } from '../../src/features/sync/commands/sync-client.ts';
import type { Config } from '../../src/platform/config.ts';

test('all that guards object to has its remedy, also where there is more than a sync is shown with', async () => {
  const finding = { guard: 'group-removals', region: 'us', guid: 'team', value: 4, limit: 3 };
  const server = {
    call: async () => ({ findings: [{ ...finding, sentence: 'Four.', members: 9 }], nextCursor: null }),
  };
  const { findings } = syncsOf({} as Config, { server } as unknown as Imports);
  const guards = [{ guard: 'group-removals', count: 1, remedy: 'Look at the plan.' }];
  const view = { id: 'sync', findings: [], guards } as unknown as SyncView;
  expect(await findings(view)).toEqual([{ ...finding, sentence: 'Four. Look at the plan.' }]);
});
