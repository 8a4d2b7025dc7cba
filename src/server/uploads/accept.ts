import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Call } from '../../api/operation.ts';
import type { RefusalCode } from '../../errors/errors.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { type ByLookup, LOOKUP_NAMES, type LookupName } from '../../options/lookups.ts';
import { freeBytes, hashOf } from '../../platform/files.ts';
import { allowedSource, type SourceReaderOptions, sourceReader } from '../../sources/obtain.ts';
import { isRemote } from '../../text/address-text.ts';
import { inShort } from '../../text/wording.ts';
import type { AccessStore } from '../access/access-store.ts';
import type { ServerContext } from '../context.ts';
import type { Requested } from '../serve.ts';
import {
  labelOf,
  openPace,
  type Pace,
  type ReceiveOptions,
  receive,
  receiveHead,
  type SentFile,
  SLOWEST,
  withFileOf,
} from './receive.ts';
import { uploadOptions } from './upload-options.ts';

const KEY = /^[\x21-\x7e]{1,200}$/;

/** Keys of uploads: those under way in memory, those of the last day in the access file. */
function uploadKeys(access: AccessStore, exists: (importId: string) => boolean) {
  const underWay = new Set<string>();
  return {
    /** Begins one upload; `end` must always be called. @param who The token's id: another's keys mean nothing. @throws KEY_IN_USE, KEY_REUSED, BAD_OPTION */
    begin: (who: string, key: string | undefined, chosen: unknown) => {
      if (key === undefined) return { madeBefore: () => undefined, keep: () => {}, end: () => {} };
      if (!KEY.test(key)) {
        const field = 'Idempotency-Key';
        throw new RollcallError('BAD_OPTION', { what: `${field} must be 1 to 200 visible ASCII characters`, field });
      }
      const name = `${who} ${key}`;
      if (underWay.has(name)) throw new RollcallError('KEY_IN_USE', { key });
      const options = createHash('sha256').update(JSON.stringify(chosen)).digest('hex');
      const found = access.findUpload(who, key);
      const before = found !== undefined && exists(found.importId) ? found : undefined;
      if (before !== undefined && before.options !== options)
        throw new RollcallError('KEY_REUSED', { key, how: 'with other options' });
      underWay.add(name);
      return {
        /** The import that the same upload made before. @throws KEY_REUSED when the file is another one */
        madeBefore: (hash: string) => {
          if (before !== undefined && before.body !== hash) {
            throw new RollcallError('KEY_REUSED', { key, how: 'for another file' });
          }
          return before?.importId;
        },
        /** To be called before the import is made: should the process die in between, a repetition makes no second one. */
        keep: (body: string, importId: string) => access.keepUpload(who, key, { options, body, importId }),
        end: () => void underWay.delete(name),
      };
    },
  };
}

/** An uploaded file, complete. */
export interface TakenFile extends Pick<SentFile, 'name' | 'type'> {
  /** Its path; to be moved. */
  readonly path: string;
  /** An identity or group file that came with it, likewise. */
  readonly lookups: ByLookup<{ readonly path: string; readonly name: string }>;
  /** To be called before something is made of it under this id: from then on, a repetition gets this id. */
  readonly keep: (id: string) => void;
}

/** Bounds of uploads, and where they are kept. */
export interface UploadsOptions {
  /** Folder of incomplete uploads. */
  readonly waiting: string;
  readonly access: AccessStore;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
  readonly limits: ReceiveOptions;
  /** The options with which the server fetches files itself. */
  readonly fetching: () => SourceReaderOptions;
}

export type Uploads = ReturnType<typeof openUploads>;

/** Seconds after which a refused upload may find room. */
const BUSY_SECONDS = 2;

/** An upload under way. */
interface UnderWay {
  /** The token's id; empty where none is needed. */
  readonly who: string;
  readonly pace: Pace;
  readonly end: AbortController;
}

