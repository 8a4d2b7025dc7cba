import { z } from 'zod';
import type { HandlersOf } from '../../../api/operation.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { cursorContent, cursorText, numberCursor } from '../../../server/cursors.ts';
import { Problem } from '../../../server/problem.ts';
import { asClause } from '../../../text/wording.ts';
import type { Sync } from '../kept-sync.ts';
import type { syncOperations } from '../operations.ts';
import type { PlanDownload } from '../plan/plan-download.ts';
import { planFiles } from '../plan/plan-files.ts';
import { openPlanPages, type PlanPages } from '../plan/plan-pages.ts';

interface PlansOf {
  readonly dir: DataDir;
  /** @throws UNKNOWN_SYNC */
  readonly find: (id: string) => Sync;
  /** The plan as a file: made by this thread, or by one of its own. */
  readonly pieces: (download: PlanDownload) => AsyncIterable<string | Uint8Array>;
}

/** Tells what plans say, in any process that can read them: each group, its members, the guards, the plan as a file. */
export function planHandlers({ dir, find, pieces }: PlansOf) {
  /** @throws UNKNOWN_SYNC; Problem NO_PLAN_YET */
  const planOf = (id: string): string => {
    const { state, totals, reason } = find(id);
    if (totals === null)
      throw new Problem('NO_PLAN_YET', `Sync ${id} is ${state} and has no plan: ${asClause(reason)}.`);
    return planFiles(dir.sync(id)).plan;
  };
  const reading = async <Result>(id: string, read: (pages: PlanPages) => Result | Promise<Result>): Promise<Result> => {
    const pages = openPlanPages(planOf(id));
    try {
      return await read(pages);
    } finally {
      pages.close();
    }
  };
  return {
    groups: async ({ id, action, limit, cursor }) =>
      reading(id, async (pages) => {
        const { items, next } = await pages.groupPage(action && new Set(action), numberCursor(cursor) ?? 0, limit);
        return { groups: items, nextCursor: next === undefined ? null : String(next) };
      }),
    findings: async ({ id, guard, search = '', limit, cursor }) =>
      reading(id, (pages) => {
        const { items, next } = pages.findingPage({ guard, search }, cursorContent(findingPlace, cursor), limit);
        return { findings: items, nextCursor: next === undefined ? null : cursorText(next) };
      }),
    actions: async ({ id, action, region, guid, limit, cursor }) =>
      reading(id, async (pages) => {
        const filter = { actions: action && new Set(action), region, guid };
        const { items, next } = await pages.actionPage(filter, cursorContent(actionPlace, cursor), limit);
        return { actions: items, nextCursor: next === undefined ? null : cursorText(next) };
      }),
    plan: async ({ id, format = 'csv', width, color }) =>
      pieces({ path: planOf(id), format, text: { width, color: color === 'true' } }),
  } satisfies HandlersOf<typeof syncOperations>;
}

const findingPlace = z.strictObject({ value: z.number(), id: z.int() });
const actionPlace = z.strictObject({ group: z.int().nonnegative(), uid: z.string() });
