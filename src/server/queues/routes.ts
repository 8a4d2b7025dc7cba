import { randomUUID } from 'node:crypto';
import { PROBLEM_TYPE } from '../../api/problems.ts';
import { UNSAFE } from '../access/guard.ts';
import { consoleBundle } from '../console-bundle.ts';
import { isForPeople } from '../console-files.ts';
import type { Api, ServerContext } from '../context.ts';
import { Problem, problemDocument } from '../problem.ts';
import { problemOf } from '../refusals.ts';
import { queueBoard } from './board.ts';
import { answersSoon } from './queue-answer.ts';

const PATH = '/queues';

/** `GET /queues`: Bull Board, for operators, to look at. */
export async function queueRoutes(app: Api, { coordinator, log }: ServerContext): Promise<void> {
  const board = queueBoard(coordinator.backend, PATH, (error) => {
    const problem = problemOf(error) ?? fault(error, log);
    return { status: problem.statusCode, body: JSON.stringify(problemDocument(problem)) };
  });
  await app.register(
    async (scope) => {
      // Before a body is read, and whatever routes a later version of the board may have.
      scope.addHook('onRequest', async ({ method }) => {
        if (!UNSAFE.has(method)) return;
        throw new Problem('READ_ONLY', 'The queues can be looked at here, and not changed.');
      });
      // The page names its own folder as base for the addresses of its files, and puts one style element into itself.
      scope.addHook('onRequest', async (_request, reply) => {
        const policy = String(reply.getHeader('content-security-policy'));
        reply.header(
          'content-security-policy',
          `${policy.replace("base-uri 'none'", "base-uri 'self'")};style-src-elem 'self' 'unsafe-inline'`,
        );
      });
      scope.addHook('preHandler', async ({ url }) => {
        if (!url.startsWith(`${PATH}/api/`)) return;
        board.refresh();
        await answersSoon(board.answers());
      });
      scope.addHook('onSend', async (request, reply, payload) => {
        if (reply.statusCode === 401 && isForPeople(request)) {
          reply.code(303).header('location', '/login');
          return '';
        }
        // The console says it as a page.
        if (reply.statusCode === 403 && isForPeople(request)) {
          const { body, type } = (await consoleBundle()).page;
          reply.type(type);
          return body;
        }
        // Of the board only refusals are text: problem documents.
        if (reply.statusCode >= 400 && typeof payload === 'string') reply.header('content-type', PROBLEM_TYPE);
        return payload;
      });
      await scope.register(board.plugin);
    },
    { prefix: PATH },
  );
}

function fault(error: Error, log: ServerContext['log']): Problem {
  const id = randomUUID();
  log.error({ err: error, id }, 'the board of queues fails');
  return new Problem('INTERNAL', `The queue does not do this; the log has the cause under ${id}.`, { id });
}
