import { rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Call, HandlersOf } from '../../../api/operation.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { endingBefore } from '../../../imports/ends/ends.ts';
import { checkMeant } from '../../../imports/target.ts';
import { REGIONS } from '../../../membership/membership.ts';
import { cursorContent, cursorText, pageOf } from '../../../platform/cursors.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import type { ServerContext } from '../../../server/context.ts';
import { inShort, isoTime } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { decisionOf, type Sync, syncRequest } from '../kept-sync.ts';
import { bringBack, membersCsv } from '../memory/memory.ts';
import { syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import { type PlanReader, readingPlan } from '../plan/plan-reading.ts';
import { type PlanDownload, planBytes } from '../plan/plan-tables.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import type { SyncCatalogReader } from '../sync-catalog.ts';
import { entryOf, wholeSync } from '../sync-views.ts';

interface SyncsRead {
  readonly dir: DataDir;
  /** Those of this process, if it plans any. */
  readonly syncs?: SyncRunner;
  /** @throws UNKNOWN_SYNC */
  readonly find: (id: string) => Sync;
  readonly page: SyncCatalogReader['page'];
  /** The plan as a file: made by this thread, or by one of its own. */
  readonly pieces: (download: PlanDownload) => AsyncIterable<string | Uint8Array>;
}

/** Does what reads syncs, their plans, and the memory of those with a name, in any process that can. */
export function syncReadingHandlers({ dir, syncs, find, page, pieces }: SyncsRead) {
  /** @throws UNKNOWN_SYNC; NO_PLAN_YET */
  const planOf = (id: string) => {
    const { state, totals, reason } = find(id);
    if (totals === null) throw new RollcallError('NO_PLAN_YET', { id, state, reason });
    return planFiles(dir.sync(id)).plan;
  };
  const reading = async <Result>(id: string, read: (plan: PlanReader) => Result | Promise<Result>) =>
    readingPlan(planOf(id), read);
  return {
    list: async (wanted) => {
      const found = page(wanted);
      return { ...found, syncs: found.syncs.map((sync) => entryOf(sync, syncs)) };
    },
    one: async ({ id }) => wholeSync(dir, find(id), syncs),
    groups: ({ id, ...wanted }) => reading(id, (plan) => plan.groupPage(wanted)),
    findings: ({ id, ...wanted }) => reading(id, (plan) => plan.findingPage(wanted)),
    actions: ({ id, ...wanted }) => reading(id, (plan) => plan.actionPage(wanted)),
    bringBack: async ({ name, uids }, { audited }) => {
      bringBack(dir.memory, name, uids);
      audited(`${name}: ${uids?.join(', ') ?? 'all'}`);
    },
    members: async ({ name }) => membersCsv(dir.memory, name),
    ending: async ({ within, limit, cursor }) => {
      const before = within === undefined ? Number.MAX_SAFE_INTEGER : Date.now() + within;
      const found = endingBefore(dir.ends, syncs?.sendsTo, before, limit + 1, cursorContent(endingPlace, cursor));
      const { items, nextCursor } = pageOf(found, limit, ({ by: _, ...last }) => cursorText(last));
      return { memberships: items.map(({ app: _, ...one }) => ({ ...one, until: isoTime(one.until) })), nextCursor };
    },
    plan: async ({ id, format = 'csv', width, color }) =>
      pieces({ path: planOf(id), format, text: { width, color: color === 'true' } }),
  } satisfies HandlersOf<typeof syncOperations>;
}

const endingPlace = z.strictObject({
  until: z.int(),
  app: z.string(),
  region: z.enum(REGIONS),
  guid: z.string(),
  uid: z.string(),
});

/** A decision about a plan, with the reason on record. @param decide refuses where the state does not allow it */
export function deciding(decide: (id: string, who: string, reason: string) => Sync, whole: (sync: Sync) => SyncView) {
  return async ({ id, reason }: { readonly id: string; readonly reason: string }, { who, audited }: Call) => {
    const sync = decide(id, who, reason);
    audited(reason);
    return whole(sync);
  };
}

/** `POST /v1/syncs` of a file on this machine: as commands ask for it, and of an upload that has come. */
export const syncFileOperations = {
  create: { ...syncOperations.create, query: undefined, body: syncRequest },
};

/** Begins the sync of a file on this machine. The folder that was made for it goes where it cannot begin. */
export function syncMaking({ dir, syncs }: Pick<ServerContext, 'dir' | 'syncs'>) {
  return {
    create: async ({ sandbox, target, ...wanted }, { who, audited }) => {
      const { id, file, source, reading, ...asked } = wanted;
      try {
        if (sandbox !== undefined) checkMeant(file, { sandbox, target }, syncs.sendsTo);
        const made = await syncs.create({ ...wanted, who });
        audited(inShort({ file, ...asked }), made);
        return wholeSync(dir, syncs.find(made), syncs);
      } catch (error) {
        const isLeft = id !== undefined && syncs.catalog.find(id) === undefined;
        if (isLeft) await rm(dir.sync(id), { recursive: true, force: true });
        throw error;
      }
    },
  } satisfies HandlersOf<typeof syncFileOperations>;
}

/** Syncs, in the process that plans them and carries them out. */
export function syncHandlers({ dir, syncs }: Pick<ServerContext, 'dir' | 'syncs'>) {
  const find = (id: string) => syncs.find(id);
  const whole = (sync: Sync) => wholeSync(dir, sync, syncs);
  return {
    ...syncReadingHandlers({ dir, syncs, find, page: syncs.catalog.page, pieces: planBytes }),
    undo: async ({ id, ...query }, { who, audited }) => {
      const made = await syncs.undo(id, { ...decisionOf(query), who });
      audited(`of ${id} ${inShort(query)}`.trimEnd(), made);
      return whole(find(made));
    },
    expire: async (query, { who, audited }) => {
      const made = await syncs.expire({ ...decisionOf(query), who });
      audited(inShort(query), made);
      return whole(find(made));
    },
    apply: async ({ id }, { who, audited }) => {
      const sync = await syncs.apply(id, who);
      audited(inShort({ file: sync.file }));
      return whole(sync);
    },
    approve: deciding((...asked) => syncs.approve(...asked), whole),
    reject: deciding(syncs.catalog.reject, whole),
  } satisfies HandlersOf<typeof syncOperations>;
}
