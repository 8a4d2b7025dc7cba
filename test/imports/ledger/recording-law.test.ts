import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchResult, RowOutcome, Sent } from '../../../src/imports/record/batch-result.ts';
import { type BatchToSend, type ImportLedger, openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { openImportReader } from '../../../src/imports/report/import-reader.ts';
import type { Outcome } from '../../../src/membership/outcome.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { call, pending, resultOf, stage, type WantedRow } from './staged-import.ts';

/** The next step of a service, a network or a crashing process. Numbers choose among what there is. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('dispatch' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(),
      sent: fc.constantFrom<Exclude<Sent['kind'], 'made'>>(
        ...(['answered', 'answered', 'answered', 'halve', 'group', 'stop-region', 'refused', 'unanswered'] as const),
      ),
      rows: fc.array(fc.constantFrom('ok', 'failed', 'already_member', 'missing', 'split'), {
        minLength: 25,
        maxLength: 25,
      }),
      uncertainty: fc.constantFrom(null, 'a lost reply'),
      again: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take back' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const wantedRows: readonly WantedRow[] = Array.from({ length: 90 }, (_, index) => ({
  region: index % 3 === 0 ? 'eu' : 'us',
  guid: index % 5 === 0 ? 'small' : 'large',
  uid: `u${index % 80}`,
  scope: index % 7 === 0 ? 'ban' : 'participant',
  onBehalfOf: index % 4 === 0 ? 'boss' : '',
}));

test('whatever happens in whatever order, the sum holds, no settled row changes, and no row is sent in two batches', async () => {
  const dir = tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      run += 1;
      const path = join(dir, `${run}.db`);
      await stage(path, wantedRows);
      const ledger = openImportLedger(path);
      const world: World = { ledger, out: [] };
      const settled = new Map<number, Outcome>();
      for (const next of steps) {
        perform(world, next);
        expect(ledger.check()).toMatchObject({ holds: true, difference: '' });
        expectFixed(path, settled);
        expectOnePlaceEach(world);
      }
      ledger.leaveRest('cancelled');
      expect(ledger.check()).toMatchObject({ holds: true, rows: { read: wantedRows.length } });
      expectFixed(path, settled);
      ledger.close();
    }),
    { numRuns: runs(100), endOnFailure: true },
  );
});

interface World {
  readonly ledger: ImportLedger;
  out: BatchToSend[];
}

function perform(world: World, next: Step): void {
  const { ledger } = world;
  switch (next.do) {
    case 'dispatch': {
      const batches = pending(ledger).slice(0, next.count);
      ledger.markDispatched(batches.map(({ id }) => id));
      world.out.push(...batches);
      return;
    }
    case 'answer': {
      const batch = take(world, next.which);
      if (batch === undefined) return;
      const result = resultOf(batch, sentOf(batch, next), {
        uncertainty: next.uncertainty ?? batch.uncertainty,
        calls: [call({})],
      });
      const results: BatchResult[] = next.again ? [result, result] : [result];
      for (const group of ledger.record(results).refusedGroups) {
        const withdrawn = ledger.dispatchedOfGroup(group);
        ledger.reclaim(withdrawn.map((id) => ({ batch: id, calls: [], uncertainty: null })));
        ledger.settleRefusedGroup(group);
        world.out = world.out.filter(({ id }) => !withdrawn.includes(id));
      }
      return;
    }
    case 'take back': {
      const batch = take(world, next.which);
      if (batch !== undefined) ledger.reclaim([{ batch: batch.id, calls: [], uncertainty: null }]);
      return;
    }
    case 'crash':
      expect(ledger.reclaimAll('the process ended')).toBe(world.out.length);
      world.out = [];
  }
}

function take(world: World, which: number): BatchToSend | undefined {
  const chosen = world.out[which % world.out.length];
  world.out = world.out.filter((batch) => batch !== chosen);
  return chosen;
}

function sentOf({ rows }: BatchToSend, { sent, rows: said }: Extract<Step, { do: 'answer' }>): Sent {
  const refusal = { code: 'CODE', message: 'a message' };
  switch (sent) {
    case 'answered': {
      const split = rows.flatMap(({ row }, index) => (said[index] === 'split' ? [row] : []));
      const others = rows.flatMap(({ row }, index): RowOutcome[] => {
        const outcome = said[index];
        return outcome === 'failed' || outcome === 'already_member' ? [{ row, outcome, ...refusal }] : [];
      });
      return {
        kind: sent,
        others,
        missing: rows.flatMap(({ row }, index) => (said[index] === 'missing' ? [row] : [])),
        ...(split.length > 1 && { split }),
      };
    }
    // A batch of one is never cut: the worker says `refused` instead.
    case 'halve':
      return rows.length > 1 ? { kind: sent, ...refusal } : { kind: 'refused', outcome: 'failed', ...refusal };
    case 'refused':
      return { kind: sent, outcome: 'failed', ...refusal };
    case 'unanswered':
      return { kind: sent, maybeCarriedOut: said[0] === 'ok', ...refusal };
    default:
      return { kind: sent, ...refusal };
  }
}

/** An outcome, once it is there, stays. */
function expectFixed(path: string, settled: Map<number, Outcome>): void {
  const reader = openImportReader(path);
  for (const { line, status } of reader.rows()) {
    if (settled.has(line)) expect(status, `row ${line}`).toBe(settled.get(line));
    else if (status !== 'unprocessed') settled.set(line, status);
  }
  reader.close();
}

function expectOnePlaceEach({ ledger, out }: World): void {
  const waiting = pending(ledger);
  const rows = [...waiting, ...out].flatMap((batch) => batch.rows.map(({ row }) => row));
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.length).toBe(ledger.check().rows.unprocessed);
  for (const batch of waiting) {
    expect(batch.rows.length).toBeGreaterThan(0);
    expect(batch.rows.length).toBeLessThanOrEqual(25);
  }
}
