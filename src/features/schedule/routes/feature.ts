import type { ServerFeature } from '../../../server/context.ts';
import { composeSchedules, type Schedules } from '../compose-schedules.ts';
import { openScheduleCatalogReader, type ScheduleCatalogReader } from '../schedule-catalog.ts';
import { sandboxSources } from '../source-folder.ts';
import { scheduleControl } from './control.ts';
import { scheduleMetrics } from './metrics.ts';
import { withNights } from './overview.ts';
import { scheduleRoutes } from './schedules.ts';

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
  overview: (context, before) => withNights(context, context.scheduleCatalog, before),
  control: ({ schedules }) => scheduleControl(schedules),
  started: ({ schedules }) => schedules.start(),
};
