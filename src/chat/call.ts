import { z } from 'zod';
import { RollcallError } from '../errors/rollcall-error.ts';
import { foldId } from '../membership/membership.ts';
import { isObject } from '../platform/stored-json.ts';
import { jsonOrUndefined } from '../text/json-or-undefined.ts';
import { invalidCall, malformedReply } from './call-errors.ts';
import type { Reply, Request } from './connection.ts';
import { type AddMembersRequest, errorBody, serviceError } from './contract.ts';
import type { Rate } from './rate-headers.ts';
import type { Redact } from './redact.ts';

/** Shared by all calls to one app: writes ids into them and reads their replies. */

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then ends in ABORTED. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that change something. */
export interface ActingOptions extends CallOptions {
  /** UID on whose behalf the service acts; absent or empty for the service itself (docs/chat-service.md, 11). */
  readonly onBehalfOf?: string | undefined;
}

/** Sent with every successful reply, in addition to its content. */
export interface ReplyMeta {
  readonly rate: Rate;
  readonly httpStatus: number;
  /** From the call to the last byte of its reply, in milliseconds. */
  readonly ms: number;
}

/** A request to an app beside its address. */
export interface AppRequest extends ActingOptions, Pick<Request, 'maxReplyBytes'> {
  readonly body?: unknown;
}

/**
 * Sends a request and reads its reply by the schema.
 * @param path below the version prefix, from the slash on; ids in it have been through `segment`
 * @throws what call-errors.ts lists
 */
export type Ask = <Schema extends z.ZodType>(
  method: Request['method'],
  path: string,
  schema: Schema,
  request?: AppRequest,
) => Promise<z.output<Schema> & ReplyMeta>;

/** An id as one segment of a path, as the service stores it, whatever characters it has. @throws INVALID_CALL */
export function segment(name: 'guid' | 'uid', id: string) {
  // Servers and proxies resolve dot segments even when they are escaped: such a call would go to another resource.
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw invalidCall(`${name} ${JSON.stringify(id)} cannot be in an address; correct the ${name}`);
  }
  return encodeURIComponent(foldId(id));
}

/** A UID as the service stores it, for the header onBehalfOf. @throws INVALID_CALL */
export function actingUid(uid: string) {
  if (/^[\x21-\x7e]+$/.test(uid)) return foldId(uid);
  throw invalidCall(
    `onBehalfOf ${JSON.stringify(uid)} cannot be sent as a header: visible ASCII characters only; correct the UID`,
  );
}

/** Lists of UIDs as the service stores them. */
export function foldMembers(lists: AddMembersRequest): AddMembersRequest {
  return Object.fromEntries(Object.entries(lists).map(([list, uids]) => [list, uids?.map(foldId)]));
}

export interface RawReply extends Pick<Reply, 'httpStatus' | 'body'> {
  readonly rate: Rate;
  /** The service's id of the refused request. */
  readonly requestId?: string | undefined;
}

export function isRefusal(httpStatus: number) {
  return httpStatus < 200 || httpStatus >= 300;
}

/**
 * Reads a reply by its schema.
 * @throws REFUSED for a status other than 2xx, and for an `error` without `data` whatever the status: that is
 *   how the service's own client tells the two apart (docs/chat-service.md, 31).
 * @throws MALFORMED_REPLY for a success that cannot be read.
 */
export function readReply<Schema extends z.ZodType>(
  { httpStatus, body, rate, requestId }: RawReply,
  schema: Schema,
  redact: Redact,
) {
  const text = body?.toString();
  const json = text === undefined ? undefined : jsonOrUndefined(text);
  if (isRefusal(httpStatus) || (isObject(json) && 'error' in json && !('data' in json))) {
    const { code, message } = errorIn(json);
    const foreign = code ? null : foreignReply(httpStatus, text ?? '', json);
    throw new RollcallError('REFUSED', {
      httpStatus,
      serviceCode: code ? redact(code) : null,
      serviceMessage: redact(message ?? ''),
      rate,
      requestId: requestId === undefined ? null : redact(requestId),
      foreign: foreign === null ? null : redact(foreign),
      doubtful: !isRefusal(httpStatus),
    });
  }
  const malformed = (problem: string) =>
    malformedReply(
      `HTTP ${httpStatus} came with a reply that ${problem}; the call may have been carried out`,
      httpStatus,
    );
  if (text === undefined) throw malformed('is longer than the limit');
  if (json === undefined) throw malformed(`is not JSON: ${JSON.stringify(redact(text))}`);
  const read = schema.safeParse(json);
  if (!read.success) throw malformed(`does not have the agreed shape: ${redact(z.prettifyError(read.error))}`);
  return read.data;
}

/** Maximum length of the part of a web page that is searched for its title, in characters. */
const PAGE_START = 2_000;

/**
 * Describes a refusal without a code that is not the service's own: a proxy, a firewall or a login page answers with a
 * redirect, a web page or a bare 403, where the service says why in JSON (docs/chat-service.md, 36). Null when it may
 * be the service's.
 */
function foreignReply(httpStatus: number, body: string, json: unknown) {
  if (httpStatus >= 300 && httpStatus < 400) return 'a redirect to another address';
  if (/^\s*</.test(body)) {
    const title = /<title>([^<]{0,200})/i.exec(body.slice(0, PAGE_START))?.[1]?.trim();
    return title ? `a web page ${JSON.stringify(title)}` : 'a web page';
  }
  if (httpStatus === 403 && !errorBody.safeParse(json).success) return 'a bare 403 that gives no reason';
  return null;
}

function errorIn(json: unknown) {
  const wrapped = errorBody.safeParse(json);
  if (wrapped.success) return wrapped.data.error;
  return serviceError.safeParse(json).data ?? {};
}
