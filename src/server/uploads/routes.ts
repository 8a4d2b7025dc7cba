import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UnknownImport } from '../../pipeline/import-errors.ts';
import { reserveImport } from '../../pipeline/import-id.ts';
import type { Api, ServerContext } from '../context.ts';
import { importView } from '../import-views.ts';
import { Problem } from '../problem.ts';
import { refusals } from '../problem-schema.ts';
import { fileOf, labelOf } from './body.ts';
import { uploadKeys } from './keys.ts';
import { FILE_TYPES, optionsOf, readingQuery, uploadQuery } from './options.ts';
import { PREVIEW_BYTES, preview, previewView } from './preview.ts';
import { type ReceiveOptions, receive, receiveHead, tooLarge } from './receive.ts';

export interface UploadLimits {
  readonly idleMs: number;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
}

/** Seconds after which a refused upload may find room. */
const BUSY_SECONDS = 2;

/** `POST /v1/imports` and `POST /v1/preview`: bodies that are files. */
export async function uploadRoutes(app: Api, context: ServerContext, { idleMs, most }: UploadLimits): Promise<void> {
  const { coordinator, dir, settings, access, views } = context;
  const { maxUploadBytes: mostBytes, region, sandbox } = { ...settings, region: settings.defaultRegion };
  const waiting = join(dir.root, 'uploads');
  // Of a process that was killed: nobody knows what they were.
  await rm(waiting, { recursive: true, force: true });
  const exists = (id: string) => {
    try {
      return coordinator.find(id) !== undefined;
    } catch (error) {
      if (error instanceof UnknownImport) return false;
      throw error;
    }
  };
  const keys = uploadKeys(access, exists);
  const stopping = new AbortController();
  let underWay = 0;

  await app.register(async (plain) => {
    const scope = plain as Api;
    scope.removeAllContentTypeParsers();
    // Bodies are read by the routes, piece by piece.
    scope.addContentTypeParser(FILE_TYPES, (_request, _body, done) => done(null));
    await scope.register(multipart);
    scope.addHook('preClose', async () =>
      stopping.abort(new Problem('STOPPING', 'The server stops; the upload was given up.')),
    );

    scope.post(
      '/v1/imports',
      {
        config: { role: 'operator', ownClock: true },
        schema: {
          tags: ['imports'],
          summary: 'Import a file',
          description: `The body is the file (${FILE_TYPES.join(', ')}, any of them gzipped), or a form with the one part "file".`,
          querystring: uploadQuery,
          headers: z.object({
            'idempotency-key': z
              .string()
              .optional()
              .meta({ description: 'The same key with the same file and options makes one import, for a day.' }),
          }),
          response: {
            202: importView,
            ...refusals(
              'BAD_OPTION',
              'BAD_BODY',
              'KEY_IN_USE',
              'TOO_LARGE',
              'MEDIA_TYPE',
              'KEY_REUSED',
              'BUSY',
              'STOPPING',
              'DISK_FULL',
            ),
          },
        },
      },
      async (request, reply) => {
        const { who, query, headers } = request;
        const contentType = headers['content-type'] ?? '';
        // What can be known before the file is sent is said before the file is sent.
        checkLength(request, mostBytes);
        const options = optionsOf(query, { contentType, region, sandbox });
        if (underWay >= most) {
          reply.header('retry-after', BUSY_SECONDS);
          throw new Problem(
            'BUSY',
            `${underWay} uploads are under way, and this server takes ${most} at the same time.`,
          );
        }
        const keyed = keys.begin(who.id, headers['idempotency-key'], { ...query, contentType });
        underWay += 1;
        const path = join(waiting, `${randomUUID()}.part`);
        let id: string | undefined;
        try {
          await mkdir(waiting, { recursive: true, mode: 0o700 });
          const limits: ReceiveOptions = { mostBytes, idleMs, signal: stopping.signal };
          const { name, hash, type } = await fileOf(request, async ({ stream, ...sent }) => ({
            ...sent,
            ...(await receive(stream, path, limits)),
          }));
          const before = keyed.madeBefore(hash);
          if (before !== undefined) {
            reply.header('idempotency-replayed', 'true').header('location', `/v1/imports/${before}`);
            return reply.code(202).send(await views.of(coordinator.find(before)));
          }
          id = await reserveImport(dir);
          const source = join(dir.folder(id), 'input');
          await rename(path, source);
          keyed.keep(hash, id);
          const file = labelOf(query.name ?? name);
          // Of a form the part says what the file is.
          const chosen = request.isMultipart() ? optionsOf(query, { contentType: type, region, sandbox }) : options;
          await coordinator.create({ id, file, source, options: chosen });
          access.note({ who: who.name, role: who.role, action: 'import.create', target: id, detail: file });
          reply.header('location', `/v1/imports/${id}`);
          return reply.code(202).send(await views.of(coordinator.find(id)));
        } finally {
          underWay -= 1;
          keyed.end();
          await rm(path, { force: true });
          if (id !== undefined && !exists(id)) await rm(dir.folder(id), { recursive: true, force: true });
        }
      },
    );

    scope.post(
      '/v1/preview',
      {
        config: { role: 'viewer', ownClock: true },
        schema: {
          tags: ['imports'],
          summary: 'See how the beginning of a file would be read; nothing is kept',
          description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes.`,
          querystring: readingQuery,
          response: {
            200: previewView,
            ...refusals('BAD_OPTION', 'BAD_BODY', 'TOO_LARGE', 'MEDIA_TYPE', 'STOPPING'),
          },
        },
      },
      async (request) => {
        const { query } = request;
        checkLength(request, PREVIEW_BYTES);
        const limits: ReceiveOptions = { mostBytes: PREVIEW_BYTES, idleMs, signal: stopping.signal };
        const { head, type } = await fileOf(request, async ({ stream, type }) => ({
          type,
          head: await receiveHead(stream, limits),
        }));
        return preview(head, optionsOf(query, { contentType: type, region, sandbox }));
      },
    );
  });
}

function checkLength({ headers }: FastifyRequest, mostBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}
