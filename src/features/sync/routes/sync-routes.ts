import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { z } from 'zod';
import { queryOf } from '../../../api/fields.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { lookupCopy } from '../../../imports/stage/lookup-copies.ts';
import { CREATION } from '../../../options/create-options.ts';
import { MODE, NAMING } from '../../../options/deciding-options.ts';
import { mapLookupsInTurn } from '../../../options/lookups.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { attachment, sendFile } from '../../../server/http-answers.ts';
import { serveAll } from '../../../server/serve.ts';
import { keptFile, type Uploads } from '../../../server/uploads/accept.ts';
import { labelOf } from '../../../server/uploads/receive.ts';
import { FORMS, FROM, KEPT_READING, RECIPE } from '../../../server/uploads/upload-options.ts';
import { decisionOf, reserveSync, syncReadingOf } from '../kept-sync.ts';
import { DECIDING, syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import { hasBefore, wholeSync } from '../sync-views.ts';
import { syncHandlers, syncMaking } from './sync-handlers.ts';

export function syncRoutes(app: Api, context: ServerContext) {
  const { syncs, dir } = context;
  for (const url of ['/syncs', '/ending', '/syncs/:id']) pageRoute(app, url);
  const handlers = syncHandlers(context);
  const ofSync = (id: string, tail: string) => attachment(syncs.find(id).file, `${id}-${tail}`);
  serveAll(app, syncOperations, {
    ...handlers,
    plan: async (wanted, { reply }) => {
      const { id, format = 'csv' } = wanted;
      const name = ofSync(id, `plan.${format === 'markdown' ? 'md' : format}`);
      return sendFile(reply, format, name, await handlers.plan(wanted));
    },
    members: async ({ name }, { reply }) =>
      sendFile(reply, 'csv', attachment(name, 'members.csv'), await handlers.members({ name })),
    before: async ({ id }, { reply }) => {
      if (!hasBefore(dir, syncs.find(id))) {
        throw new RollcallError('NOT_FOUND', {
          what: `sync ${id} was not carried out, or it takes nothing from anyone.`,
        });
      }
      return sendFile(reply, 'csv', ofSync(id, 'before.csv'), createReadStream(planFiles(dir.sync(id)).before));
    },
  });
}

const syncQuery = z.strictObject({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Name of the file. Syncs of files with one name are runs of the same sync, unless `syncName` names it: guards compare each with the one before.',
    ),
  ...queryOf({ ...NAMING, ...MODE, ...CREATION, ...DECIDING }),
  ...FROM,
  ...KEPT_READING,
  ...RECIPE,
});

const uploadOfSync = {
  ...syncOperations.create,
  ...keptFile,
  query: syncQuery,
  description: `The body is the file (${FORMS}, any of them gzipped), or a form as for an import. Nothing is sent before the whole file has been read, the groups have been listed, and no guard objects.`,
};

/** `POST /v1/syncs`. @param scope leaves bodies to its routes */
export function syncUploadRoute(scope: Api, context: ServerContext, uploads: Uploads) {
  const { syncs, dir } = context;
  serveAll(
    scope,
    { create: uploadOfSync },
    {
      create: async (query, call) => {
        const decision = decisionOf(query);
        const id = await uploads.take(query, call, {
          kind: 'sync',
          check: syncReadingOf,
          make: async ({ path, name, file, lookups, keep, options, callFor }) => {
            const made = await reserveSync(dir);
            await rename(path, planFiles(dir.sync(made)).input);
            const kept = await mapLookupsInTurn(lookups, async ({ path: sent, name }, lookup) => {
              const copy = lookupCopy(dir.sync(made), lookup);
              await rename(sent, copy);
              return { path: copy, name };
            });
            keep(made);
            const { create, ...settled } = options;
            const called = query.name ?? name;
            // In place of the path that a sync on the command line reads: it finds the previous run. A file without a name has none.
            const source = `upload:${called === undefined ? made : labelOf(called)}`;
            const wanted = { id: made, file, source, reading: syncReadingOf(settled, kept), create, ...decision };
            await syncMaking(context).create(wanted, callFor(made));
            return made;
          },
        });
        return wholeSync(dir, syncs.find(id), syncs);
      },
    },
  );
}
