import { existsSync } from 'node:fs';
import { readMade } from '../../imports/record/created.ts';
import type { Region } from '../../membership/membership.ts';
import { isCarriedOut } from '../../membership/sync-state.ts';
import type { Api, ServerContext, ServerFeature } from '../../server/context.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import { type CreatedView, MAX_MADE } from './api.ts';
import { Deletions, openUnderWay } from './deletions.ts';
import { createdOperations } from './operations.ts';
import { usersOfOthers } from './used-by-others.ts';

declare module '../../server/context.ts' {
  interface ServerContext {
    readonly deletions: Deletions;
  }
}

/** Deleting what imports created on the service. */
export const undo: ServerFeature = {
  open: ({ coordinator, dir, log }, { service, onStop }) => {
    const underWay = openUnderWay(dir.catalog);
    const deletions = new Deletions({
      dir,
      find: (id) => coordinator.find(id),
      underWay,
      pages: (...which) => coordinator.pages(...which),
      sendsTo: coordinator.sendsTo,
      regions: new Set(Object.keys(service.apps) as Region[]),
      usedByOthers: usersOfOthers(coordinator),
      onError: (id, err) => log.error({ err, import: id }, 'what an import created is not deleted'),
    });
    coordinator.events.on('removed', (id) => deletions.forget(id));
    onStop(async () => {
      await deletions.stop();
      underWay.close();
    });
    return { deletions };
  },
  routes: createdRoutes,
  started: ({ deletions }) => deletions.continueAll(),
};

/** Routes for the users and groups that imports created, and for deleting them. */
function createdRoutes(app: Api, { coordinator, deletions, dir, syncCatalog }: ServerContext): void {
  const usedByOthers = usersOfOthers(coordinator);

  const viewOf = async (id: string): Promise<CreatedView> => {
    coordinator.find(id);
    // Before the things: where no deletion is under way, they are as it has left them.
    const progress = deletions.progress(id) ?? null;
    const reason = deletions.reason(id);
    const isTakenBack = syncCatalog.undos(id).some(({ state }) => isCarriedOut(state));
    return { importId: id, ...(await madeBy(id)), isTakenBack, progress, reason };
  };

  /** Returns the things that it made; those that another import uses would be kept. */
  const madeBy = async (id: string): Promise<Pick<CreatedView, 'things' | 'total' | 'deletable'>> => {
    const ledger = dir.ledger(id);
    if (!existsSync(ledger)) return { things: [], total: 0, deletable: 0 };
    const { things, total, deletable } = readMade(ledger, MAX_MADE);
    const open = things.filter(({ code, undone }) => code === '' && (undone === null || undone === 'kept'));
    const used = await usedByOthers(id, open);
    return {
      things: things.map(({ id: thing, code: _, ...view }) => ({
        ...view,
        isUsed: used.has(thing),
        why: used.get(thing) ?? view.why,
      })),
      total,
      deletable: deletable - used.size,
    };
  };

  serve(app, createdOperations.list, async ({ params: { id } }) => viewOf(id));

  serve(app, createdOperations.remove, async ({ params: { id } }, reply, audited) => {
    const { isTakenBack, deletable } = await viewOf(id);
    if (!isTakenBack) {
      throw new Problem('WRONG_STATE', `The memberships of import ${id} are not undone yet.`, {
        remedy: `POST /v1/imports/${id}/undo?apply=true takes them back; approve that plan if a guard holds it.`,
      });
    }
    if (deletable > 0) deletions.start(id);
    audited(`${deletable}`);
    reply.header('location', `/v1/imports/${id}/created`);
    return await viewOf(id);
  });
}
