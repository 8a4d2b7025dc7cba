import { expect, test } from 'vitest';
import type { SyncView } from '../../src/features/sync/api.ts';
import type { Syncs } from '../../src/features/sync/commands/sync-client.ts';
import { documentOf } from '../../src/features/sync/commands/sync-outcome.ts';

test('all that guards object to has its remedy, also where there is more than a sync is shown with', async () => {
  const finding = { guard: 'group-removals', region: 'us', guid: 'team', value: 4, limit: 3 };
  const client = {
    call: async () => ({ findings: [{ ...finding, sentence: 'Four.', members: 9 }], nextCursor: null }),
  };
  const guards = [{ guard: 'group-removals', count: 1, remedy: 'Look at the plan.' }];
  const view = { id: 'sync', findings: [], guards, importId: null } as unknown as SyncView;
  const { findings } = await documentOf({ client, imports: {} } as unknown as Syncs, view);
  expect(findings).toEqual([{ ...finding, sentence: 'Four. Look at the plan.' }]);
});
