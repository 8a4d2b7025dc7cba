import { z } from 'zod';
import type { HandlersOf } from '../../../api/operation.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { badCursor, cursorContent, cursorText, numberCursor } from '../../../server/cursors.ts';
import { Problem } from '../../../server/problem.ts';
import { asClause } from '../../../text/wording.ts';
import type { Sync } from '../kept-sync.ts';
import type { syncOperations } from '../operations.ts';
import { type FindingPlace, openFindings } from '../plan/findings.ts';
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
  const reading = async <Result>(id: string, read: (pages: PlanPages) => Promise<Result>): Promise<Result> => {
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
        const only = { ...(action !== undefined && { actions: new Set(action) }) };
        const { groups, next } = await pages.groups(only, numberCursor(cursor) ?? 0, limit);
        return { groups, nextCursor: next === undefined ? null : String(next) };
      }),
    findings: async ({ id, guard, search = '', limit, cursor }) => {
      const findings = openFindings(planOf(id), find(id).mode);
      try {
        const page = findings.page({ guard, search }, findingPlaceOf(cursor), limit);
        return {
          findings: page.findings,
          nextCursor: page.next === undefined ? null : `${page.next.value}:${page.next.id}`,
        };
      } finally {
        findings.close();
      }
    },
    actions: async ({ id, action, region, guid, limit, cursor }) =>
      reading(id, async (pages) => {
        const filter = {
          ...(action !== undefined && { actions: new Set(action) }),
          ...(region !== undefined && { region }),
          ...(guid !== undefined && { guid }),
        };
        const [group, uid] = cursorContent(memberPlace, cursor) ?? [];
        const after = group === undefined || uid === undefined ? undefined : { group, uid };
        const { actions, next } = await pages.actions(filter, after, limit);
        return { actions, nextCursor: next === undefined ? null : cursorText([next.group, next.uid]) };
      }),
    plan: async ({ id, format = 'csv', width, color }) =>
      pieces({ path: planOf(id), format, text: { width, color: color === 'true' } }),
  } satisfies HandlersOf<typeof syncOperations>;
}

function findingPlaceOf(cursor: string | undefined): FindingPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, value, id] = /^(\d+(?:\.\d+)?):(\d+)$/.exec(cursor) ?? [];
  if (value === undefined || id === undefined) throw badCursor(cursor);
  return { value: Number(value), id: Number(id) };
}

const memberPlace = z.tuple([z.int().nonnegative(), z.string()]);
