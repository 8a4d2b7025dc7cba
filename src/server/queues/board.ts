import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyPluginCallback } from 'fastify';
import type { Backend } from '../../queue/backend.ts';

/** Bull Board over the queues that this process has open, to look at: a job that is changed there would falsify a report. */
export interface QueueBoard {
  /** Its page and its API, read-only; to be registered under the path that it was made for. */
  readonly plugin: FastifyPluginCallback;
  /** Shows the queues that are open by now: those of a region are opened when an import needs them. */
  refresh(): void;
  /** Resolves when the queue server answers; while it is down, every question waits. */
  answers(): Promise<unknown>;
}

/**
 * @param path such as `/queues`
 * @param refusal the answer to a request that fails
 */
export function queueBoard(
  backend: Backend,
  path: string,
  refusal: (error: Error) => { readonly status: number; readonly body: string },
): QueueBoard {
  const serverAdapter = new StrictAdapter().setBasePath(path);
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'rollcall queues',
        locale: { lng: 'en' },
        showWorkers: backend.kind === 'redis',
        // In memory there is no server to describe.
        hideRedisDetails: !backend.shared,
      },
    },
  });
  // Its own would say what went wrong inside.
  serverAdapter.setErrorHandler((error) => {
    const { status, body } = refusal(error);
    return { status: status as 500, body };
  });
  return {
    plugin: serverAdapter.registerPlugin(),
    refresh: () =>
      board.replaceQueues(
        backend.queues().map((queue) => new BullMQAdapter(queue as never, { readOnlyMode: true, allowRetries: false })),
      ),
    answers: async () => backend.queues()[0]?.isPaused(),
  };
}

/** Over the lower end of its side bar: the board itself knows nothing of the console. */
const WAY_BACK = `<style>
.rollcall-back { position: fixed; left: 1rem; bottom: 3.25rem; z-index: 100; margin: 0; font: 15px/1.4 system-ui, sans-serif; }
.rollcall-back a { display: block; padding: 0.5rem 0.9rem; border-radius: 6px; background: #1f5f8b; color: #fff; text-decoration: none; }
.rollcall-back a:hover { text-decoration: underline; }
</style><nav class="rollcall-back" aria-label="rollcall"><a href="/settings">Back to the console</a></nav>`;

type EntryRoute = Parameters<FastifyAdapter['setEntryRoute']>[0];

/** Serves Bull Board's page without what a strict content policy would stop: fonts from elsewhere, inline styles. */
class StrictAdapter extends FastifyAdapter {
  #page = '';

  override setViewsPath(path: string): this {
    this.#page = readFileSync(join(path, 'index.ejs'), 'utf8')
      .replace(/<link[^>]+https:[^>]+>/g, '')
      .replace(/<style>.*?<\/style>/gs, '')
      .replace(/ style="[^"]*"/g, '')
      .replace(/<body[^>]*>/, `$&${WAY_BACK}`);
    super.setViewsPath(path);
    return this;
  }

  override setEntryRoute(route: EntryRoute): this {
    const handler: EntryRoute['handler'] = (request) => ({
      ...route.handler(request),
      // The view engine takes a template itself in place of its name.
      name: { raw: this.#page } as unknown as string,
    });
    super.setEntryRoute({ ...route, handler });
    return this;
  }

  override setBasePath(path: string): this {
    super.setBasePath(path);
    return this;
  }
}
