import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { openWaits, type Wait, type WaitsOptions, waitOf } from '../../src/imports/life/waits.ts';
import { eventually } from '../eventually.ts';
import { tempDir } from '../temp-dir.ts';

const full = () => new RollcallError('DISK_FULL', { needed: 1, free: 0 });

/** Imports that wait for room, which there is; `takeUp` goes on with one. Returns errors of looks, and what was tried. */
function waiting(takeUp: (id: string) => void) {
  const root = tempDir();
  const tried: string[] = [];
  const errors: string[] = [];
  const waits = openWaits({
    dir: { root, reserve: join(root, 'reserve') },
    catalog: { find: (id: string) => ({ id, state: 'blocked', code: 'DISK_FULL' }) },
    states: {},
    sending: { drop: async () => {} },
    takeUp: async (id: string) => {
      tried.push(id);
      takeUp(id);
    },
    tell: () => {},
    fail: (error: unknown) => void errors.push(String(error)),
    free: async () => 100 * 1024 * 1024,
  } as unknown as WaitsOptions);
  const watch = waits.watch(({ message }) => void errors.push(message), 50);
  onTestFinished(async () => {
    await watch.stop();
    await waits.close();
  });
  return { waits, tried, errors };
}

test('an import that fails for the same reason again waits for the next look', async () => {
  const { waits, tried } = waiting(() => {
    if (tried.length < 1_000) throw full();
  });
  await waits.begin('one', waitOf(full()) as Wait);
  await eventually(() => tried.length).toBeGreaterThan(1);
  expect(tried.length).toBeLessThan(10);
});

test('an import that cannot go on holds up neither the others nor other work', async () => {
  const { waits, tried, errors } = waiting((id) => {
    if (id === 'one') throw new Error('it is broken');
  });
  const wait = waitOf(full()) as Wait;
  await waits.begin('one', wait);
  await waits.begin('two', wait);
  waits.whenOver(wait, () => tried.push('other'));
  await eventually(() => tried.toSorted()).toEqual(['one', 'other', 'two']);
  expect(errors).toEqual(['it is broken']);
});
