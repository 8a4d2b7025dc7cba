import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Call } from '../../api/operation.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { type ByLookup, LOOKUP_NAMES, type LookupName } from '../../options/lookups.ts';
import { freeBytes, hashOf } from '../../platform/files.ts';
import { allowedSource, sourceReader } from '../../sources/obtain.ts';
import { isRemote } from '../../text/address-text.ts';
import { inShort } from '../../text/wording.ts';
import type { ServerContext } from '../context.ts';
import { callerOf } from '../http-answers.ts';
import type { Requested } from '../serve.ts';
import {
  labelOf,
  openPace,
  type Pace,
  type ReceiveOptions,
  receive,
  receiveHead,
  SLOWEST,
  withFileOf,
} from './receive.ts';
import { uploadOptions } from './upload-options.ts';

/** Seconds after which a refused upload may find room. */
const BUSY_SECONDS = 2;

interface UnderWay {
  /** The token's id; empty where none is needed. */
  readonly who: string;
  readonly pace: Pace;
  readonly end: AbortController;
}

/** Makes room for an upload: ends the slowest of the others if it is very slow. @param most at the same time, half of them by one token @throws BUSY */
function makeRoom(underWay: Set<UnderWay>, who: string, most: number, reply: FastifyReply) {
  const refused = (what: string) => {
    reply.header('retry-after', BUSY_SECONDS);
    return new RollcallError('BUSY', { what });
  };
  const maxOfOne = Math.ceil(most / 2);
  const own = [...underWay].filter((one) => one.who === who).length;
  if (who !== '' && own >= maxOfOne) {
    throw refused(`${own} uploads with this token are in progress, and one token may have ${maxOfOne} at a time`);
  }
  if (underWay.size < most) return;
  const [slowest] = [...underWay].filter(({ pace }) => pace.isSlow()).sort((a, b) => a.pace.rate() - b.pace.rate());
  if (slowest === undefined) {
    throw refused(`${underWay.size} uploads are in progress, and this server takes ${most} at a time`);
  }
  underWay.delete(slowest);
  const what = `the upload came at less than ${SLOWEST} bytes per second, and others wait; it was given up`;
  slowest.end.abort(new RollcallError('BAD_BODY', { what }));
}

/** An uploaded file, complete, with the options by which it is read. */
interface TakenFile {
  /** Its path; to be moved. */
  readonly path: string;
  /** The client's name for it. */
  readonly name: string | undefined;
  /** Its name, as lists show it. */
  readonly file: string;
  /** An identity or group file that came with it; to be moved likewise. */
  readonly lookups: ByLookup<{ readonly path: string; readonly name: string }>;
  readonly options: ImportOptions;
  /** To be called before something is made of it under this id: from then on, a repetition gets this id. */
  readonly keep: (id: string) => void;
  /** The call that makes something of it; its line in the audit log says what was chosen. */
  readonly callFor: (made: string) => Call;
}

interface Taking {
  readonly kind: 'import' | 'sync';
  /** Refuses options before the file is sent. */
  readonly check?: (options: ImportOptions) => void;
  /** Returns the id of what it made. */
  readonly make: (file: TakenFile) => Promise<string>;
}

export type Uploads = ReturnType<typeof openUploads>;

interface UploadsOptions extends Pick<ReceiveOptions, 'idleMs' | 'signal'> {
  /** Folder of incomplete uploads. */
  readonly waiting: string;
  /** Uploads at the same time; more are refused. */
  readonly most: number;
}

