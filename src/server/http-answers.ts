import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyCompressOptions } from '@fastify/compress';
import type { FastifyReply } from 'fastify';
import { RollcallError } from '../errors/rollcall-error.ts';
import { INPUTS } from '../options/input-kinds.ts';

/** The client that waits for an answer. */
export interface Caller {
  /** Aborted when the client has its answer or has left: further work for it would be wasted. */
  readonly signal: AbortSignal;
  /** Id of the token, or the address where none is asked for. */
  readonly caller: string;
}

export function callerOf({ raw, request }: FastifyReply): Caller {
  const controller = new AbortController();
  const leave = () =>
    controller.abort(new RollcallError('READING_STOPPED', { what: 'the client has gone', reason: 'left' }));
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return { signal: controller.signal, caller: request.who.id || request.ip };
}

/** Packs answers of types that gzip makes smaller. Event streams are not among them: gzip would hold events back. */
export const COMPRESSION = {
  encodings: ['gzip'],
  customTypes: /^text\/(?!event-stream)|json|javascript|svg/,
  zlibOptions: { level: 4 },
} satisfies FastifyCompressOptions;

/** Sends JSON text that another thread has made. */
export function sendJson(reply: FastifyReply, json: Uint8Array) {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  xlsx: INPUTS.xlsx.mediaType,
};

/** Says what a file is. It holds people's ids: no cache on the way keeps it. */
export function describeFile(reply: FastifyReply, format: keyof typeof TYPES, disposition: string) {
  reply.type(TYPES[format]).header('content-disposition', disposition).header('cache-control', 'private, no-cache');
}

/** Sends a file while it is made: it has neither length nor ranges. */
export function sendPieces(reply: FastifyReply, pieces: AsyncIterable<string | Uint8Array>) {
  return reply.header('accept-ranges', 'none').send(Readable.from(pieces, { objectMode: false }));
}

export function sendFile(
  reply: FastifyReply,
  format: keyof typeof TYPES,
  disposition: string,
  pieces: AsyncIterable<string | Uint8Array>,
) {
  describeFile(reply, format, disposition);
  return sendPieces(reply, pieces);
}

/** Content-Disposition of a download that is named after the input `file`: its base name, a dash, and `tail`. */
export function attachment(file: string, tail: string) {
  const last = (file.split(/[/\\]/).at(-1) ?? '').replace(/\.gz$/i, '');
  const name = `${basename(last, extname(last)) || 'import'}-${tail}`;
  const ascii = name.replace(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Time in which the queue must answer, in ms. */
const SOON_MS = 2_000;

/** Waits for an answer of the queue, which may hold it back for as long as its server is away. @throws BUSY */
export async function answersSoon<Value>(answer: Promise<Value>) {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const remedy = 'check that its server runs; imports continue when it is back';
    late.reject(new RollcallError('BUSY', { what: 'the queue does not answer', remedy }));
  }, SOON_MS);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}
