import type { FastifyReply } from 'fastify';

/** The client that waits for an answer. */
export interface Caller {
  /** Aborted when the client has its answer or has left: further work for it would be wasted. */
  readonly signal: AbortSignal;
  /** Id of the token, or the address where none is asked for. */
  readonly caller: string;
}

export function callerOf({ raw, request }: FastifyReply): Caller {
  const controller = new AbortController();
  if (raw.destroyed) controller.abort();
  else raw.once('close', () => controller.abort());
  return { signal: controller.signal, caller: request.who.id || request.ip };
}

/** Sends JSON text that another thread has made. */
export function sendJson(reply: FastifyReply, json: Uint8Array): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}
