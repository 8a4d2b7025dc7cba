import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import { fileOf, type SentFile } from './body.ts';
import type { uploadKeys } from './keys.ts';
import { type ReceiveOptions, receive, tooLarge } from './receive.ts';

/** A file that has come as a whole. */
export interface TakenFile extends Pick<SentFile, 'name' | 'type'> {
  /** Where it lies; to be moved. */
  readonly path: string;
  /** To be called before something is made of it under this id: a repetition is answered with the id then. */
  readonly keep: (id: string) => void;
}

export interface UploadsOptions {
  /** Where files lie while they come. */
  readonly waiting: string;
  readonly keys: ReturnType<typeof uploadKeys>;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
  readonly limits: ReceiveOptions;
}

/** Takes files out of requests, a bounded number at a time, and those with the same Idempotency-Key once. */
export interface Uploads {
  /**
   * Gives the id that `make` has made of the file, or that was made of the same one before.
   * @param chosen all that makes a request another one
   * @throws Problem BUSY, KEY_IN_USE, KEY_REUSED, BAD_BODY, MEDIA_TYPE, TOO_LARGE; whatever `make` throws
   */
  take(
    request: FastifyRequest,
    reply: FastifyReply,
    chosen: unknown,
    make: (file: TakenFile) => Promise<string>,
  ): Promise<string>;
}

/** Seconds after which a refused upload may find room. */
const BUSY_SECONDS = 2;

export function openUploads({ waiting, keys, most, limits }: UploadsOptions): Uploads {
  let underWay = 0;
  return {
    take: async (request, reply, chosen, make) => {
      if (underWay >= most) {
        reply.header('retry-after', BUSY_SECONDS);
        throw new Problem('BUSY', `${underWay} uploads are under way, and this server takes ${most} at the same time.`);
      }
      const key = request.headers['idempotency-key'];
      const keyed = keys.begin(request.who.id, typeof key === 'string' ? key : undefined, chosen);
      underWay += 1;
      const path = join(waiting, `${randomUUID()}.part`);
      try {
        await mkdir(waiting, { recursive: true, mode: 0o700 });
        const { hash, name, type } = await fileOf(request, async ({ stream, ...sent }) => ({
          ...sent,
          ...(await receive(stream, path, limits)),
        }));
        const before = keyed.madeBefore(hash);
        if (before !== undefined) {
          reply.header('idempotency-replayed', 'true');
          return before;
        }
        return await make({ path, name, type, keep: (id) => keyed.keep(hash, id) });
      } finally {
        underWay -= 1;
        keyed.end();
        await rm(path, { force: true });
      }
    },
  };
}

/** @throws Problem TOO_LARGE for a body that says beforehand that it is */
export function checkLength({ headers }: FastifyRequest, mostBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}

/** Header of every upload, for the description of the API. */
export const KEY_DESCRIPTION = 'The same key with the same file and options makes one import or sync, for a day.';
