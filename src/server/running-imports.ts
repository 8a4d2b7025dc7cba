import type { RunningImport } from '../api/overview.ts';
import type { RegionStatus } from '../api/region-status.ts';
import type { Settings } from '../api/service.ts';
import { type ImportRecord, uncheckedOptions } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { DataReader } from './data-reader.ts';
import { paceOf } from './events/import-pace.ts';
import type { ImportViews } from './import-views.ts';

export type RunningImports = ReturnType<typeof runningImports>;

/** Imports under way with what is left of them. The pace of each is measured from one question to the next. */
export function runningImports(sources: {
  readonly coordinator: Pick<Coordinator, 'events'>;
  readonly reading: DataReader;
  readonly views: ImportViews;
  readonly settings: Pick<Settings, 'callsPerMinute' | 'importsPerMinute'>;
}) {
  const { coordinator, reading, views, settings } = sources;
  const paces = new Map<string, ReturnType<typeof paceOf>>();
  coordinator.events.on('state', ({ id, state }) => {
    if (state !== 'running') paces.delete(id);
  });
  return {
    of: async (record: ImportRecord, regions: readonly RegionStatus[]): Promise<RunningImport> => {
      const { id, state } = record;
      const view = await views.of(record);
      if (state !== 'running' || !reading.hasRows(id)) {
        return { ...view, etaSeconds: null, rowsPerSecond: null, stoppedRegions: [], unansweredRegions: [] };
      }
      const done = await reading.rowsOf(id).progress();
      const pace =
        paces.get(id) ??
        paceOf(uncheckedOptions(record)['silent'] ? settings.importsPerMinute : settings.callsPerMinute);
      paces.set(id, pace);
      const measured = pace({ ...done, regions });
      const used = regions.filter(({ region }) => (done.callsLeft.get(region) ?? 0) > 0);
      const stoppedRegions = used.flatMap(({ region, stopped }) => (stopped ? [region] : []));
      const unansweredRegions = used.flatMap(({ region, unanswered }) => (unanswered === null ? [] : [region]));
      return { ...view, ...measured, stoppedRegions, unansweredRegions };
    },
  };
}
