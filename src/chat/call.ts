import type { z } from 'zod';
import { InvalidCall } from './errors.ts';
import type { Request } from './exchange.ts';
import type { Rate } from './rate-headers.ts';

/** What all calls to one app have in common. */

export interface CallOptions {
  /** Aborts the call, which then ends in CallAborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface ActingOptions extends CallOptions {
  /** UID on whose behalf the service acts; absent or empty for the service itself (docs/chat-service.md, 11). */
  readonly onBehalfOf?: string | undefined;
}

/** What comes with every successful reply, in addition to its content. */
export interface ReplyMeta {
  readonly rate: Rate;
  readonly httpStatus: number;
  /** From the call to the last byte of its reply, in milliseconds. */
  readonly ms: number;
}

/** A request to an app, before base address and key are put to it. */
export interface AppRequest extends Pick<Request, 'method' | 'maxReplyBytes'> {
  /** Below the version prefix, from the slash on; ids in it have been through `segment`. */
  readonly path: string;
  readonly body?: unknown;
  readonly onBehalfOf?: string | undefined;
}

/**
 * Sends a request and reads its reply by the schema.
 * @throws what errors.ts lists
 */
export type Ask = <Schema extends z.ZodType>(
  request: AppRequest,
  schema: Schema,
  signal: AbortSignal | undefined,
) => Promise<{ readonly reply: z.output<Schema> } & ReplyMeta>;

/**
 * An id as one segment of a path, whatever characters it has.
 * @throws InvalidCall
 */
export function segment(name: 'guid' | 'uid', id: string): string {
  // Servers and proxies resolve dot segments even when they are escaped: such a call would go to another resource.
  if (id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw new InvalidCall(`${name} ${JSON.stringify(id)} cannot be in an address; correct the ${name}`);
  }
  return encodeURIComponent(id);
}

/**
 * A UID that can be sent as the header onBehalfOf.
 * @throws InvalidCall
 */
export function actingUid(uid: string): string {
  if (/^[\x21-\x7e]+$/.test(uid)) return uid;
  throw new InvalidCall(
    `onBehalfOf ${JSON.stringify(uid)} cannot be sent as a header: visible ASCII characters only; correct the UID`,
  );
}
