import { statSync } from 'node:fs';
import type { ImportView, Staging } from '../api/imports.ts';
import type { RunningImport } from '../api/overview.ts';
import type { RegionStatus } from '../api/region-status.ts';
import type { Settings } from '../api/service.ts';
import { asError } from '../errors/rollcall-error.ts';
import { type ImportRecord, uncheckedOptions } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { type Counters, totalRows } from '../imports/record/counters.ts';
import type { ImportProgress } from '../imports/report/import-reader.ts';
import { type Logger, quietly } from '../platform/log.ts';
import type { DataReader } from './data-reader.ts';
import { answersSoon } from './http-answers.ts';

/** Imports under way with what is left of them. The pace of each is measured from one question to the next. */
export function runningImports(sources: {
  readonly coordinator: Pick<Coordinator, 'events' | 'regions'>;
  readonly reading: DataReader;
  readonly views: { of(record: ImportRecord): Promise<ImportView> };
  readonly settings: Pick<Settings, 'callsPerMinute' | 'importsPerMinute'>;
  readonly log: Pick<Logger, 'warn'>;
}) {
  const { coordinator, reading, views, settings, log } = sources;
  const paces = new Map<string, ReturnType<typeof paceOf>>();
  coordinator.events.on('state', ({ id, state }) => {
    if (state !== 'running') paces.delete(id);
  });
  const silent = quietly((error) => log.warn({ err: error }, 'the queue does not report its state'));
  let regions: readonly RegionStatus[] = [];
  let asking: Promise<void> | undefined;
  const ask = async () => {
    try {
      if (reading.counts().has('running')) regions = await answersSoon(coordinator.regions.status());
    } catch (error) {
      silent(asError(error));
    }
  };
  return {
    /** Asks for the regions that views show. Where the queue does not answer soon, they show what was answered last. */
    askRegions: () => {
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    of: async (record: ImportRecord): Promise<RunningImport> => {
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

/** Time over which the pace is measured, in ms: long enough to be calm, short enough to follow a change. */
const PACE_MS = 5_000;
/** Time over which the estimate is measured, in ms: so long that it does not jump. */
const ESTIMATE_MS = 30_000;
/** Over less time (ms) no rate is measured: the few calls that are counted at once would be a peak. */
const MIN_MS = 1_000;
/** From this time on an estimate is measured; before, it comes from the rate limit. */
const MEASURED_FROM_MS = 10_000;

type Sample = Pick<ImportProgress, 'at' | 'counters'>;

/** An import at one moment: `at` is the time of its counters, not when they arrived. */
export interface Moment extends ImportProgress {
  readonly regions: readonly RegionStatus[];
}

/** Measures the pace of one import from the moments that it is shown, one after the other. */
export function paceOf(
  callsPerMinute: number,
): (moment: Moment) => Pick<RunningImport, 'etaSeconds' | 'rowsPerSecond'> {
  let samples: Sample[] = [];
  let sendingSince = 0;
  const take = (sample: Sample) => {
    const { at, counters } = sample;
    const last = samples.at(-1);
    const isComparable = last !== undefined && at >= last.at && haveSameRegions(last.counters, counters);
    if (!isComparable) {
      samples = [];
      sendingSince = at;
    }
    samples.push(sample);
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= ESTIMATE_MS) samples.shift();
  };
  return ({ counters, regions: statuses, callsLeft, at }) => {
    const sample = { at, counters };
    take(sample);
    const first = samples[0] ?? sample;
    const recent = samples.findLast((one) => at - one.at >= PACE_MS) ?? first;
    const perSecond = (since: Sample, count: (counters: Counters) => number) =>
      at - since.at < MIN_MS ? null : Math.max(0, count(counters) - count(since.counters)) / ((at - since.at) / 1000);
    const rowsPerSecond = perSecond(recent, settled);
    let etaSeconds: number | null = 0;
    for (const [region, left] of callsLeft) {
      if (left === 0 || etaSeconds === null) continue;
      const status = statuses.find((one) => one.region === region);
      const isMeasured = at - sendingSince >= MEASURED_FROM_MS;
      const measured = isMeasured ? perSecond(first, (of) => of.get(region)?.['calls'] ?? 0) : null;
      const rate = measured ?? callsPerMinute / 60;
      const isStuck = rate <= 0 || status?.stopped === true || (status?.unanswered ?? null) !== null;
      etaSeconds = isStuck ? null : Math.max(etaSeconds, Math.ceil(left / rate));
    }
    return {
      etaSeconds: counters.size === 0 ? null : etaSeconds,
      rowsPerSecond: rowsPerSecond && Math.round(rowsPerSecond * 10) / 10,
    };
  };
}

function haveSameRegions(some: Counters, others: Counters) {
  return some.size === others.size && [...some.keys()].every((region) => others.has(region));
}

/** Rows that have their outcome. */
function settled(counters: Counters) {
  const { read, unprocessed } = totalRows(counters);
  return read - unprocessed;
}

/** The progress of each file that this process reads, by import. */
export function followStaging(coordinator: Pick<Coordinator, 'events' | 'find'>) {
  const { events } = coordinator;
  const staging = new Map<string, Staging>();
  events.on('staging', (id, progress) => {
    const totalBytes = staging.get(id)?.totalBytes ?? sizeOf(coordinator.find(id).source);
    staging.set(id, { ...progress, totalBytes });
  });
  events.on('state', ({ id, state }) => {
    if (state !== 'staging') staging.delete(id);
  });
  events.on('removed', (id) => staging.delete(id));
  return staging;
}

/** Null for what has no size, such as a named pipe or a folder. */
function sizeOf(path: string) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() ? status.size : null;
}
