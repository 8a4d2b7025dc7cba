import { existsSync } from 'node:fs';
import { forOneAsker } from '../../../imports/ask/group-pages.ts';
import { endsToPutBack } from '../../../imports/ends/ends.ts';
import { inputRowsIn } from '../../../imports/stage/rows-before.ts';
import { appsOf, isSameTarget } from '../../../imports/target.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { writeOver } from '../expiry/expiry.ts';
import { flagsOf, type Sync } from '../kept-sync.ts';
import { planFiles } from '../plan/plan-files.ts';
import { guardPlan } from '../plan/plan-guards.ts';
import type { PlanLedger } from '../plan/plan-ledger.ts';
import { readingPlan } from '../plan/plan-reading.ts';
import { type PlanningTask, type PlanRequest, planFor } from '../plan/prepare.ts';
import { previousRun } from '../plan/size-guards.ts';
import { checkPlan, sourceNow } from '../plan/staleness.ts';
import { type Place, undoRequest } from './sync-imports.ts';
import { undoingOf } from './sync-memory.ts';

/** The parts with which plans are made. */
export interface PlanningOptions extends Place, Pick<PlanningTask, 'stage' | 'regions'> {}

export type How = Pick<PlanningTask, 'signal' | 'onProgress'>;

/** The basis of a sync's plan, and what the guards say of it. */
export function syncPlanning(options: PlanningOptions) {
  const { coordinator, dir, catalog, stage, regions } = options;
  /** The last runs of the same sync; an undo is none. */
  const runsBefore = (record: Sync) => {
    if (record.mode === 'undo' || record.mode === 'expiry') return [];
    return catalog.runsBefore(record).filter((run) => isSameTarget(run, record));
  };
  const requestOf = async (sync: Sync, source: string): Promise<PlanRequest> => {
    const { id, file, reading, state, mode } = sync;
    if (reading === undefined) return undoRequest(options, sync);
    if (mode !== 'expiry') return { kind: 'file', file, source, reading };
    const copy = state === 'planning' ? planFiles(dir.sync(id)).input : undefined;
    await writeOver(dir.sync(id), dir.ends, coordinator.sendsTo, copy);
    return { kind: 'file', file, source, reading, later: coordinator.unfinished() };
  };
  /** @param source of its file, as it is now */
  const taskOf = async (record: Sync, source: string, how: How): Promise<PlanningTask> => {
    const { id, create, maxCalls, giveUpAfter, reading } = record;
    return {
      stage,
      regions,
      // Its questions wait for a service that is away as the sync says.
      pages: forOneAsker((region) => coordinator.pages(region, giveUpAfter)),
      folder: dir.sync(id),
      request: await requestOf(record, source),
      flags: flagsOf(record),
      memory: { memory: dir.memory, apps: appsOf(record) },
      create,
      maxCalls,
      // For files that must not shrink: rows of the last run of the same sync whose file is still there.
      rowsBefore:
        reading?.minRows === undefined
          ? undefined
          : inputRowsIn(runsBefore(record).map((run) => planFiles(dir.sync(run.id)).desired)),
      ...how,
    };
  };
  return {
    /** @throws as planFor */
    make: async (record: Sync, how: How) => planFor(await taskOf(record, record.source, how)),
    /** Asks the guards, with the last runs of the same sync in view. */
    judge: async (record: Sync, made: PlanLedger) => {
      const undoing = undoingOf(options, record);
      const ends = undoing === undefined ? 0 : endsToPutBack(undoing);
      const text = `Ends of memberships that are put back as they were: ${grouped(ends)}`;
      if (ends > 0) made.addNotes([{ code: 'ENDS_PUT_BACK', text }]);
      const before = runsBefore(record);
      const last = before.map((run) => planFiles(dir.sync(run.id)).plan).find(existsSync);
      const previous = last === undefined ? undefined : await readingPlan(last, previousRun);
      const changesBefore = before.map((run) => run.totals?.changes ?? 0);
      const [worst, ...others] = guardPlan(made, record.limits, previous, changesBefore);
      const objection = worst && `${counted(1 + others.length, 'objection')} of the guards: ${worst.sentence}`;
      return { totals: made.totals(), objection };
    },
    /** Compares the stored plan with one that is made now. @throws as planFor */
    check: async (record: Sync, how: How) =>
      checkPlan(await taskOf(record, sourceNow(dir.sync(record.id), record.source), how)),
  };
}
