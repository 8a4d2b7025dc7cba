import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { addressOf, type Operation } from '../../api/operation.ts';
import { problem } from '../../api/problems.ts';
import { caOf } from '../../app/ca-file.ts';
import { badUsage, isError, messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import type { Config } from '../../platform/config.ts';
import { connectTimes, isLoopback } from '../../platform/hosts.ts';
import { jsonOrUndefined } from '../../text/json-or-undefined.ts';
import { type Answering, type Client, remedyFor } from './operation-client.ts';

/** A server's HTTP API (docs/errors.md has its refusals) as commands use it. */
export interface Server extends Client {
  /** Its origin, as messages name it. */
  readonly url: string;
  /** Sends a file. If the answer is lost, sends it again, if the file can be read again. @throws as `call` */
  upload<Answer>(operation: Operation & Answering<Answer>, query: URLSearchParams, file: Upload): Promise<Answer>;
}

/** An operation that makes something with an id. */
export type Making = Operation & Answering<{ readonly id: string }>;

export interface Upload {
  /** In bytes; undefined where it is not known in advance. */
  readonly size: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Whether `open` can return the same bytes again. */
  readonly repeatable: boolean;
  /** Media type. Default: that of any file. */
  readonly type?: string;
  readonly signal: AbortSignal;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Waits before an upload is repeated. */
const AGAIN_MS = [1_000, 3_000, 10_000];
/** Longest document that is read, in characters; longer ones are not from rollcall. */
const MAX_PROBLEM_LENGTH = 100_000;

/** A newer server may have codes that this program does not know. */
const anyProblem = problem.extend({ code: z.string() });

interface Exchanged {
  readonly method: Operation['method'];
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readable | string;
  readonly signal?: AbortSignal;
}

/** @param plainHttp sends the token in the clear, where anyone on the way can read it; else that is BAD_USAGE */
export function connectToServer(
  url: string,
  { token, caFile }: Partial<Pick<Config, 'token' | 'caFile'>>,
  plainHttp = false,
): Server {
  const ca = caOf({ caFile });
  const { protocol, hostname } = new URL(url);
  if (token !== undefined && protocol === 'http:' && !isLoopback(hostname) && !plainHttp) {
    throw badUsage(
      `ROLLCALL_TOKEN is not sent to ${url}: over plain http anyone on the network path can read it; use the server's https:// address, or --plain-http in a network that you trust`,
    );
  }
  const away = (cause: unknown) => new RollcallError('AWAY', { url, why: reasonOf(cause) }, { cause });
  const dispatcher = new Agent({
    headersTimeout: ANSWER_MS,
    connect: {
      ...connectTimes(hostname, CONNECT_MS),
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
    },
  });

  /** A reply that is neither a refusal nor a redirect. */
  const exchange = async (path: string, options: Exchanged): Promise<Dispatcher.ResponseData> => {
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    let reply: Dispatcher.ResponseData;
    try {
      reply = await request(`${url}${path}`, {
        ...options,
        headers: { ...options.headers, authorization },
        dispatcher,
      });
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      throw away(error);
    }
    if (reply.statusCode >= 200 && reply.statusCode < 300) return reply;
    throw await refusal(url, reply);
  };
  const parsed = async <Document>(reply: Dispatcher.ResponseData, schema: z.ZodType<Document>): Promise<Document> => {
    const text = await reply.body.text().catch((error: unknown) => {
      throw away(error);
    });
    const read = readKnown(schema, jsonOrUndefined(text));
    if (read.success) return read.data;
    throw new RollcallError('NO_ROLLCALL', { url, why: 'its answer is of another version' });
  };

  return {
    url,
    call: async (operation, input) =>
      parsed(await exchange(...requestOf(operation, input as object)), operation.answer),
    download: async (operation, input, signal) => {
      const [path, options] = requestOf(operation, input as object);
      const { body } = await exchange(path, { ...options, ...(signal && { signal }) });
      return (async function* () {
        try {
          yield* body as AsyncIterable<Uint8Array>;
        } catch (error) {
          throw away(error);
        }
      })();
    },
    upload: async ({ method, path, answer }, query, file) => {
      const { size, open, repeatable, type = 'application/octet-stream', signal } = file;
      const headers = {
        'content-type': type,
        // With the same key, several attempts make one import.
        'idempotency-key': randomUUID(),
        'content-length': size?.toString(),
      };
      const send = async () => {
        const body = Readable.from(open(), { objectMode: false });
        return parsed(await exchange(`${path}?${query}`, { method, headers, body, signal }), answer);
      };
      return again(send, repeatable ? AGAIN_MS : [], signal);
    },
  };
}

/** Sends once more after each wait, while the refusal passes by itself. */
async function again<Answer>(send: () => Promise<Answer>, waitsMs: readonly number[], signal: AbortSignal) {
  for (const waitMs of waitsMs) {
    try {
      return await send();
    } catch (error) {
      if (!isError(error, 'BUSY', 'KEY_IN_USE', 'AWAY')) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
  return send();
}

async function refusal(url: string, { statusCode, headers, body }: Dispatcher.ResponseData) {
  if (statusCode >= 300 && statusCode < 400) {
    await body.dump();
    const { location } = headers;
    return new RollcallError('MOVED', { url, location: String(location) });
  }
  const text = await body.text().catch(() => '');
  const read = readKnown(anyProblem, jsonOrUndefined(text.slice(0, MAX_PROBLEM_LENGTH)));
  if (!read.success) {
    return new RollcallError('NO_ROLLCALL', { url, why: `it answers ${statusCode}` });
  }
  const { code, detail, remedy: given, field, possible = [] } = read.data;
  if (code === 'STOPPING') return new RollcallError('AWAY', { url, why: 'it is stopping' });
  // No command deletes an import.
  const ways = possible.filter((action) => action !== 'delete');
  const actions = ways.length === 0 ? undefined : `Possible now: ${ways.join(', ')}.`;
  // A refusal of one value says itself what to put there.
  const next = actions ?? (field === undefined ? remedyFor(code, given) : given);
  const remedy = statusCode < 500 ? next : `${next} The server is ${url}.`;
  return new RollcallError<string>(code, { what: detail, remedy, field, exit: statusCode < 500 ? 2 : 4 });
}

/** If several addresses of one name fail, the aggregate error says nothing: use the first one's. */
function reasonOf(cause: unknown): string {
  return cause instanceof AggregateError && cause.errors.length > 0 ? reasonOf(cause.errors[0]) : messageOf(cause);
}

/** Parses a document. Fields that it does not know are left out: a server may be newer than this program. */
function readKnown<Document>(schema: z.ZodType<Document>, document: unknown) {
  const read = schema.safeParse(document);
  const unknown = read.error?.issues.filter((issue) => issue.code === 'unrecognized_keys') ?? [];
  if (unknown.length === 0) return read;
  for (const { path, keys } of unknown) {
    const owner = path.reduce((within, key) => (within as Record<PropertyKey, unknown>)[key], document);
    for (const key of keys) delete (owner as Record<string, unknown>)[key];
  }
  return schema.safeParse(document);
}

/** The fields that the path names go there, and the others into the body, or the query of an operation that has none. */
function requestOf({ method, path, body }: Operation, input: object): [string, Exchanged] {
  const { address, rest } = addressOf(path, input);
  if (body !== undefined) {
    const headers = { 'content-type': 'application/json' };
    return [address, { method, headers, body: JSON.stringify(rest) }];
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) for (const one of [value].flat()) query.append(name, String(one));
  return [query.size === 0 ? address : `${address}?${query}`, { method }];
}
