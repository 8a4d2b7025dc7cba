import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import { syncUploadRoute } from '../../features/sync/routes/upload.ts';
import { UnknownSync } from '../../features/sync/sync-errors.ts';
import { UnknownImport } from '../../imports/import-errors.ts';
import { reserveImport } from '../../imports/import-id.ts';
import { inShort } from '../../text/wording.ts';
import { callerOf, sendJson } from '../bounded-answer.ts';
import type { Api, ServerContext } from '../context.ts';
import { Problem } from '../problem.ts';
import { serve } from '../serve.ts';
import { checkLength, openUploads, takeHead } from './accept.ts';
import { labelOf } from './body.ts';
import { inspectRoute } from './inspect.ts';
import { uploadKeys } from './keys.ts';
import { lookRoute } from './look.ts';
import { uploadOperations } from './operations.ts';
import { FILE_TYPES, optionsOf } from './options.ts';
import { PREVIEW_BYTES, PREVIEW_ZIP_BYTES, previewWith } from './preview.ts';
import { optionsFor, recipeFor } from './recipe.ts';

export interface UploadLimits {
  readonly idleMs: number;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
}

/** `POST /v1/imports`, `/v1/syncs` and `/v1/preview`: bodies that are files. */
export async function uploadRoutes(app: Api, context: ServerContext, { idleMs, most }: UploadLimits): Promise<void> {
  const { coordinator, syncs, dir, settings, access, views } = context;
  const { maxUploadBytes: maxBytes, region, sandbox } = { ...settings, region: settings.defaultRegion };
  const waiting = join(dir.root, 'uploads');
  // Left by a process that was killed: what they were is not known.
  await rm(waiting, { recursive: true, force: true });
  const isImport = (id: string) => isKnown(() => coordinator.find(id));
  const isSync = (id: string) => isKnown(() => syncs.find(id));
  const stopping = new AbortController();
  const uploads = openUploads({
    waiting,
    keys: uploadKeys(access, (id) => isImport(id) || isSync(id)),
    most,
    limits: { maxBytes, idleMs, signal: stopping.signal },
  });

  await app.register(async (plain) => {
    const scope = plain as Api;
    scope.removeAllContentTypeParsers();
    // Bodies are read by the routes, piece by piece.
    scope.addContentTypeParser(FILE_TYPES, (_request, _body, done) => done(null));
    await scope.register(multipart);
    scope.addHook('preClose', async () =>
      stopping.abort(new Problem('STOPPING', 'The server stops; the upload was given up.')),
    );

    serve(scope, uploadOperations.import, async (request, reply, audited) => {
      const { query, headers } = request;
      const contentType = headers['content-type'] ?? '';
      // Refuse what can be refused before the file is sent.
      checkLength(request, maxBytes);
      const options = optionsOf(query, { contentType, region, sandbox });
      const recipe = recipeFor(dir, options);
      const id = await uploads.take(
        request,
        reply,
        { ...query, contentType },
        async ({ path, name, type, identities, keep }) => {
          const made = await reserveImport(dir);
          try {
            const source = join(dir.folder(made), 'input');
            await rename(path, source);
            keep(made);
            const file = labelOf(query.name ?? name);
            // Of a form the part says what the file is.
            const chosen = request.isMultipart() ? optionsOf(query, { contentType: type, region, sandbox }) : options;
            const settled = await optionsFor(coordinator.reading, recipe, {
              options: chosen,
              file: { path: source },
              name: file,
            });
            await coordinator.create({
              ...{ id: made, file, source, options: settled, createdBy: request.who.name },
              ...(query.tags !== undefined && { tags: query.tags }),
              ...(identities && { identities }),
            });
            audited(inShort({ file, ...query, name: undefined }), made);
            return made;
          } finally {
            if (!isImport(made)) await rm(dir.folder(made), { recursive: true, force: true });
          }
        },
      );
      reply.header('location', `/v1/imports/${id}`);
      return views.of(coordinator.find(id));
    });
    syncUploadRoute(scope, context, uploads);
    const limits = { maxBytes: PREVIEW_BYTES, maxZipBytes: PREVIEW_ZIP_BYTES, idleMs, signal: stopping.signal };
    inspectRoute(scope, context, limits);
    lookRoute(scope, context, limits);

    serve(scope, uploadOperations.preview, async (request, reply) => {
      const { query } = request;
      const caller = callerOf(reply);
      const { head, type, name } = await takeHead(request, limits);
      const shown = name === undefined ? 'the file' : labelOf(name);
      return sendJson(reply, await previewWith(context, { head, name: shown, type, query }, caller));
    });
  });
}

/** Whether `find` finds what it looks for. */
function isKnown(find: () => unknown): boolean {
  try {
    return find() !== undefined;
  } catch (error) {
    if (error instanceof UnknownImport || error instanceof UnknownSync) return false;
    throw error;
  }
}
