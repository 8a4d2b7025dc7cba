import { randomUUID } from 'node:crypto';
import { queueBoard } from '../queue/board.ts';
import { UNSAFE } from './access/guard.ts';
import { isForPeople } from './console-files.ts';
import type { Api, ServerContext } from './context.ts';
import { PROBLEM_TYPE, Problem, problemDocument } from './problem.ts';
import { answersSoon } from './queue-answer.ts';

const PATH = '/queues';

/** `GET /queues`: Bull Board, for operators. What they change there is in the audit log. */
export async function queueRoutes(app: Api, { coordinator, access, log }: ServerContext): Promise<void> {
  const board = queueBoard(coordinator.backend, PATH, (error) => {
    const problem = error instanceof Problem ? error : fault(error, log);
    return { status: problem.statusCode, body: JSON.stringify(problemDocument(problem)) };
  });
  await app.register(
    async (scope) => {
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
        // Of the board only refusals are text: problem documents.
        if (reply.statusCode >= 400 && typeof payload === 'string') reply.header('content-type', PROBLEM_TYPE);
        return payload;
      });
      scope.addHook('onResponse', async ({ method, who, url, params }, { statusCode }) => {
        if (!UNSAFE.has(method) || statusCode >= 400) return;
        const { queueName = '' } = params as { queueName?: string };
        const [path = ''] = url.replace(`${PATH}/api/queues/`, '').split('?');
        access.note({
          who: who.name,
          role: who.role,
          action: 'queue.change',
          target: queueName,
          detail: `${method} ${path}`,
        });
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
