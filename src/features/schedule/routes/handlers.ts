import { isoTime } from '../../../api/fields.ts';
import type { HandlersOf } from '../../../api/operation.ts';
import { nextRuns } from '../../../queue/cron.ts';
import type { SyncCatalogReader } from '../../sync/sync-catalog.ts';
import { checkNewName } from '../change-schedule.ts';
import type { Schedules } from '../compose-schedules.ts';
import type { scheduleOperations } from '../operations.ts';
import type { Schedule, ScheduleCatalogReader } from '../schedule-catalog.ts';
import { scheduleViews } from '../schedule-views.ts';
import { lastNights } from './schedule-nights.ts';
import { checkTimes, type GivenSettings, settingsInShort, settingsToKeep } from './schedule-settings.ts';

/** The schedules of a data directory. */
export interface ScheduleContext extends Pick<Schedules, 'changes' | 'at'> {
  readonly catalog: ScheduleCatalogReader;
  readonly syncCatalog: Pick<SyncCatalogReader, 'find'>;
}

const NEXT_TIMES = 5;

/** Does what looks at schedules. */
export function lookingHandlers({ catalog, syncCatalog }: Pick<ScheduleContext, 'catalog' | 'syncCatalog'>) {
  const { list, one, history } = scheduleViews(catalog, syncCatalog);
  return {
    list: async () => list(),
    next: async ({ cron, tz }) => {
      checkTimes(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
    },
    nights: async () => lastNights(catalog),
    one: async ({ name }) => one(name),
    history: async ({ name, limit }) => history(name, limit),
  } satisfies HandlersOf<typeof scheduleOperations>;
}

/** Does what changes schedules. @param isHere for people on the machine */
export function changingHandlers({ catalog, syncCatalog, changes, at }: ScheduleContext, isHere: boolean) {
  const { view } = scheduleViews(catalog, syncCatalog);
  const toKeep = (given: GivenSettings, before?: Schedule) => settingsToKeep(given, before, { ...at, isHere });
  return {
    add: async ({ name, ...given }, { audited }) => {
      checkNewName(catalog, name);
      const made = changes.add(name, await toKeep(given));
      audited(settingsInShort(made), name);
      return view(made);
    },
    edit: async ({ name, version, ...given }, { audited }) => {
      const edited = changes.edit(name, await toKeep(given, catalog.get(name)), version);
      audited(edited.version === version ? null : settingsInShort(edited));
      return view(edited);
    },
    pause: async ({ name }) => view(changes.setPaused(name, true)),
    resume: async ({ name }) => view(changes.setPaused(name, false)),
    remove: async ({ name }) => changes.remove(name),
  } satisfies HandlersOf<typeof scheduleOperations>;
}

/** Begins runs. */
export function runningHandlers({
  catalog,
  syncCatalog,
  runs,
}: Pick<ScheduleContext, 'catalog' | 'syncCatalog'> & Pick<Schedules, 'runs'>) {
  const { runView } = scheduleViews(catalog, syncCatalog);
  return {
    run: async ({ name }, { who }) => runView(runs.begin(name, who)),
  } satisfies HandlersOf<typeof scheduleOperations>;
}
