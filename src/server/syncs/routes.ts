import { z } from 'zod';
import { reasonBody, type SyncAction, syncsPage, syncsQuery, syncView } from '../../api/syncs.ts';
import { BadCursor } from '../../imports/catalog.ts';
import { WrongState } from '../../imports/import-errors.ts';
import { retryFile } from '../../imports/report/report-paths.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { SyncRecord } from '../../syncs/sync-catalog.ts';
import { inShort, noting } from '../access/noting.ts';
import type { Api, ServerContext } from '../context.ts';
import { badCursor } from '../paging.ts';
import { Problem } from '../problem.ts';
import { refusals } from '../problem-schema.ts';
import { undoDecision, undoQuery } from './options.ts';
import { syncActionsOf } from './views.ts';

const params = z.object({ id: z.string().meta({ description: 'Id of a sync.' }) });
const tags = ['syncs'];
/** Syncs: the list, one, what can be done with it, and the undo of an import. Their plans are in plan-routes.ts. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { coordinator, syncs, syncCatalog, syncViews, reading, dir, access } = context;
  const note = noting(access);

  app.get(
    '/v1/syncs',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'List syncs, newest first',
        querystring: syncsQuery,
        response: { 200: syncsPage, ...refusals('BAD_OPTION', 'BAD_CURSOR') },
      },
    },
    async ({ query: { state, limit, cursor } }) => {
      try {
        const page = syncCatalog.page({
          limit,
          ...(state !== undefined && { states: state }),
          ...(cursor !== undefined && { before: cursor }),
        });
        return { syncs: page.syncs.map(syncViews.entry), nextCursor: page.next ?? null };
      } catch (error) {
        throw error instanceof BadCursor ? badCursor(cursor ?? '') : error;
      }
    },
  );

  app.get(
    '/v1/syncs/:id',
    {
      config: { role: 'viewer' },
      schema: { tags, summary: 'One sync', params, response: { 200: syncView, ...refusals('UNKNOWN_SYNC') } },
    },
    async ({ params: { id } }) => syncViews.whole(syncs.find(id)),
  );

  /** @throws UnknownSync, Problem WRONG_STATE */
  const checked = (id: string, action: SyncAction): SyncRecord => {
    const record = syncs.find(id);
    const possible = syncActionsOf(record.state);
    if (!possible.includes(action)) {
      const detail = `Sync ${id} is ${record.state} and cannot be ${DONE[action]}.`;
      throw new Problem('WRONG_STATE', detail, { possible });
    }
    return record;
  };

  app.post(
    '/v1/syncs/:id/apply',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Carry out a stored plan; if file or groups have changed too much since, it becomes `stale`',
        params,
        response: { 200: syncView, ...refusals('UNKNOWN_SYNC', 'WRONG_STATE', 'WRONG_TARGET') },
      },
    },
    async ({ params: { id }, who, ip }) => {
      checked(id, 'apply');
      const record = await syncs.apply(id, who.name);
      note({ who, ip }, 'sync.apply', id, inShort({ file: record.file }));
      return syncViews.whole(record);
    },
  );

  for (const action of ['approve', 'reject'] as const) {
    app.post(
      `/v1/syncs/:id/${action}`,
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: SUMMARIES[action],
          params,
          body: reasonBody,
          response: {
            200: syncView,
            ...refusals('BAD_OPTION', 'BAD_BODY', 'UNKNOWN_SYNC', 'WRONG_STATE', 'WRONG_TARGET'),
          },
        },
      },
      async ({ params: { id }, body: { reason }, who, ip }) => {
        checked(id, action);
        const record = syncs[action](id, who.name, reason);
        note({ who, ip }, `sync.${action}`, id, reason);
        return syncViews.whole(record);
      },
    );
  }

  app.post(
    '/v1/imports/:id/undo',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Plan how to reverse an import, as a sync; apply=true carries it out',
        params: z.object({ id: z.string().meta({ description: 'Id of a finished import.' }) }),
        querystring: undoQuery,
        response: {
          202: syncView,
          ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'NO_ROWS_YET', 'WRONG_STATE', 'WRONG_TARGET'),
        },
      },
    },
    async ({ params: { id }, query, who, ip }, reply) => {
      const record = coordinator.find(id);
      const { state } = record;
      if (!isFinal(state)) {
        const possible = actionsOf(state, retryFile(dir.folder(id)) !== undefined);
        throw new WrongState(record, 'cannot be undone before it has finished', possible);
      }
      if (!reading.hasRows(id)) {
        throw new Problem('NO_ROWS_YET', `Nothing of import ${id} was sent: there is nothing to undo.`);
      }
      const made = await syncs.undo(id, { ...undoDecision(query), who: who.name });
      note({ who, ip }, 'import.undo', made, `of ${id}`);
      reply.header('location', `/v1/syncs/${made}`);
      return reply.code(202).send(syncViews.whole(syncs.find(made)));
    },
  );
}

const SUMMARIES = {
  approve: 'Approve a plan that a guard holds, this once and on record, and carry it out',
  reject: 'Put a plan away; it will not be carried out',
} as const;

const DONE: Readonly<Record<SyncAction, string>> = { apply: 'applied', approve: 'approved', reject: 'rejected' };
