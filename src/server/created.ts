import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type CreatedView, createdView, MOST_MADE } from '../api/created.ts';
import { readMade } from '../imports/record/created.ts';
import { isCarriedOut } from '../membership/sync-state.ts';
import { noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { Problem } from './problem.ts';
import { refusals } from './problem-schema.ts';

const tags = ['imports'];
const params = z.object({ id: z.string().meta({ description: 'Id of an import.' }) });

/** What imports created on the service, and deleting that. */
export function createdRoutes(app: Api, { coordinator, dir, access, syncCatalog }: ServerContext): void {
  const note = noting(access);
  const { deletions } = coordinator;

  const viewOf = async (id: string): Promise<CreatedView> => {
    coordinator.find(id);
    const made = await madeBy(id);
    const isTakenBack = syncCatalog.undos(id).some(({ state }) => isCarriedOut(state));
    const progress = deletions.progress(id) ?? null;
    return { importId: id, ...made, isTakenBack, progress, reason: deletions.reason(id) };
  };

  /** What it made; what another import uses would be kept. */
  const madeBy = async (id: string): Promise<Pick<CreatedView, 'things' | 'total' | 'deletable'>> => {
    const ledger = dir.ledger(id);
    if (!existsSync(ledger)) return { things: [], total: 0, deletable: 0 };
    const { things, total, deletable } = readMade(ledger, MOST_MADE);
    const open = things.filter(({ code, undone }) => code === '' && (undone === null || undone === 'kept'));
    const used = await coordinator.usedByOthers(id, open);
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

  app.get(
    '/v1/imports/:id/created',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'Users and groups that an import created or made active again, and whether they were deleted',
        params,
        response: { 200: createdView, ...refusals('UNKNOWN_IMPORT') },
      },
    },
    async ({ params: { id } }) => viewOf(id),
  );

  app.delete(
    '/v1/imports/:id/created',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Delete for good the users and groups that an import created, where no one else uses them',
        description:
          'Possible when its memberships were undone. It continues after the answer, and after a restart of the server; where it ended early, the next request continues it.',
        params,
        response: {
          202: createdView,
          ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'),
        },
      },
    },
    async ({ params: { id }, who, ip }, reply) => {
      const { isTakenBack, deletable } = await viewOf(id);
      if (!isTakenBack) {
        throw new Problem('WRONG_STATE', `The memberships of import ${id} are not undone yet.`, {
          remedy: `POST /v1/imports/${id}/undo?apply=true takes them back; approve that plan if a guard holds it.`,
        });
      }
      if (deletable > 0) deletions.start(id);
      note({ who, ip }, 'import.delete-created', id, `${deletable}`);
      reply.header('location', `/v1/imports/${id}/created`);
      return reply.code(202).send(await viewOf(id));
    },
  );
}
