import { isoTime } from '../../../api/fields.ts';
import type { HandlersOf } from '../../../api/operation.ts';
import { mapLookups } from '../../../options/lookups.ts';
import { nextRuns } from '../../../queue/cron.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { shownCreate } from '../../sync/kept-sync.ts';
import type { SyncCatalogReader } from '../../sync/sync-catalog.ts';
import { type ScheduleRunView, type ScheduleView, schedule } from '../api.ts';
import { checkNewName } from '../change-schedule.ts';
import type { Schedules } from '../compose-schedules.ts';
import type { scheduleOperations } from '../operations.ts';
import type { Schedule, ScheduleCatalogReader, ScheduleRun } from '../schedule-catalog.ts';
import { creationOf } from '../schedule-sync.ts';
import { lastNights } from './schedule-nights.ts';
import { checkTimes, type GivenSettings, settingsInShort, settingsToKeep, shownSetting } from './schedule-settings.ts';

/** The schedules of a data directory. */
interface Looked {
  readonly catalog: ScheduleCatalogReader;
  readonly syncCatalog: Pick<SyncCatalogReader, 'find'>;
}

type Handlers = HandlersOf<typeof scheduleOperations>;

const NEXT_TIMES = 5;
const SHOWN_TIMES = 3;

/** Schedules and their runs as the API and the command line show them. */
function views({ catalog, syncCatalog }: Looked) {
  const runView = ({ schedule: _, dueAt, at, syncId, ...run }: ScheduleRun): ScheduleRunView => {
    // There is none where it is not written down yet, or was removed.
    const { id, state, totals = null } = (syncId === null ? undefined : syncCatalog.find(syncId)) ?? {};
    const sync = id === undefined || state === undefined ? null : { id, state, totals };
    return { ...run, dueAt: isoTime(dueAt), at: isoTime(at), sync };
  };
  const view = (kept: Schedule): ScheduleView => {
    const { name, cron, tz, paused, nextDue } = kept;
    const [lastRun] = catalog.runs(name, 1);
    const times = paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)];
    return schedule.strip().parse({
      ...kept,
      ...mapLookups(kept, shownSetting),
      file: shownFile(kept),
      protectFile: shownSetting(kept.protectFile),
      create: shownCreate({ create: creationOf(kept) }),
      next: times.map((at) => isoTime(at)),
      lastRun: lastRun === undefined ? null : runView(lastRun),
    });
  };
  return { view, runView };
}

/** Does what looks at schedules. */
export function lookingHandlers(looked: Looked) {
  const { catalog } = looked;
  const { view, runView } = views(looked);
  return {
    list: async () => ({ schedules: catalog.list().map(view) }),
    next: async ({ cron, tz }) => {
      checkTimes(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
    },
    nights: async () => lastNights(catalog),
    one: async ({ name }) => view(catalog.get(name)),
    history: async ({ name, limit }) => ({ runs: catalog.runs(catalog.get(name).name, limit).map(runView) }),
  } satisfies Handlers;
}

/** Does what changes schedules. @param isHere for people on the machine */
export function changingHandlers(context: Looked & Pick<Schedules, 'changes' | 'at'>, isHere: boolean) {
  const { catalog, changes, at } = context;
  const { view } = views(context);
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
  } satisfies Handlers;
}

/** Begins runs. */
export function runningHandlers({ runs, ...looked }: Looked & Pick<Schedules, 'runs'>) {
  const { runView } = views(looked);
  return { run: async ({ name }, { who }) => runView(runs.begin(name, who)) } satisfies Handlers;
}
