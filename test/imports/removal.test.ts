import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startRetention } from '../../src/imports/life/removal.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants } from './pipeline-harness.ts';
import { pausedImport, ROWS, runningImport } from './running-import.ts';

const place = EMBEDDED;

describe('removing', () => {
  test.each([
    ['over', {}, 'completed'],
    ['only checked', { dryRun: true }, 'staged'],
  ])('an import that is %s leaves nothing of it', async (_, options, state) => {
    const { run, coordinator, dir } = await openPipeline({ place });
    const { id, state: reached } = await run(csv(ROWS), options);
    expect(reached).toBe(state);
    const removed: string[] = [];
    coordinator.events.on('removed', (one) => removed.push(one));
    await coordinator.remove(id);
    expect(() => coordinator.find(id)).toThrow(expect.objectContaining({ code: 'UNKNOWN_IMPORT' }));
    expect(readdirSync(join(dir.root, 'imports'))).toEqual([]);
    expect(readdirSync(dir.removed)).toEqual([]);
    expect(removed).toEqual([id]);
    await expect(coordinator.remove(id)).rejects.toThrow(expect.objectContaining({ code: 'UNKNOWN_IMPORT' }));
  });

  test('an import that is under way is refused, with what is possible', async () => {
    const { id, coordinator, door, dir } = await runningImport(place);
    await expect(coordinator.remove(id)).rejects.toMatchObject({
      code: 'WRONG_STATE',
      facts: { state: 'running', possible: ['pause', 'cancel'] },
      message: `import ${id} is running and cannot be deleted; possible now: pause, cancel`,
    });
    await coordinator.cancel(id);
    await expect(coordinator.remove(id)).rejects.toMatchObject({ facts: { state: 'cancelling', possible: [] } });
    door.open();
    await coordinator.settled(id);
    await coordinator.remove(id);
    expect(existsSync(dir.folder(id))).toBe(false);
  });

  test('a paused import is refused', async () => {
    const { id, coordinator } = await pausedImport(place);
    await expect(coordinator.remove(id)).rejects.toMatchObject({ facts: { possible: ['resume', 'cancel'] } });
  });

  test('an import that is cancelled before its start is refused until its reports are written', async () => {
    const { run, coordinator } = await openPipeline({ place });
    const { id } = await run(csv(ROWS), { dryRun: true });
    await coordinator.cancel(id);
    if (coordinator.find(id).state === 'staged')
      await expect(coordinator.remove(id)).rejects.toThrow(expect.objectContaining({ code: 'WRONG_STATE' }));
    await eventually(() => coordinator.find(id).state).toBe('cancelled');
    await coordinator.remove(id);
  });

  test('what a crash left of a removed import is deleted at the next start', async () => {
    const pipeline = await openPipeline({ place });
    await pipeline.stop();
    mkdirSync(join(pipeline.dir.removed, 'some-import'), { recursive: true });
    writeFileSync(join(pipeline.dir.removed, 'some-import', 'ledger.sqlite'), '');
    await pipeline.restart();
    expect(existsSync(pipeline.dir.removed)).toBe(false);
  });

  test('what a crash left of inputs whose imports had not begun is deleted at the next start, and nothing else', async () => {
    const pipeline = await openPipeline({ place });
    const { id } = await pipeline.run(csv(ROWS));
    await pipeline.stop();
    const left = (name: string, files: readonly string[]) => {
      mkdirSync(pipeline.dir.folder(name), { recursive: true });
      for (const file of files) writeFileSync(join(pipeline.dir.folder(name), file), 'guid,uid');
    };
    left('half', ['input.part']);
    left('whole', ['input', 'groups', 'identities.part']);
    left('with-ledger', ['input', 'ledger.sqlite']);
    left('reserved', []);
    rmSync(join(pipeline.dir.folder(id), 'import.json'));
    await pipeline.restart();
    expect(readdirSync(join(pipeline.dir.root, 'imports')).sort()).toEqual([id, 'reserved', 'with-ledger']);
    expect(pipeline.failures.splice(0)).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/with-ledger\./) }),
    ]);
  });
});

describe('retention', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('removes imports that are over for longer than they are kept, at the start, and no others', async () => {
    const pipeline = await openPipeline({ place });
    const { id: over } = await pipeline.run(csv(participants(1)));
    const { id: staged } = await pipeline.run(csv(participants(1)), { dryRun: true });
    await pipeline.stop();
    await pipeline.restart({ keepMs: 3_600_000 });
    expect(pipeline.coordinator.find(over).state).toBe('completed');
    await pipeline.stop();
    await pipeline.restart({ keepMs: 1 });
    await eventually(() => readdirSync(join(pipeline.dir.root, 'imports'))).toEqual([staged]);
    expect(() => pipeline.coordinator.find(over)).toThrow(expect.objectContaining({ code: 'UNKNOWN_IMPORT' }));
  });

  test('looks again as long as it runs, and a removal that fails keeps no other from being tried', async () => {
    vi.useFakeTimers();
    const HOUR = 3_600_000;
    const finished = new Map([
      ['stuck', Date.now()],
      ['a', Date.now()],
      ['b', Date.now() + 3 * HOUR],
    ]);
    const errors: string[] = [];
    const removed: string[] = [];
    const retention = startRetention({
      keepMs: 2 * HOUR,
      finishedBefore: (before) => [...finished].filter(([, at]) => at < before).map(([id]) => id),
      remove: async (id) => {
        if (id === 'stuck') throw new Error('not allowed');
        finished.delete(id);
        removed.push(id);
      },
      onError: ({ message }) => errors.push(message),
    });
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(removed).toEqual([]);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect([removed, errors]).toEqual([['a'], ['not allowed']]);
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    expect(removed).toEqual(['a', 'b']);
    await retention.stop();
    finished.set('c', 0);
    await vi.advanceTimersByTimeAsync(5 * HOUR);
    expect(removed).toEqual(['a', 'b']);
  });

  test('looks again after it could not find out what is old', async () => {
    vi.useFakeTimers();
    const HOUR = 3_600_000;
    const fail = (): string[] => {
      throw new Error('the disk cannot be read');
    };
    const answers = [() => ['a'], fail, () => ['b']];
    const errors: unknown[] = [];
    const removed: string[] = [];
    const retention = startRetention({
      keepMs: HOUR,
      finishedBefore: () => answers.shift()?.() ?? [],
      remove: async (id) => void removed.push(id),
      onError: (error) => errors.push(error),
    });
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    await retention.stop();
    expect(errors).toHaveLength(1);
    expect(removed).toEqual(['a', 'b']);
  });
});