/** Takes files out of requests, a bounded number at a time, and those with the same Idempotency-Key once. */
export function openUploads({ waiting, access, most, limits, fetching }: UploadsOptions) {
  /** Those who say whether what was made of an upload is still there, by its id. */
  const made: ((id: string) => boolean)[] = [];
  const keys = uploadKeys(access, (id) => made.some((isThere) => isThere(id)));
  const underWay = new Set<UnderWay>();

  /** Ends the slowest upload to make room, if it is very slow. @throws BUSY */
  const makeRoom = (who: string, reply: FastifyReply) => {
    const refuse = (what: string) => {
      reply.header('retry-after', BUSY_SECONDS);
      throw new RollcallError('BUSY', { what });
    };
    const maxOfOne = Math.ceil(most / 2);
    const own = [...underWay].filter((one) => one.who === who).length;
    if (who !== '' && own >= maxOfOne) {
      refuse(`${own} uploads with this token are in progress, and one token may have ${maxOfOne} at a time`);
    }
    if (underWay.size < most) return;
    const [slowest] = [...underWay].filter(({ pace }) => pace.isSlow()).sort((a, b) => a.pace.rate() - b.pace.rate());
    if (slowest === undefined) {
      refuse(`${underWay.size} uploads are in progress, and this server takes ${most} at a time`);
      return;
    }
    underWay.delete(slowest);
    const what = `the upload came at less than ${SLOWEST} bytes per second, and others wait; it was given up`;
    slowest.end.abort(new RollcallError('BAD_BODY', { what }));
  };

  return {
    limits,
    made,
    /**
     * Returns the id that `make` has made of the file, or that was made of the same file before.
     * @param chosen the options; with other options it is another request
     * @param source where the server gets the file, in place of a body
     * @throws BUSY, KEY_IN_USE, KEY_REUSED, BAD_BODY, MEDIA_TYPE, TOO_LARGE, DISK_FULL; as `fetchSource`; whatever `make` throws
     */
    take: async (
      request: FastifyRequest,
      reply: FastifyReply,
      chosen: unknown,
      make: (file: TakenFile) => Promise<string>,
      source?: string,
    ) => {
      const who = request.who.id;
      makeRoom(who, reply);
      const key = request.headers['idempotency-key'];
      const keyed = keys.begin(who, typeof key === 'string' ? key : undefined, chosen);
      const upload: UnderWay = { who, pace: openPace(limits.idleMs), end: new AbortController() };
      underWay.add(upload);
      const signal = AbortSignal.any([limits.signal, upload.end.signal]);
      const path = join(waiting, `${randomUUID()}.part`);
      try {
        await mkdir(waiting, { recursive: true, mode: 0o700 });
        await refuseWithoutRoom(request, waiting);
        const receiving = { ...limits, signal, came: upload.pace.came };
        const lookups: { [Name in LookupName]?: { path: string; name: string; hash: string } } = {};
        const sent =
          source !== undefined
            ? await fetchSource([request, reply], source, path, receiving, fetching())
            : await withFileOf(
                request,
                async ({ stream, ...file }) => ({ ...file, ...(await receive(stream, path, receiving)) }),
                async (lookup, { stream, name = lookup }) => {
                  const { hash } = await receive(stream, `${path}-${lookup}`, receiving);
                  lookups[lookup] = { path: `${path}-${lookup}`, name: labelOf(name), hash };
                },
              );
        const { name, type } = sent;
        const hash = [sent.hash, ...LOOKUP_NAMES.flatMap((lookup) => lookups[lookup]?.hash ?? [])].join(' ');
        const before = keyed.madeBefore(hash);
        if (before !== undefined) {
          reply.header('idempotency-replayed', 'true');
          return before;
        }
        return await make({ path, name, type, lookups, keep: (id) => keyed.keep(hash, id) });
      } finally {
        underWay.delete(upload);
        keyed.end();
        await rm(path, { force: true });
        for (const lookup of LOOKUP_NAMES) await rm(`${path}-${lookup}`, { force: true });
      }
    },
  };
}

/** @throws DISK_FULL for a body that the disk has no room for, before it is sent */
async function refuseWithoutRoom({ headers }: FastifyRequest, folder: string) {
  const needed = Number(headers['content-length'] ?? 0);
  const free = await freeBytes(folder);
  if (needed > free) throw new RollcallError('DISK_FULL', { needed, free });
}

/** @throws TOO_LARGE for a body whose Content-Length says so */
function checkLength({ headers }: FastifyRequest, maxBytes: number) {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new RollcallError('TOO_LARGE', { maxBytes });
}

/** Takes the first bytes of the file in a request, in memory. @throws BAD_BODY, MEDIA_TYPE, TOO_LARGE */
export function takeHead(request: FastifyRequest, limits: ReceiveOptions & { readonly maxZipBytes: number }) {
  checkLength(request, limits.maxZipBytes);
  return withFileOf(request, async ({ stream, type, name }) => ({
    type,
    name,
    head: await receiveHead(stream, limits),
  }));
}

/** Headers of a route that makes an import or a sync of a file. */
const headers = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .describe('The same key with the same file and options makes one import or sync, for a day.'),
});

