import fc from 'fast-check';
import type { Sent } from '../../../src/imports/record/batch-result.ts';
import { openImportLedger } from '../../../src/imports/record/import-ledger.ts';
import { REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';
import type { RowFilter } from '../../../src/options/row-filter.ts';
import { dispatch, EMPTY_UID, resultOf, stage, type WantedRow } from './staged-import.ts';

/** Few names, so that rows of the same group, UID and outcome are frequent. */
const NAMES = ['ann', 'Ann', 'bob', 'CID', 'dan', 'eve'] as const;
const GROUPS = ['team', 'TEAM', 'board'] as const;
const CODES = ['TOO_LONG', 'ERR_Y'] as const;

const wanted: fc.Arbitrary<WantedRow> = fc.record({
  uid: fc.constantFrom(...NAMES),
  guid: fc.constantFrom(...GROUPS),
  region: fc.constantFrom(...REGIONS),
  scope: fc.constantFrom(...SCOPES, 'participant', 'participant'),
  onBehalfOf: fc.constantFrom('', '', 'boss'),
  problems: fc.constantFrom([], [], [], [EMPTY_UID], [{ ...EMPTY_UID, code: 'TOO_LONG' }, EMPTY_UID]),
});

/** The fates of the batches, in their order; those behind the last have none. */
const fate = fc.oneof(
  fc.record({ kind: fc.constant('all'), code: fc.constantFrom(...CODES) }),
  fc.record({ kind: fc.constantFrom('some', 'refused', 'lost', 'waits'), code: fc.constantFrom(...CODES) }),
);
type Fate = { kind: string; code: string };

export interface MixedImport {
  readonly wantedRows: readonly WantedRow[];
  readonly fates: readonly Fate[];
}

/** Files with rows of every outcome, some of which have none as yet. */
export const mixedImport: fc.Arbitrary<MixedImport> = fc.record({
  wantedRows: fc.array(wanted, { maxLength: 60, size: 'max' }),
  fates: fc.array(fate, { maxLength: 12, size: 'max' }),
});

/** Filters of which many find something. */
export const rowFilter: fc.Arbitrary<RowFilter> = fc.record(
  {
    status: fc.subarray([...OUTCOMES]),
    code: fc.constantFrom('', 'EMPTY', 'DUPLICATE', 'NOBODY', ...CODES),
    region: fc.constantFrom(...REGIONS),
    guid: fc.constantFrom(...GROUPS, 'nowhere'),
    uid: fc.constantFrom(...NAMES, 'nobody'),
    text: fc.constantFrom('ann', 'AN', 'oar', 'row', '1', 'nobody', ',', ']'),
    line: fc
      .tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 0, max: 70 }))
      .map((ends) => ({ from: Math.min(...ends), to: Math.max(...ends) })),
  },
  { requiredKeys: [] },
);

/** Writes such an import's file. */
export async function writeMixed(path: string, { wantedRows, fates }: MixedImport): Promise<void> {
  await stage(path, wantedRows);
  const ledger = openImportLedger(path);
  for (const [index, batch] of dispatch(ledger, fates.length).entries()) {
    const { kind, code } = fates[index] ?? { kind: 'waits', code: '' };
    const refusal = { code, message: 'the service said no' };
    const sent: Readonly<Record<string, Sent>> = {
      all: { kind: 'answered', others: [], missing: [] },
      some: {
        kind: 'answered',
        missing: [],
        others: batch.rows.slice(0, 2).map(({ row }, at) => ({
          row,
          outcome: at === 0 ? 'failed' : 'already_member',
          ...refusal,
        })),
      },
      refused: { kind: 'refused', outcome: 'failed', ...refusal },
      lost: { kind: 'unanswered', maybeCarriedOut: true, ...refusal },
    };
    const found = sent[kind];
    if (found !== undefined) ledger.record([resultOf(batch, found)]);
  }
  ledger.close();
}
