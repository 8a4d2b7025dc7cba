import type { FastifyReply, FastifyRequest, FastifySchema, RouteShorthandOptions } from 'fastify';
import type { z } from 'zod';
import type { Operation } from '../api/operation.ts';
import type { ProblemCode } from '../api/problem-codes.ts';
import { defined } from '../platform/defined.ts';
import { type Audited, auditing } from './access/noting.ts';
import type { Api } from './context.ts';
import { refusals } from './problem.ts';

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

/** Registers the route of an operation. The handler gets what was checked; its answer has the status that is declared. */
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
  const { method, path: url, role, tag, summary, description, params, query, body, status, answer } = operation;
  const { headers, takesFile = false, bodyLimit, exposeHeadRoute } = operation;
  const ofInput: ProblemCode[] = query === undefined && body === undefined ? [] : ['BAD_OPTION'];
  const schema: FastifySchema = {
    tags: [tag],
    summary,
    response: { [status]: answer, ...refusals(...ofInput, ...(operation.refusals ?? [])) },
    ...defined({ description, params, querystring: query, body, headers }),
  };
  app.route({
    ...defined({ bodyLimit, exposeHeadRoute }),
    method,
    url,
    config: { role, takesFile },
    schema,
    handler: async (request, reply) => {
      if (status !== 200) reply.code(status);
      const audit = auditing(app.access, app.sendsTo, operation.audit, request);
      const answered = await handler(request as RequestOf<Params, Query, Body>, reply, audit.audited);
      audit.done();
      return status === 204 ? reply.send() : answered;
    },
  });
}
