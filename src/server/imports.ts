import { z } from 'zod';
import { importJournal, importsPage, importsQuery, importView } from '../api/imports.ts';
import type { ImportRecord } from '../imports/catalog.ts';
import { WrongState, WrongTarget } from '../imports/import-errors.ts';
import { readOptions } from '../imports/import-options.ts';
import type { ResumeChanges } from '../imports/life/creating-step.ts';
import { retryFile } from '../imports/report/report-paths.ts';
import { actionsOf } from '../membership/import-actions.ts';
import { TransitionError } from '../membership/import-state.ts';
import { inShort, noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { refusals } from './problem-schema.ts';
import { maxCreateQuery } from './uploads/create-query.ts';
import { maxRemovalsQuery } from './uploads/shape-query.ts';

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
    async ({ query: { state, limit, cursor } }) => {
      const { imports, next } = reading.page({
        limit,
        ...(state !== undefined && { states: state }),
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
            querystring: z.strictObject({ maxCreate: maxCreateQuery, maxRemovals: maxRemovalsQuery }),
          }),
          response: {
            200: importView,
            ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP', 'TOO_MANY_REMOVALS'),
          },
        },
      },
      async ({ params: { id }, query, who, ip }) => {
        const record = await act(context, id, verb, query as ResumeChanges);
        note({ who, ip }, `import.${verb}`, id);
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
        params,
        response: { 202: importView, ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET') },
      },
    },
    async ({ params: { id }, who, ip }, reply) => {
      const made = await coordinator.retry(id);
      note({ who, ip }, 'import.retry', made, `of ${id}`);
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

/** Does it, or says what is possible instead. */
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
