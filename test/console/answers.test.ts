import { expectTypeOf, test } from 'vitest';
import type * as expected from '../../src/console/answers.d.ts';
import type * as expectedOfSyncs from '../../src/console/sync-answers.d.ts';
import type { Progress } from '../../src/server/events/progress.ts';
import type { ImportView } from '../../src/server/import-views.ts';
import type { ScheduleView } from '../../src/server/schedules.ts';
import type { SyncEntry, SyncView } from '../../src/server/syncs/views.ts';

// The compiler is what checks this: the console's scripts cannot import the server's schemas.
test('the console expects of an import and its progress what the server answers', () => {
  expectTypeOf<ImportView>().toExtend<expected.ImportView>();
  expectTypeOf<Progress>().toExtend<expected.Progress>();
});

test('so it does of syncs and schedules', () => {
  expectTypeOf<SyncEntry>().toExtend<expectedOfSyncs.SyncEntry>();
  expectTypeOf<SyncView>().toExtend<expectedOfSyncs.SyncView>();
  expectTypeOf<ScheduleView>().toExtend<expectedOfSyncs.Schedule>();
});
