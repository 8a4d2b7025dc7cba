import { sourceContextOf } from '../app/ca-file.ts';
import { Checks } from '../features/check/checks.ts';
import { Exports } from '../features/export/running-exports.ts';
import { openInspectThread } from '../features/inspect/routes.ts';
import { Notifications } from '../features/notify/notifications.ts';
import { Repairs } from '../features/repair/repairs.ts';
import { openSchedules } from '../features/schedule/compose-schedules.ts';
import { openScheduleCatalogReader } from '../features/schedule/schedule-catalog.ts';
import { composeSyncs } from '../features/sync/compose-syncs.ts';
import { tellOfSyncs } from '../features/sync/routes/sync-handlers.ts';
import { wholeSync } from '../features/sync/sync-views.ts';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import type { Api, ServerContext } from './context.ts';
import { openReading } from './data-reader.ts';
import { openEvents } from './events.ts';
import { openImportViews } from './import-views.ts';
import { runningImports } from './running-imports.ts';
import type { ServerOptions } from './server-options.ts';
import { openRecipes } from './uploads/upload-options.ts';

type Options = Omit<ServerOptions, 'registry'> & Required<Pick<ServerOptions, 'registry'>>;

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that events are about. */
const MAX_LISTED = 200;

/** Opens the parts of a server. What only answers questions is closed with it, what works is stopped after it. */
export async function openContext(
  app: Api,
  options: Options,
  isStillAllowed: ServerContext['isStillAllowed'],
): Promise<ServerContext> {
  const { coordinator, dir, access, settings, config, service, log, onStop } = options;
  const reading = openReading(dir, coordinator.reading);
  app.addHook('onClose', async () => reading.close());
  const scheduleCatalog = openScheduleCatalogReader(dir.catalog);
  app.addHook('onClose', async () => scheduleCatalog.close());
  const repairs = new Repairs({ dir, coordinator });
  const syncs = syncsOf(options);
  const views = openImportViews({ coordinator, dir, reading, log, repairs, syncs });
  const running = runningImports({ coordinator, reading, views, settings });
  const events = openEvents({
    coordinator,
    unfinished: () => reading.page({ state: UNFINISHED, limit: MAX_LISTED }).imports,
    view: (record, regions) => (record.state === 'running' ? running.of(record, regions) : views.of(record)),
    isSending: () => (reading.counts().get('running') ?? 0) > 0,
    everyMs: options.eventsEveryMs,
    log,
  });

  const recipes = openRecipes(dir);
  onStop(() => recipes.close());
  const heads = openInspectThread();
  onStop(() => heads.close());
  tellOfSyncs(syncs, events);
  const schedules = schedulesOf(options, syncs, events);
  const notifications = await Notifications.open({
    ...options,
    syncs,
    view: async (kind, id) =>
      kind === 'import' ? views.of(coordinator.find(id)) : wholeSync(dir, syncs.find(id), syncs),
  });
  app.addHook('onClose', () => notifications.close());
  return {
    coordinator,
    dir,
    access,
    settings,
    reading,
    fetching: sourceContextOf(config),
    views,
    running,
    events,
    recipes,
    heads,
    repairs,
    checks: new Checks({
      dir,
      coordinator,
      apps: settings.apps,
      pace: settings,
      anybodyActs: service.anybodyActs,
      onProgress: events.progressed('check'),
    }),
    exports: new Exports({
      dir,
      pages: (region) => coordinator.pages(region),
      ...coordinator.sendsTo,
      onError: (id, err) => log.error({ err, export: id }, 'the export failed'),
      onProgress: events.progressed('export'),
      onEnd: (id) => events.tell('export', { id }),
      onUnread: (err) => log.error({ err }, 'an export cannot be read'),
    }),
    syncs,
    schedules,
    scheduleCatalog,
    notifications,
    log,
    isStillAllowed,
  };
}

type Events = ServerContext['events'];

function syncsOf({ coordinator, dir, config, service, log, stage, onStop, fail }: Options) {
  const syncs = composeSyncs(coordinator, dir, service, log, { keepMs: config.keep, stage });
  onStop(() => syncs.stop());
  syncs.events.on('failure', fail);
  return syncs;
}

function schedulesOf(
  { coordinator, dir, config, settings, log, onStop, fail }: Options,
  syncs: ServerContext['syncs'],
  events: Events,
) {
  const sources = settings.sources;
  const schedules = openSchedules({ ...config, sources }, { syncs, sendsTo: coordinator.sendsTo, dir, log, fail });
  onStop(schedules.stop);
  schedules.runs.events.on('run', ({ schedule: id }) => events.tell('schedules', { id }));
  schedules.runs.events.on('changed', () => events.tell('schedules', {}));
  return schedules;
}
