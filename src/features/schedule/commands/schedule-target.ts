import { type Client, handledHere } from '../../../cli/target/client.ts';
import { openImports } from '../../../cli/target/open-imports.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, hasCatalog, readCatalog } from '../../../platform/data-dir.ts';
import { openSyncCatalogReader } from '../../sync/sync-catalog.ts';
import type { ScheduleRunView, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { openScheduleCatalogReader } from '../schedule-catalog.ts';
import { ScheduleError } from '../schedule-errors.ts';
import { type ScheduleViews, scheduleViews } from '../schedule-views.ts';
import { changeSchedules } from './schedule-control.ts';

/** The schedules that a command is about, where its imports are. @throws as openImports */
export async function openSchedules(flags: Parameters<typeof openImports>[0]) {
  const { config, imports } = await openImports(flags);
  const { server, command } = imports;
  return { config, server, command, schedules: server ?? schedulesHere(config) };
}

/** The schedules of a data directory, no matter which process runs them. */
function schedulesHere(config: Config): Client {
  const change = async (name: string, verb: 'pause' | 'resume') => {
    await changeSchedules(config, { verb, name });
    return withSchedules(config, name, (views) => views.of(views.find(name)));
  };
  return handledHere(scheduleOperations, {
    list: async () => {
      if (!hasCatalog(dataDir(config.dataDir))) return { schedules: [] };
      return withSchedules(config, '', ({ catalog, of }) => ({ schedules: catalog.list().map(of) }));
    },
    one: async ({ name }) => withSchedules(config, name, ({ find, of }) => of(find(name))),
    history: async ({ name, limit }) => withSchedules(config, name, ({ history }) => history(name, limit)),
    pause: ({ name }) => change(name, 'pause'),
    resume: ({ name }) => change(name, 'resume'),
    remove: async ({ name }) => void (await changeSchedules(config, { verb: 'remove', name })),
  });
}

/** Reads the schedules of a data directory. @throws ScheduleError where it has none, not `name` either */
export function withSchedules<Result>(
  { dataDir }: Pick<Config, 'dataDir'>,
  name: string,
  read: (views: ScheduleViews) => Result,
): Result {
  return readCatalog(dataDir, openScheduleCatalogReader, (catalog) =>
    readCatalog(dataDir, openSyncCatalogReader, (syncs) => {
      if (catalog === undefined || syncs === undefined) throw ScheduleError.unknown(name);
      return read(scheduleViews(catalog, syncs, ({ file }) => file));
    }),
  );
}

/**
 * Returns the `--json` form of a schedule. Times are ISO 8601; of headers it has the variables that hold their values.
 */
export function scheduleDocument(view: ScheduleView) {
  const { name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, createdAt, next } = view;
  const { apply, sandbox, target, limits, create, lastRun } = view;
  const { removeByName, protect: _, ...decided } = view.flags;
  const { settings: __, ...mayCreate } = create ?? {};
  return {
    ...{ name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, apply, sandbox, limits },
    ...(target !== undefined && { target }),
    flags: { ...decided, removeNamed: removeByName },
    create: create && mayCreate,
    ...{ createdAt, next },
    lastRun: lastRun && runDocument(name, lastRun),
  };
}

export function runDocument(schedule: string, { dueAt, at, state, reason, who, sync }: ScheduleRunView) {
  return { schedule, dueAt, at, state, reason, who, syncId: sync?.id ?? null };
}
