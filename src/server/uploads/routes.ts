import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import { importOperations } from '../../api/imports.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { correctedFileRoute } from '../../features/correct/routes.ts';
import { inspectRoutes } from '../../features/inspect/routes.ts';
import { syncUploadRoute } from '../../features/sync/routes/sync-routes.ts';
import { reserveImport } from '../../imports/import-id.ts';
import type { Api, ServerContext } from '../context.ts';
import { importMaking } from '../import-handlers.ts';
import { serveAll } from '../serve.ts';
import { keptFile, openUploads } from './accept.ts';
import { FILE_TYPES, FORMS, uploadQuery } from './upload-options.ts';

const uploadOfImport = {
  ...importOperations.create,
  ...keptFile,
  query: uploadQuery,
  description: `The body is the file (${FORMS}, any of them gzipped), or a form with the part "file", and with the part "identities" or "groups" if the shape looks users or groups up in such a file.`,
};

/** `POST /v1/imports`, and the other addresses whose bodies are files. @param bounds as `openUploads` */
export async function uploadRoutes(
  app: Api,
  context: ServerContext,
  bounds: Pick<Parameters<typeof openUploads>[1], 'idleMs' | 'most'>,
) {
  const { coordinator, dir, views } = context;
  const waiting = join(dir.root, 'uploads');
  // Left by a process that was killed: what they were is not known.
  await rm(waiting, { recursive: true, force: true });
  const stopping = new AbortController();
  const uploads = openUploads(context, { ...bounds, waiting, signal: stopping.signal });

  await app.register(async (plain) => {
    const scope = plain as Api;
    scope.removeAllContentTypeParsers();
    // Bodies are read by the routes, piece by piece.
    scope.addContentTypeParser(FILE_TYPES, (_request, _body, done) => done(null));
    await scope.register(multipart);
    scope.addHook('preClose', async () => stopping.abort(new RollcallError('STOPPING', {})));

    serveAll(
      scope,
      { create: uploadOfImport },
      {
        create: async (query, call) => {
          const id = await uploads.take(query, call, {
            kind: 'import',
            make: async ({ path, file, options, lookups, keep, callFor }) => {
              const made = await reserveImport(dir);
              const source = join(dir.folder(made), 'input');
              await rename(path, source);
              keep(made);
              const { tags } = query;
              const wanted = { id: made, file, source, options, ...(tags && { tags }), lookups };
              await importMaking(context).create(wanted, callFor(made));
              return made;
            },
          });
          return views.of(coordinator.find(id));
        },
      },
    );
    inspectRoutes(scope, context, uploads);
    correctedFileRoute(scope, context, uploads);
    syncUploadRoute(scope, context, uploads);
  });
}
