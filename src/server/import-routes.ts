import type { z } from 'zod';
import type { BulkAnswer, bulkBody } from '../api/imports.ts';
import { importOperations } from '../api/operations/import-operations.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import type { ResumeChanges } from '../imports/life/creating-step.ts';
import { rowFilterOf, rowFilterOptions } from '../imports/report/found-rows.ts';
import type { ImportState } from '../membership/import-state.ts';
import { inShort } from '../text/wording.ts';
import type { Api, ServerContext } from './context.ts';
import { problemDocument } from './problem.ts';
import { problemOf } from './refusals.ts';
import { sendingPlanOf } from './sending-plan.ts';
import { serve } from './serve.ts';

type Verb = 'pause' | 'resume' | 'cancel';

/** Imports: the list, one, what can be done with it, and its journal. Uploads are in uploads/. */
export function importRoutes(app: Api, context: ServerContext): void {
  const { coordinator, reading, views } = context;

  serve(app, importOperations.list, async ({ query: { limit, cursor, ...filter } }) => {
    const { imports, next } = reading.page({
      limit,
      ...filter,
      ...(cursor !== undefined && { before: cursor }),
    });
    return { imports: await Promise.all(imports.map((record) => views.of(record))), nextCursor: next ?? null };
  });

  serve(app, importOperations.one, async ({ params: { id } }) => views.of(coordinator.find(id)));

  serve(app, importOperations.act, async ({ body }, _reply, audited): Promise<BulkAnswer> => {
    const results: BulkAnswer['results'] = [];
    // One after the other, so that each waits for what is running.
    for (const id of new Set(body.ids)) {
      try {
        const state = await actOn(context, id, body);
        audited(body.tags === undefined ? '' : inShort(body.tags), id, `import.${body.action}`);
        results.push({ id, state });
      } catch (error) {
        const refused = problemOf(error);
        if (refused === undefined) throw error;
        results.push({ id, state: stateOf(context, id), problem: problemDocument(refused) });
      }
    }
    return { results };
  });

  serve(app, importOperations.sending, async ({ params: { id }, query }) =>
    sendingPlanOf(context, coordinator.find(id), query),
  );

  serve(app, importOperations.resume, async ({ params: { id }, query }, _reply, audited) => {
    const record = await act(context, id, 'resume', query);
    audited(inShort(query));
    return views.of(record);
  });
  for (const verb of ['pause', 'cancel'] as const) {
    serve(app, importOperations[verb], async ({ params: { id } }) => views.of(await act(context, id, verb, {})));
  }

  serve(app, importOperations.retry, async ({ params: { id }, query, who }, reply, audited) => {
    const only = rowFilterOf(query);
    const made = await coordinator.retry(id, { only, createdBy: who.name });
    const chosen = new URLSearchParams(rowFilterOptions(only)).toString();
    audited(chosen === '' ? `of ${id}` : `of ${id}, only ${chosen.slice(0, 500)}`, made);
    reply.header('location', `/v1/imports/${made}`);
    return views.of(coordinator.find(made));
  });

  serve(app, importOperations.remove, async ({ params: { id } }, _reply, audited) => {
    const { file } = coordinator.find(id);
    await coordinator.remove(id);
    audited(inShort({ file }));
  });

  serve(app, importOperations.journal, async ({ params: { id } }) => {
    coordinator.find(id);
    const moves = reading.transitions(id);
    return { transitions: moves.map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })) };
  });
}

/** Returns its new state; null for one that is deleted. */
async function actOn(
  context: ServerContext,
  id: string,
  { action, tags: changes = {} }: z.infer<typeof bulkBody>,
): Promise<ImportState | null> {
  const { coordinator } = context;
  if (action === 'dismiss') return coordinator.dismiss(id).state;
  if (action === 'tag') return coordinator.tag(id, changes).state;
  if (action !== 'delete') return (await act(context, id, action, {})).state;
  await coordinator.remove(id);
  return null;
}

function stateOf({ reading }: ServerContext, id: string): ImportState | null {
  return reading.find(id)?.state ?? null;
}

function act({ coordinator }: ServerContext, id: string, verb: Verb, changes: ResumeChanges): Promise<ImportRecord> {
  return verb === 'resume' ? coordinator.resume(id, changes) : coordinator[verb](id);
}
