import type { FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify';
import type { z } from 'zod';
import { addressOf, type Call, type HandlersOf, type Operation } from '../api/operation.ts';
import { defined } from '../platform/defined.ts';
import type { Api } from './context.ts';
import { refusalsOf } from './openapi.ts';
import { type AnyHandler, type Asked, perform } from './perform.ts';

interface RouteOptions extends Pick<RouteShorthandOptions, 'bodyLimit' | 'exposeHeadRoute'> {
  readonly headers?: z.ZodType;
  /** The same as in FastifyContextConfig. */
  readonly takesFile?: boolean;
}

/** The call of a handler that only the server has: it needs the request itself, because a file comes or goes, or for a session. */
export interface Requested extends Call {
  readonly request: FastifyRequest;
  /** Pieces of JSON, and files, are sent by the handler itself. */
  readonly reply: FastifyReply;
}

export type ServedBy<Group> = HandlersOf<Group, Requested>;

/** Registers the routes of the operations of a group that have handlers; an answer has the status that is declared. */
export function serveAll<Group extends Readonly<Record<string, Operation & RouteOptions>>>(
  app: Api,
  group: Group,
  handlers: ServedBy<Group>,
) {
  for (const [name, handler] of Object.entries(handlers)) {
    const operation = group[name] as Operation & RouteOptions;
    const { method, path: url, role, tag, summary, description, params, query, body, status, answer } = operation;
    const { headers, takesFile = false, bodyLimit, exposeHeadRoute, location, operationId } = operation;
    const schema: FastifySchema = {
      tags: [tag],
      summary,
      response: { [status]: answer, ...refusalsOf(operation) },
      ...defined({ operationId, description, params, querystring: query, body, headers }),
    };
    app.route({
      ...defined({ bodyLimit, exposeHeadRoute }),
      method,
      url,
      config: { role, takesFile },
      schema,
      handler: async (request, reply) => {
        if (status !== 200) reply.code(status);
        const rest = (body === undefined ? request.query : request.body) as object;
        const input = { params: (request.params ?? {}) as object, rest };
        const answered = await perform(operation, handler as AnyHandler, input, askedBy(app, request), {
          request,
          reply,
        });
        if (location !== undefined) reply.header('location', addressOf(location, answered as object).address);
        return status === 204 ? reply.send() : answered;
      },
    });
  }
}

function askedBy({ access, sendsTo }: Api, request: FastifyRequest): Asked {
  return {
    access,
    sendsTo,
    address: request.ip,
    get who() {
      return request.who.name;
    },
    get role() {
      return request.who.role;
    },
  };
}
