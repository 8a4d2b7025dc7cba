import type { ImportSummary, ImportTotals, RegionCounts } from '../../api/import-summary.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { RowCounts } from '../../membership/outcome.ts';
import { isNumber, isObject, mapOf, storedJson } from '../../platform/stored-json.ts';
import type { ImportRecord } from '../catalog.ts';
import { type Counters, totalRows } from '../record/import-ledger.ts';
import type { InputDescription } from '../stage/staged-row.ts';
import type { Target } from '../target.ts';

/** Facts about the input once it was read. */
type Counted = Pick<InputDescription, 'shaped' | 'rowsRead' | 'notes'>;

/** The summary of an import, from its record and its totals. */
export function summaryOf(
  record: ImportRecord,
  totals: ImportTotals,
  reports: ImportSummary['reports'],
): ImportSummary {
  return {
    id: record.id,
    state: record.state,
    ...(record.code !== null && { code: record.code }),
    file: record.file,
    ...targetOf(record),
    ...totals,
    startedAt: isoTime(record.startedAt),
    finishedAt: isoTime(record.finishedAt),
    reports,
  };
}

function isTarget(value: unknown): value is Target {
  return isObject(value) && isObject(value['apps']);
}

/** Only this option matters here: checking them all would cost more. */
function targetOf({ options }: Pick<ImportRecord, 'options'>): Pick<ImportSummary, 'target'> {
  const { target } = storedJson(options, 'the options of an import', isObject);
  return isTarget(target) ? { target } : {};
}

/** The totals of an import. @param isOver rows without an outcome are "unprocessed" only then: until then they can still get one */
export function totalsOf(counters: Counters, isOver: boolean, input?: Counted): ImportTotals {
  const rowsOf = (rows: RowCounts): RowCounts => (isOver ? rows : { ...rows, unprocessed: 0 });
  const regions = [...counters]
    .filter(([region]) => region !== '')
    .map(
      ([region, { created: _, writes: __, ...counts }]) => [region, { ...counts, rows: rowsOf(counts.rows) }] as const,
    );
  const sum = (count: 'calls' | 'retries') =>
    [...counters.values()].reduce((total, counts) => total + counts[count], 0);
  return {
    rows: rowsOf(totalRows(counters)),
    ...(input?.shaped === true && input.rowsRead !== undefined && { inputRows: input.rowsRead }),
    regions: Object.fromEntries(regions),
    ...createdIn(counters),
    ...writtenBy(counters),
    calls: sum('calls'),
    ...bansAskedIn(counters),
    retries: sum('retries'),
    ...(input?.notes !== undefined && input.notes.length > 0 && { notes: [...input.notes] }),
  };
}

/** The totals that were kept of an import when it ended. */
export function keptTotals({ state, totals }: Pick<ImportRecord, 'state' | 'totals'>): ImportTotals | undefined {
  return totals !== null && isFinal(state) ? storedJson(totals, 'the totals of an import', isTotals) : undefined;
}

const isCounts = mapOf(isNumber);

/** Checks the totals that every import has; those of some imports only are shown unchecked. */
function isTotals(value: unknown): value is ImportTotals {
  if (!isObject(value)) return false;
  const { rows, regions, calls, retries } = value;
  return isCounts(rows) && mapOf(isRegion)(regions) && isNumber(calls) && isNumber(retries);
}

function isRegion(value: unknown): value is RegionCounts {
  return isObject(value) && isCounts(value['rows']) && isNumber(value['calls']) && isNumber(value['retries']);
}

/** Returns the number of messages that an import writes into conversations, over all regions. */
export function writtenBy(counters: Counters): Pick<ImportSummary, 'writes'> {
  const writes = { messages: 0, groups: 0 };
  for (const { writes: own } of counters.values()) {
    writes.messages += own?.messages ?? 0;
    writes.groups += own?.groups ?? 0;
  }
  return writes.messages === 0 ? {} : { writes };
}

function bansAskedIn(counters: Counters): Pick<ImportSummary, 'banQuestions'> {
  const asked = [...counters.values()].reduce((sum, { banQuestions }) => sum + (banQuestions?.asked ?? 0), 0);
  return asked === 0 ? {} : { banQuestions: asked };
}

function createdIn(counters: Counters): Pick<ImportSummary, 'created'> {
  const created = { users: 0, groups: 0, reactivated: 0 };
  for (const { created: own } of counters.values()) {
    created.users += own?.users ?? 0;
    created.groups += own?.groups ?? 0;
    created.reactivated += own?.reactivated ?? 0;
  }
  return created.users + created.groups + created.reactivated === 0 ? {} : { created };
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
