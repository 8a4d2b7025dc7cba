import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import { z } from 'zod';
import { openThread } from '../../../platform/threads.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { cursorContent, cursorText } from '../../../server/paging.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import type { ComparedPage, ComparedSync, CompareRequest } from '../plan/compare.ts';
import { planFiles } from '../plan/prepare.ts';
import type { SyncRecord } from '../sync-catalog.ts';

const place = z.object({ region: z.string(), guid: z.string() });

/** Time that a comparison may take, in ms. */
const DEADLINE_MS = 30_000;
const MAX_WAITING = 20;

/** The thread that makes one comparison. */
export type CompareThread = { compare: (request: CompareRequest) => ComparedPage };

/** `GET /v1/syncs/:id/compare`: what two syncs do, group by group, counted by a thread of its own. */
export function compareRoute(app: Api, { syncs, syncViews, dir }: ServerContext): void {
  const line = pLimit(1);
  const fileOf = (record: SyncRecord): ComparedSync => {
    const { plan } = planFiles(dir.sync(record.id));
    if (record.totals === null || !existsSync(plan)) {
      throw new Problem('NO_PLAN_YET', `Sync ${record.id} is ${record.state} and has no plan.`);
    }
    return { plan, ledger: record.importId === null ? null : dir.ledger(record.importId) };
  };
  serve(app, syncOperations.compare, async ({ params: { id }, query: { with: other, all, limit, cursor } }) => {
    const [first, second] = [syncs.find(id), syncs.find(other)];
    const request = { first: fileOf(first), second: fileOf(second), all: all === 'true', limit };
    if (line.pendingCount >= MAX_WAITING) throw new Problem('BUSY', 'Too many comparisons wait for their answers.');
    const after = cursorContent(place, cursor) ?? { region: '', guid: '' };
    const { groups, next, failed } = await line(() => compareInThread({ ...request, after }));
    return {
      first: { ...syncViews.entry(first), failed: failed.first },
      second: { ...syncViews.entry(second), failed: failed.second },
      groups: [...groups],
      nextCursor: next === undefined ? null : cursorText(next),
    };
  });
}

async function compareInThread(request: CompareRequest): Promise<ComparedPage> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const thread = openThread<CompareThread>(import.meta.url, './compare-thread', { passesRows: true });
  try {
    return await thread.askOnce('compare', request, deadline);
  } catch (error) {
    if (error === deadline.reason) throw new Problem('BUSY', 'Comparing the plans took too long; it was given up.');
    throw error;
  }
}
