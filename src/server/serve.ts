import type { FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify';
import type { z } from 'zod';
import { addressOf } from '../api/address-of.ts';
import type { Audited, Operation } from '../api/operation.ts';
import type { RefusalCode } from '../errors/errors.ts';
import { defined } from '../platform/defined.ts';
import { type Asked, auditing } from './access/noting.ts';
import type { Api } from './context.ts';
import { refusals } from './openapi.ts';
import { type Handled, perform } from './perform.ts';

type Schema = z.ZodType | undefined;
type Given<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;
type RequestOf<Params, Query, Body> = FastifyRequest & {
  readonly params: Given<Params>;
  readonly query: Given<Query>;
  readonly body: Given<Body>;
};
/** Pieces of JSON, and files, are sent by the handler itself. */
type AnswerOf<Answer> = Answer extends z.ZodType ? z.input<Answer> | FastifyReply : FastifyReply | string;

/** The facts about a route that only the server needs. */
interface RouteOptions extends Pick<RouteShorthandOptions, 'bodyLimit' | 'exposeHeadRoute'> {
  readonly headers?: z.ZodType;
  /** The same as in FastifyContextConfig. */
  readonly takesFile?: boolean;
}

/** Registers the routes of operations that have handlers. */
export function serveAll(app: Api, { group, handlers }: Handled): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const operation = group[name] as Operation;
    register(app, operation, async (request, reply) => {
      const rest = (operation.body === undefined ? request.query : request.body) as object;
      const answer = await perform(
        operation,
        handler,
        { params: request.params as object, rest },
        askedBy(app, request),
      );
      const { location } = operation;
      if (location !== undefined) reply.header('location', addressOf(location, answer as object).address);
      return answer;
    });
  }
}

function askedBy({ access, sendsTo }: Api, { who, ip }: FastifyRequest): Asked {
  return { access, sendsTo, who: who.name, role: who.role, address: ip };
}

/**
 * Registers the route of an operation whose handler needs the request itself: a file that comes or goes, a session. It gets what was
 * checked; its answer has the status that is declared.
 */
export function serve<
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Answer,
>(
  app: Api,
  operation: Operation<Params, Query, Body, Answer> & RouteOptions,
  handler: (
    request: RequestOf<Params, Query, Body>,
    reply: FastifyReply,
    audited: Audited,
  ) => Promise<AnswerOf<Answer>>,
): void {
  register(app, operation, async (request, reply) => {
    const [named] = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
    const { audited, done } = auditing(() => askedBy(app, request), operation.audit, named);
    const answered = await handler(request as RequestOf<Params, Query, Body>, reply, audited);
    done();
    return answered;
  });
}

function register(
  app: Api,
  operation: Operation<Schema, Schema, Schema, unknown> & RouteOptions,
  run: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const { method, path: url, role, tag, summary, description, params, query, body, status, answer } = operation;
  const { headers, takesFile = false, bodyLimit, exposeHeadRoute } = operation;
  const ofInput: RefusalCode[] = query === undefined && body === undefined ? [] : ['BAD_OPTION'];
  const schema: FastifySchema = {
    tags: [tag],
    summary,
    response: { [status]: answer, ...refusals(...ofInput, ...(operation.refusals ?? [])) },
    ...defined({ operationId: operation.operationId, description, params, querystring: query, body, headers }),
  };
  app.route({
    ...defined({ bodyLimit, exposeHeadRoute }),
    method,
    url,
    config: { role, takesFile },
    schema,
    handler: async (request, reply) => {
      if (status !== 200) reply.code(status);
      const answered = await run(request, reply);
      return status === 204 ? reply.send() : answered;
    },
  });
}