/** Reasons why such a route refuses. */
const refusals: readonly RefusalCode[] = [
  'BAD_OPTION',
  'BAD_BODY',
  'UNKNOWN_RECIPE',
  'KEY_IN_USE',
  'TOO_LARGE',
  'MEDIA_TYPE',
  'KEY_REUSED',
  'BUSY',
  'STOPPING',
  'DISK_FULL',
  'SOURCE_NOT_ALLOWED',
];

/** The common part of operations that make something of a file. */
export const keptFile = { takesFile: true, headers, refusals };

/**
 * Gets the file of a source that a request names, to `path`. Its connection stays open meanwhile, however long that takes.
 * @throws BAD_BODY for a request with a body, BAD_OPTION; SOURCE_NOT_ALLOWED, DISK_FULL; the signal's reason
 */
async function fetchSource(
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  text: string,
  path: string,
  { maxBytes, signal }: Pick<ReceiveOptions, 'maxBytes' | 'signal'>,
  reading: SourceReaderOptions,
) {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length !== '0' || coding !== undefined) {
    const what = 'the request names a source and has a body';
    throw new RollcallError('BAD_BODY', { what, remedy: 'leave one of them out' });
  }
  const left = new AbortController();
  const onClose = () => left.abort(new Error('the client has gone'));
  reply.raw.once('close', onClose);
  request.raw.socket.setTimeout(0);
  const folder = `${path}-source`;
  try {
    const source = await allowedSource(text, reading.sources);
    const wanted = { source, given: {}, maxBytes, copy: null, restricted: true };
    const found = await sourceReader(reading)(wanted, { folder, signal: AbortSignal.any([signal, left.signal]) });
    if (isRemote(source)) await rename(found.path, path);
    else {
      await copyFile(found.path, path, constants.COPYFILE_FICLONE);
      if ((await hashOf(path)) !== found.hash) {
        throw new RollcallError('BAD_OPTION', { what: 'the file was changed while it was read', field: 'source' });
      }
    }
    // Nothing says its media type.
    return { name: found.name, hash: found.hash, type: '' };
  } catch (error) {
    if (!(error instanceof RollcallError) || isError(error, 'SOURCE_NOT_ALLOWED', 'DISK_FULL', 'BAD_OPTION'))
      throw error;
    const { what, remedy } = error;
    throw new RollcallError('BAD_OPTION', { what, remedy, field: 'source' });
  } finally {
    reply.raw.off('close', onClose);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file that has come, with the options by which it is read. */
interface ReadFile extends Omit<TakenFile, 'type'> {
  /** Its name, as lists show it. */
  readonly file: string;
  readonly options: ImportOptions;
  /** The call that makes something of it; its line in the audit log says what was chosen. */
  readonly callFor: (made: string) => Call;
}

interface Taking {
  readonly kind: 'import' | 'sync';
  /** Refuses options before the file is sent. */
  readonly check?: (options: ImportOptions) => void;
  /** Returns the id of what it made. */
  readonly make: (file: ReadFile) => Promise<string>;
}

/**
 * Takes the file of a request, and has something made of it.
 * @returns the id of what was made of it, or of the same file before @throws BAD_OPTION, UNKNOWN_RECIPE, RECIPE_NEEDS; as `Uploads.take`
 */
export function takeFile(
  { settings, recipes }: Pick<ServerContext, 'settings' | 'recipes'>,
  uploads: Uploads,
  query: Parameters<typeof uploadOptions>[0],
  { who, request, reply, audited }: Requested,
  { kind, check, make }: Taking,
) {
  const { maxUploadBytes, defaultRegion: region, sandbox } = settings;
  const contentType = request.headers['content-type'] ?? '';
  checkLength(request, maxUploadBytes);
  const optionsOf = (type: string) => uploadOptions(query, { contentType: type, region, sandbox });
  const options = optionsOf(contentType);
  check?.(options);
  recipes.check(options);
  const chosen = { ...query, contentType };
  return uploads.take(
    request,
    reply,
    kind === 'import' ? chosen : { [kind]: chosen },
    async ({ type, ...taken }) => {
      const file = labelOf(query.name ?? taken.name);
      // In a form, the part has the file's type.
      const own = request.isMultipart() ? optionsOf(type) : options;
      const settled = await recipes.settle(own, { path: taken.path }, file);
      const said = inShort({ file, ...query, name: undefined, source: undefined });
      const callFor = (made: string) => ({ who, audited: () => audited(said, made) });
      return make({ ...taken, file, options: settled, callFor });
    },
    query.source,
  );
}
