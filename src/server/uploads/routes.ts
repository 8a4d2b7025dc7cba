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
import { keptFile, openUploads, takeFile } from './accept.ts';
import { FILE_TYPES, FORMS, uploadQuery } from './upload-options.ts';

const uploadOfImport = {
  ...importOperations.create,
  ...keptFile,
  query: uploadQuery,
  description: `The body is the file (${FORMS}, any of them gzipped), or a form with the part "file", and with the part "identities" or "groups" if the shape looks users or groups up in such a file.`,
};

export interface UploadLimits {
  readonly idleMs: number;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
}

/** `POST /v1/imports`, and the other addresses whose bodies are files. */
export async function uploadRoutes(app: Api, context: ServerContext, { idleMs, most }: UploadLimits) {
  const { coordinator, dir, settings, access, views } = context;
  const waiting = join(dir.root, 'uploads');
  // Left by a process that was killed: what they were is not known.
  await rm(waiting, { recursive: true, force: true });
  const isImport = (id: string) => coordinator.lookUp(id) !== undefined;
  const stopping = new AbortController();
  const uploads = openUploads({
    waiting,
    access,
    most,
    limits: { maxBytes: settings.maxUploadBytes, idleMs, signal: stopping.signal },
    fetching: () => ({ ...context.fetching, sources: settings.sources }),
  });

  uploads.made.push(isImport);

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
          const id = await takeFile(context, uploads, query, call, {
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
