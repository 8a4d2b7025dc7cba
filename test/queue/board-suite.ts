import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { queueBoard } from '../../src/server/queues/board.ts';
import { notes, type OpenBackend, openOffice } from './queue-harness.ts';

interface Shown {
  readonly name: string;
  readonly isPaused: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly jobs: readonly { readonly id: string; readonly data: unknown }[];
}

/** What the board of queues does, whichever backend keeps the jobs. */
export function describeQueueBoard(name: string, openBackend: OpenBackend): void {
  describe(`the board over ${name}`, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openBackend();
    });
    afterAll(() => backend.close());

    test('shows the queues that are open, their jobs and their server, and changes none of them', async () => {
      const office = openOffice(backend);
      const errands = office.queue();
      const gone = office.queue('gone');
      await gone.close();
      await errands.add(notes('job-1', 'job-2'));
      const app = fastify();
      onTestFinished(() => app.close());
      const refused: Error[] = [];
      const board = queueBoard(backend, '/board', (error) => {
        refused.push(error);
        return { status: 500, body: 'refused' };
      });
      await app.register(board.plugin, { prefix: '/board' });
      board.refresh();

      const ask = async (path: string) => (await app.inject(`/board/api/${path}`)).json();
      const shown = async (): Promise<readonly Shown[]> =>
        (await ask(`queues?activeQueue=${errands.name}&status=waiting`)).queues;
      const change = async (path: string) =>
        (await app.inject({ method: 'PUT', url: `/board/api/queues/${errands.name}/${path}` })).statusCode;
      const [first, ...others] = await shown();
      expect(others).toEqual([]);
      expect(first).toMatchObject({ name: errands.name, isPaused: false, counts: { waiting: 2 } });
      expect(first?.jobs).toContainEqual(expect.objectContaining({ id: 'job-1', data: { text: 'job-1' } }));
      const server = backend.shared ? { backend: backend.kind } : { error: { key: 'ERRORS.FORBIDDEN' } };
      expect(await ask('redis/stats')).toMatchObject(server);

      for (const path of ['pause', 'job-1/clean', 'empty', 'obliterate']) expect(await change(path), path).toBe(405);
      expect(await errands.isPaused()).toBe(false);
      expect((await errands.depth()).waiting).toBe(2);
      expect(refused).toEqual([]);
    });
  });
}