/** Takes files out of requests, a bounded number at a time, and those with the same Idempotency-Key once. */
export function openUploads(context: ServerContext, { most, waiting, ...bounds }: UploadsOptions) {
  const { settings, recipes, access, coordinator, syncs } = context;
  const { maxUploadBytes: maxBytes, defaultRegion: region, sandbox } = settings;
  const limits = { ...bounds, maxBytes };
  const underWay = new Set<UnderWay>();
  /** Keys of uploads that are not over; those of another token mean nothing. */
  const keysInUse = new Set<string>();
  const isThere = (made: string) => coordinator.lookUp(made) !== undefined || syncs.catalog.find(made) !== undefined;
  return {
    limits,
    /**
     * Takes the file of a request, and has something made of it.
     * @returns the id of what was made of it, or of the same file before
     * @throws BAD_OPTION, UNKNOWN_RECIPE, RECIPE_NEEDS, BUSY, KEY_IN_USE, KEY_REUSED; as `received`; whatever `make` throws
     */
    take: async (query: Parameters<typeof uploadOptions>[0], call: Requested, { kind, check, make }: Taking) => {
      const { request, reply } = call;
      const contentType = request.headers['content-type'] ?? '';
      checkLength(request, maxBytes);
      const optionsOf = (type: string) => uploadOptions(query, { contentType: type, region, sandbox });
      const asked = optionsOf(contentType);
      check?.(asked);
      recipes.check(asked);
      const who = request.who.id;
      makeRoom(underWay, who, most, reply);
      const { 'idempotency-key': key } = request.headers as { 'idempotency-key'?: string };
      const keyOfWho = `${who} ${key}`;
      if (key !== undefined && keysInUse.has(keyOfWho)) throw new RollcallError('KEY_IN_USE', { key });
      const chosen = { ...query, contentType };
      const options = sha256(JSON.stringify(kind === 'import' ? chosen : { [kind]: chosen }));
      const kept = key === undefined ? undefined : access.findUpload(who, key);
      const before = kept !== undefined && isThere(kept.importId) ? kept : undefined;
      const reused = (how: string) => new RollcallError('KEY_REUSED', { key: String(key), how });
      if (before !== undefined && before.options !== options) throw reused('with other options');
      const upload: UnderWay = { who, pace: openPace(limits.idleMs), end: new AbortController() };
      underWay.add(upload);
      if (key !== undefined) keysInUse.add(keyOfWho);
      const folder = join(waiting, randomUUID());
      try {
        const signal = AbortSignal.any([limits.signal, upload.end.signal]);
        const receiving = { ...limits, signal, came: upload.pace.came };
        const { hash, type, ...sent } = await received(context, call, folder, query.source, receiving);
        if (before !== undefined) {
          if (before.body !== hash) throw reused('for another file');
          reply.header('idempotency-replayed', 'true');
          return before.importId;
        }
        const file = labelOf(query.name ?? sent.name);
        // In a form, the part has the file's type.
        const own = request.isMultipart() ? optionsOf(type) : asked;
        const settled = await recipes.settle(own, { path: sent.path }, file);
        const said = inShort({ file, ...query, name: undefined, source: undefined });
        return await make({
          ...sent,
          file,
          options: settled,
          keep: (importId) => {
            if (key !== undefined) access.keepUpload(who, key, { options, body: hash, importId });
          },
          callFor: (made) => ({ who: call.who, audited: () => call.audited(said, made) }),
        });
      } finally {
        underWay.delete(upload);
        if (key !== undefined) keysInUse.delete(keyOfWho);
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function sha256(text: string) {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Receives a file, and the identity or group file that comes with it, into a folder.
 * @param source where the server gets the file, in place of a body
 * @throws BAD_BODY, MEDIA_TYPE, TOO_LARGE, DISK_FULL; as `fetchSource`
 */
async function received(
  context: ServerContext,
  call: Requested,
  folder: string,
  source: string | undefined,
  receiving: ReceiveOptions,
) {
  const { request } = call;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await refuseWithoutRoom(request, folder);
  const path = join(folder, 'input');
  const lookups: { [Name in LookupName]?: { path: string; name: string; hash: string } } = {};
  const sent =
    source !== undefined
      ? await fetchSource(context, call, source, path, receiving)
      : await withFileOf(
          request,
          async ({ stream, ...file }) => ({ ...file, hash: await receive(stream, path, receiving) }),
          async (lookup, { stream, name = lookup }) => {
            const place = join(folder, lookup);
            lookups[lookup] = { path: place, name: labelOf(name), hash: await receive(stream, place, receiving) };
          },
        );
  const hash = [sent.hash, ...LOOKUP_NAMES.flatMap((lookup) => lookups[lookup]?.hash ?? [])].join(' ');
  return { ...sent, path, lookups, hash };
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

/** The common part of operations that make an import or a sync of a file. */
export const keptFile = {
  takesFile: true,
  headers: z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, 'allowed are 1 to 200 visible ASCII characters')
      .optional()
      .describe('The same key with the same file and options makes one import or sync, for a day.'),
  }),
  refusals: ['UNKNOWN_RECIPE', 'KEY_IN_USE', 'KEY_REUSED', 'SOURCE_NOT_ALLOWED'],
} as const;

/**
 * Gets the file of a source that a request names, to `path`. Its connection stays open meanwhile, however long that takes.
 * @throws BAD_BODY for a request with a body, BAD_OPTION; SOURCE_NOT_ALLOWED, DISK_FULL; the signal's reason
 */
async function fetchSource(
  { fetching, settings: { sources } }: ServerContext,
  { request, reply }: Requested,
  text: string,
  path: string,
  { maxBytes, signal }: ReceiveOptions,
) {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length !== '0' || coding !== undefined) {
    const what = 'the request names a source and has a body';
    throw new RollcallError('BAD_BODY', { what, remedy: 'leave one of them out' });
  }
  request.raw.socket.setTimeout(0);
  try {
    const source = await allowedSource(text, sources);
    const wanted = { source, given: {}, maxBytes, copy: null, restricted: true };
    const place = { folder: `${path}-source`, signal: AbortSignal.any([signal, callerOf(reply).signal]) };
    const found = await sourceReader({ ...fetching, sources })(wanted, place);
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
  }
}
