import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEmbedded } from '../../src/queue/embedded.ts';
import { openJobQueue } from '../../src/queue/job-queue.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { tempDir } from '../temp-dir.ts';
import { layEmbeddedQueue } from './embedded-template.ts';
import { Journal } from './journal.ts';
import { errand, notes, type Office, openOffice } from './queue-harness.ts';

async function open(directory: string): Promise<Office> {
  const backend = await openBackend(directory);
  onTestFinished(() => backend.close());
  return openOffice(backend);
}

/** A job goes in, and a worker gets it. */
async function works({ queue, work }: Office): Promise<void> {
  const ran = new Journal<string>();
  const errands = queue();
  work(
    errands,
    errand(async ({ id }) => ran.note(id)),
  );
  await errands.add(notes('a'));
  expect(await ran.until(1)).toEqual(['a']);
}

describe('the embedded queue', () => {
  test('is made where there is none, although an earlier attempt was cut off', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'queue.new', 'base'), { recursive: true });
    writeFileSync(join(root, 'queue.new', 'PG_VERSION'), '17\n');
    await works(await open(join(root, 'queue')));
    expect(readdirSync(root)).toEqual(['queue']);
  });

  const damages: Record<string, (directory: string) => void | Promise<void>> = {
    'is damaged': (directory) => truncateSync(join(directory, 'global', 'pg_control')),
    'is of another version': (directory) => writeFileSync(join(directory, 'PG_VERSION'), '9\n'),
    'is empty': (directory) => {
      rmSync(directory, { recursive: true });
      mkdirSync(directory);
    },
    'has the tables of an earlier release': async (directory) => {
      const pool = await openEmbedded(directory);
      await pool.query('DELETE FROM migration WHERE version = (SELECT max(version) FROM migration)');
      await pool.end();
    },
  };
  test.each(Object.entries(damages))('is made anew where it %s', async (_, damage) => {
    const root = tempDir();
    await layEmbeddedQueue(root);
    await damage(join(root, 'queue'));
    await works(await open(join(root, 'queue')));
  });

  test('keeps its jobs when it is closed and opened again', async () => {
    const root = tempDir();
    await layEmbeddedQueue(root);
    const directory = join(root, 'queue');
    const definition = { name: 'errand', attempts: 3 };
    const fail = (error: Error) => {
      throw error;
    };
    for (const [round, kept] of [0, 2].entries()) {
      const backend = await openBackend(directory);
      const queue = openJobQueue(backend, 'errands', definition, fail);
      expect((await queue.depth()).waiting).toBe(kept);
      await queue.add(notes(`a${round}`, `b${round}`));
      await queue.close();
      await backend.close();
    }
  });
});
