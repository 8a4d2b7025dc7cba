import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { DataDir } from '../../../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../../../platform/package-folder.ts';
import type { ServerFeature } from '../../../server/context.ts';
import { composeSchedules, type Schedules } from '../compose-schedules.ts';
import { openScheduleCatalogReader, type ScheduleCatalogReader, type ScheduleHealth } from '../schedule-catalog.ts';
import { scheduleControl } from '../schedule-messages.ts';
import { withNights } from './schedule-nights.ts';
import { scheduleRoutes } from './schedule-routes.ts';

declare module '../../../server/context.ts' {
  interface ServerOptions {
    /** Whether schedules have a folder with a sample to read, where calls go to a sandbox and no setting names one. */
    readonly sampleSources?: boolean;
  }
  interface ServerContext {
    readonly schedules: Schedules;
    readonly scheduleCatalog: ScheduleCatalogReader;
  }
}

/** Schedules beside a server. */
export const schedule: ServerFeature = {
  ready: async () => ({ sampleSources: true }),
  open: async (
    { coordinator, syncs, dir, log, events, registry, settings },
    { config, service, onStop, fail, say, sampleSources = false },
    app,
  ) => {
    const ownFolder =
      sampleSources && service.sandbox && config.sources.length === 0 ? await sandboxSources(dir) : undefined;
    const sources = ownFolder === undefined ? [...config.sources] : [ownFolder];
    const schedules = composeSchedules({ ...config, sources }, { syncs, sendsTo: coordinator.sendsTo, dir, log, fail });
    onStop(schedules.stop);
    const changed = () => events.tell('schedules', {});
    schedules.events.on('run', changed);
    schedules.events.on('changed', changed);
    const scheduleCatalog = openScheduleCatalogReader(dir.catalog);
    app.addHook('onClose', async () => scheduleCatalog.close());
    scheduleMetrics(scheduleCatalog, registry);
    if (ownFolder !== undefined) {
      say(
        `Schedules made in the console read files in ${ownFolder}. Put yours there, or name other folders with ROLLCALL_SOURCES.`,
      );
    }
    return { schedules, scheduleCatalog, settings: { ...settings, sources } };
  },
  routes: scheduleRoutes,
  overview: (context, before) => withNights(context, before),
  control: ({ schedules }) => scheduleControl(schedules),
  started: ({ schedules }) => schedules.start(),
};

const SAMPLE = new URL('samples/first-import/members.csv', PACKAGE_FOLDER);

/** The folder that schedules may read where no setting names one and calls go to a sandbox. It is made with a sample; what people do in it stays. */
async function sandboxSources({ sources }: Pick<DataDir, 'sources'>): Promise<string> {
  const made = await mkdir(sources, { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(sources, 'members.csv'), await readFile(SAMPLE), { mode: 0o600 });
  return sources;
}

function scheduleMetrics(schedules: Pick<ScheduleCatalogReader, 'health'>, registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (schedule: ScheduleHealth) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['schedule'],
      registers,
      collect() {
        this.reset();
        for (const one of schedules.health()) {
          const value = read(one);
          if (value !== null) this.set({ schedule: one.name }, value);
        }
      },
    });
  gauge(
    'rollcall_schedule_last_success_timestamp_seconds',
    'When the last successful run ended, after which every member was in place; absent when there was none',
    ({ success }) => success && success / 1000,
  );
  gauge(
    'rollcall_schedule_unsuccessful_runs',
    'Runs since the last success that failed, were missed, or wait for a person',
    ({ unsuccessful }) => unsuccessful,
  );
  gauge(
    'rollcall_schedule_next_run_timestamp_seconds',
    'When the schedule runs next; absent while it is paused',
    ({ paused, nextDue }) => (paused ? null : nextDue / 1000),
  );
  gauge('rollcall_schedule_paused', '1 while the schedule is paused', ({ paused }) => Number(paused));
}
