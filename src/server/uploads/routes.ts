import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import { importOperations } from '../../api/imports.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { inspectRoutes } from '../../features/inspect/routes.ts';
import { correctedFileRoute } from '../../features/repair/routes.ts';
import { syncUploadRoute } from '../../features/sync/routes/sync-upload.ts';
import { reserveImport } from '../../imports/import-id.ts';
import { inShort } from '../../text/wording.ts';
import type { Api, ServerContext } from '../context.ts';
import { importMaking } from '../import-handlers.ts';
import { serveAll } from '../serve.ts';
import { checkLength, keptFile, openUploads } from './accept.ts';
import { labelOf } from './receive.ts';
import { FILE_TYPES, FORMS, uploadOptions, uploadQuery } from './upload-options.ts';

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
export async function uploadRoutes(app: Api, context: ServerContext, { idleMs, most }: UploadLimits): Promise<void> {
  const { coordinator, dir, settings, access, views, recipes } = context;
  const { maxUploadBytes: maxBytes, region, sandbox } = { ...settings, region: settings.defaultRegion };
  const waiting = join(dir.root, 'uploads');
  // Left by a process that was killed: what they were is not known.
  await rm(waiting, { recursive: true, force: true });
  const isImport = (id: string) => coordinator.lookUp(id) !== undefined;
  const stopping = new AbortController();
  const uploads = openUploads({
    waiting,
    access,
    most,
    limits: { maxBytes, idleMs, signal: stopping.signal },
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
        create: async (query, { who, request, reply, audited }) => {
          const contentType = request.headers['content-type'] ?? '';
          // Refuse what can be refused before the file is sent.
          checkLength(request, maxBytes);
          const options = uploadOptions(query, { contentType, region, sandbox });
          recipes.check(options);
          const id = await uploads.take(
            request,
            reply,
            { ...query, contentType },
            async ({ path, name, type, lookups, keep }) => {
              const file = labelOf(query.name ?? name);
              // In a form, the part has the file's type.
              const chosen = request.isMultipart()
                ? uploadOptions(query, { contentType: type, region, sandbox })
                : options;
              const settled = await recipes.settle(chosen, { path }, file);
              const made = await reserveImport(dir);
              const source = join(dir.folder(made), 'input');
              await rename(path, source);
              keep(made);
              const { tags } = query;
              const wanted = { id: made, file, source, options: settled, ...(tags && { tags }), lookups };
              const said = inShort({ file, ...query, name: undefined, source: undefined });
              await importMaking(context).create(wanted, { who, audited: () => audited(said, made) });
              return made;
            },
            query.source,
          );
          return views.of(coordinator.find(id));
        },
      },
    );
    inspectRoutes(scope, context, uploads);
    correctedFileRoute(scope, context, uploads);
    syncUploadRoute(scope, context, uploads);
  });
}
