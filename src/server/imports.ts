import { z } from 'zod';
import {
  type BulkAnswer,
  bulkAnswer,
  bulkBody,
  importJournal,
  importsPage,
  importsQuery,
  importView,
  retryQuery,
  sendingPlan,
} from '../api/imports.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { WrongState, WrongTarget } from '../imports/import-errors.ts';
import { readOptions } from '../imports/import-options.ts';
import type { ResumeChanges } from '../imports/life/creating-step.ts';
import { filterOf } from '../imports/list-filter.ts';
import { retryFile } from '../imports/report/report-paths.ts';
import { rowFilterOf, rowFilterOptions } from '../imports/report/row-filter.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { type ImportState, TransitionError } from '../membership/import-state.ts';
import { BAN_CHECK } from '../options/ban-options.ts';
import { CREATING, MAX_CREATE } from '../options/create-options.ts';
import { LEAVING_OUT, REMOVING } from '../options/sending-options.ts';
import { inShort, noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { queryOf } from './option-query.ts';
import { problemDocument } from './problem.ts';
import { refusals } from './problem-schema.ts';
import { problemOf } from './refusals.ts';
import { sendingPlanOf } from './sending-plan.ts';

const { createUsers, createGroups, userNameFrom, groupNameFrom } = CREATING;
/** What `resume` may change of an import that waits for an answer. */
const RESUMING = {
  ...{ createUsers, createGroups, userNameFrom, groupNameFrom },
  ...{ ...MAX_CREATE, ...REMOVING, ...BAN_CHECK, ...LEAVING_OUT },
};

const VERBS = {
  pause: 'Let calls in flight finish, and send no more until `resume`',
  resume: 'Continue an import that is staged, paused or blocked',
  cancel: 'End an import; what was not sent is `unprocessed`',
} as const;
type Verb = keyof typeof VERBS;

const params = z.object({ id: z.string().meta({ description: 'Id of an import.' }) });
const tags = ['imports'];

/** Imports: the list, one, what can be done with it, and its journal. Uploads are in uploads/. */
export function importRoutes(app: Api, context: ServerContext): void {
  const { coordinator, reading, views, access } = context;
  const note = noting(access);

  app.get(
    '/v1/imports',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'List imports, newest first',
        querystring: importsQuery,
        response: { 200: importsPage, ...refusals('BAD_OPTION', 'BAD_CURSOR') },
      },
    },
    async ({ query: { limit, cursor, ...filter } }) => {
      const { imports, next } = reading.page({
        limit,
        ...filterOf(filter),
        ...(cursor !== undefined && { before: cursor }),
      });
      return { imports: await Promise.all(imports.map(views.of)), nextCursor: next ?? null };
    },
  );

  app.get(
    '/v1/imports/:id',
    {
      config: { role: 'viewer' },
      schema: { tags, summary: 'One import', params, response: { 200: importView, ...refusals('UNKNOWN_IMPORT') } },
    },
    async ({ params: { id } }) => views.of(coordinator.find(id)),
  );

  app.post(
    '/v1/imports/actions',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Do one thing with several imports: pause, resume, cancel, delete, tag or dismiss them',
        description:
          'To `dismiss` an import leaves its rows that need attention as they are: it needs no person until there are more of them.',
        body: bulkBody,
        response: { 200: bulkAnswer, ...refusals('BAD_OPTION') },
      },
    },
    async ({ body, who, ip }): Promise<BulkAnswer> => {
      const results: BulkAnswer['results'] = [];
      // One after the other, so that each waits for what is running.
      for (const id of new Set(body.ids)) {
        try {
          const state = await actOn(context, id, body);
          note({ who, ip }, `import.${body.action}`, id, body.tags === undefined ? '' : inShort(body.tags));
          results.push({ id, state });
        } catch (error) {
          const refused = problemOf(error);
          if (refused === undefined) throw error;
          results.push({ id, state: stateOf(context, id), problem: problemDocument(refused) });
        }
      }
      return { results };
    },
  );

  app.get(
    '/v1/imports/:id/sending',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary:
          'What sending the rows that wait takes, and where they go; of an import that is over, what a retry takes',
        params,
        querystring: z.strictObject(queryOf(LEAVING_OUT)),
        response: { 200: sendingPlan, ...refusals('UNKNOWN_IMPORT', 'NO_ROWS_YET', 'NO_CHECK_YET') },
      },
    },
    async ({ params: { id }, query }) => sendingPlanOf(context, coordinator.find(id), query),
  );

  for (const verb of Object.keys(VERBS) as Verb[]) {
    app.post(
      `/v1/imports/:id/${verb}`,
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: VERBS[verb],
          params,
          ...(verb === 'resume' && {
            querystring: z.strictObject(queryOf(RESUMING)),
          }),
          response: {
            200: importView,
            ...refusals(
              ...([
                'UNKNOWN_IMPORT',
                'WRONG_STATE',
                'WRONG_TARGET',
                'REGION_WITHOUT_APP',
                'TOO_MANY_REMOVALS',
              ] as const),
              ...(verb === 'resume' ? (['NO_CHECK_YET'] as const) : []),
            ),
          },
        },
      },
      async ({ params: { id }, query, who, ip }) => {
        const changes = query as ResumeChanges;
        const record = await act(context, id, verb, changes);
        note({ who, ip }, `import.${verb}`, id, inShort(changes));
        return views.of(record);
      },
    );
  }

  app.post(
    '/v1/imports/:id/retry',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Send again what failed, was not confirmed or was not sent, as a new import',
        description: 'With options that choose rows: only those among them.',
        params,
        querystring: retryQuery,
        response: { 202: importView, ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET') },
      },
    },
    async ({ params: { id }, query, who, ip }, reply) => {
      const only = rowFilterOf(query);
      const made = await coordinator.retry(id, { only, createdBy: who.name });
      const chosen = new URLSearchParams(rowFilterOptions(only)).toString();
      note({ who, ip }, 'import.retry', made, chosen === '' ? `of ${id}` : `of ${id}, only ${chosen.slice(0, 500)}`);
      reply.header('location', `/v1/imports/${made}`);
      return reply.code(202).send(await views.of(coordinator.find(made)));
    },
  );

  app.delete(
    '/v1/imports/:id',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Delete an import that has finished, or is staged and not started, with all its files',
        params,
        response: { 204: z.void().meta({ description: 'Deleted.' }), ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE') },
      },
    },
    async ({ params: { id }, who, ip }, reply) => {
      const { file } = coordinator.find(id);
      await coordinator.remove(id);
      note({ who, ip }, 'import.delete', id, inShort({ file }));
      return reply.code(204).send();
    },
  );

  app.get(
    '/v1/imports/:id/transitions',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: "An import's journal: every state that it was in, and why",
        params,
        response: { 200: importJournal, ...refusals('UNKNOWN_IMPORT') },
      },
    },
    async ({ params: { id } }) => {
      coordinator.find(id);
      const moves = reading.transitions(id);
      return { transitions: moves.map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })) };
    },
  );
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

/** Carries out the action, or says what is possible instead. */
async function act(
  { coordinator, dir, settings }: ServerContext,
  id: string,
  verb: Verb,
  changes: ResumeChanges,
): Promise<ImportRecord> {
  const record = coordinator.find(id);
  const { sandbox } = readOptions(record);
  if (verb === 'resume' && sandbox !== settings.sandbox) throw new WrongTarget(`import ${id}`, sandbox);
  try {
    return await (verb === 'resume' ? coordinator.resume(id, changes) : coordinator[verb](id));
  } catch (error) {
    if (!(error instanceof TransitionError)) throw error;
    const now = coordinator.find(id);
    const possible = actionsOf(now.state, retryFile(dir.folder(id)) !== undefined);
    throw new WrongState(now, `cannot be ${DONE[verb]}`, possible);
  }
}

const DONE: Readonly<Record<Verb, string>> = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' };
