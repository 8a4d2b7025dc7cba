import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comesBefore, JobHeap } from '../../src/queue/memory/job-heap.ts';
import { StoredJob } from '../../src/queue/memory/stored-job.ts';

function job(id: string, rank: number, order: number): StoredJob {
  const one = new StoredJob({ id, name: 'errand', data: '{}', opts: {}, timestamp: 0 });
  one.rank = rank;
  one.order = order;
  return one;
}

describe('a heap of jobs', () => {
  test('gives them out as a sorted list would, whatever is added and removed meanwhile', () => {
    const place = fc.record({ rank: fc.nat({ max: 3 }), order: fc.integer({ min: -3, max: 3 }) });
    const steps = fc.array(
      fc.oneof(
        place.map((added) => ({ does: 'add' as const, ...added })),
        fc.nat().map((nth) => ({ does: 'remove' as const, nth })),
        fc.constant({ does: 'shift' as const }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (plan) => {
        const heap = new JobHeap();
        let model: StoredJob[] = [];
        for (const [index, step] of plan.entries()) {
          if (step.does === 'add') {
            const added = job(`job-${index}`, step.rank, step.order);
            heap.add(added);
            model = [...model, added].sort((a, b) => (comesBefore(a, b) ? -1 : 1));
          } else if (step.does === 'shift') {
            expect(heap.shift()).toBe(model.shift());
          } else if (model.length > 0) {
            const [removed] = model.splice(step.nth % model.length, 1);
            if (removed !== undefined) heap.remove(removed);
          }
          expect(heap.first).toBe(model[0]);
          expect(heap.sorted()).toEqual(model);
        }
      }),
    );
  });

  test.each([1_000, 100_000])(
    'of %i adds, takes and removes with a number of comparisons that grows as its logarithm',
    (size) => {
      let comparisons = 0;
      const heap = new JobHeap((a, b) => {
        comparisons += 1;
        return comesBefore(a, b);
      });
      const most = 3 * Math.ceil(Math.log2(size));
      const costs = (what: () => void): number => {
        comparisons = 0;
        what();
        return comparisons;
      };
      // Worst case of adding: each comes before all others.
      const adding = Array.from({ length: size }, (_, n) => costs(() => heap.add(job(`job-${n}`, 0, -n))));
      const some = heap.sorted().filter((_, index) => index % (size / 500) === 1);
      const removing = some.map((one) => costs(() => heap.remove(one)));
      const taking = some.map(() => costs(() => heap.shift()));
      expect(Math.max(...removing, ...taking)).toBeLessThanOrEqual(most);
      expect(adding.reduce((worst, one) => Math.max(worst, one))).toBeLessThanOrEqual(most);
      expect(heap.size).toBe(size - 1_000);
    },
  );
});
