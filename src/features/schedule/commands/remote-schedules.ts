import type { Server } from '../../../cli/target/server-client.ts';
import type { ScheduleRunView, ScheduleSettings, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import type { RunDocument, ScheduleDocument, Schedules } from './schedules.ts';

/** The schedules of a server. */
export function remoteSchedules(server: Server): Schedules {
  return {
    place: `at ${server.url}`,
    list: async () => (await server.call(scheduleOperations.list, {})).schedules.map(documentOfView),
    history: async (name, limit) => {
      const [{ tz }, { runs, failing }] = await Promise.all([
        server.call(scheduleOperations.one, { name }),
        server.call(scheduleOperations.history, { name, limit: `${limit}` }),
      ]);
      return { name, tz, runs: runs.map((run) => documentOfRun(name, run)), failing };
    },
    change: async (name, verb) => {
      if (verb !== 'remove') return documentOfView(await server.call(scheduleOperations[verb], { name }));
      await server.call(scheduleOperations.remove, { name });
      return null;
    },
    run: async (name) => documentOfRun(name, await server.call(scheduleOperations.run, { name })),
  };
}

export function documentOfView(view: ScheduleView): ScheduleDocument {
  const { name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, createdAt, next } = view;
  const { apply, sandbox, limits, lastRun } = view;
  const { removeByName, protect: _, ...decided } = view.flags;
  return {
    ...{ name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, apply, sandbox, limits },
    flags: { ...decided, removeNamed: removeByName },
    create: createOf(view),
    ...{ createdAt, next },
    lastRun: lastRun && documentOfRun(name, lastRun),
  };
}

function createOf({ create }: ScheduleView): ScheduleDocument['create'] {
  if (create === null) return null;
  const { users, groups, reactivate, maxCreate } = create;
  return { users, groups, reactivate, maxCreate };
}

function documentOfRun(schedule: string, { dueAt, at, state, reason, who, sync }: ScheduleRunView): RunDocument {
  return { schedule, dueAt, at, state, reason, who, syncId: sync?.id ?? null };
}

/** The settings of a schedule as they are made and edited. */
export function settingsOfView(view: ScheduleView): ScheduleSettings {
  const { cron, tz, file, headers, maxSource, reading, flags, create, limits, apply, repair, catchUp } = view;
  const { mode, removeByName, includeUncertain: _, ...decided } = flags;
  return {
    ...{ cron, tz, file, headers, maxSource, reading, limits, apply, repair, catchUp },
    ...{ ...decided, mode: mode === 'mirror' ? mode : 'add', removeNamed: removeByName },
    ...(create?.settings ?? NOTHING_CREATED),
  };
}

const NOTHING_CREATED = { createUsers: false, createGroups: false, reactivate: false, groupMembers: true } as const;
