import type { ImportSummary, ImportTotals, RegionCounts } from '../../api/import-summary.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { RowCounts } from '../../membership/outcome.ts';
import { isNumber, isObject, mapOf, storedJson } from '../../platform/stored-json.ts';
import { isoTime, sumOf } from '../../text/wording.ts';
import { type ImportRecord, uncheckedOptions } from '../catalog.ts';
import type { InputDescription } from '../read/notes.ts';
import { type Counters, rowsOf, totalOf, totalRows } from '../record/counters.ts';
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

/** The target of an import, also of one whose other options are of another version. */
export function targetOf(record: Pick<ImportRecord, 'options'>) {
  const { target } = uncheckedOptions(record);
  return isTarget(target) ? { target } : {};
}

/** The totals of an import. @param isOver rows without an outcome are "unprocessed" only then: until then they can still get one */
export function totalsOf(counters: Counters, isOver: boolean, input?: Counted): ImportTotals {
  const rowsIn = (rows: RowCounts): RowCounts => (isOver ? rows : { ...rows, unprocessed: 0 });
  const regions = [...counters].filter(([region]) => region !== '');
  const ofRegions = regions.map(([region, counts]): [string, RegionCounts] => {
    const { calls = 0, retries = 0, rateLimited = 0, bansToAsk = 0, bansAsked = 0 } = counts;
    const banQuestions = bansToAsk > 0 && { banQuestions: { asked: bansAsked, of: bansToAsk } };
    return [region, { calls, retries, rateLimited, ...banQuestions, rows: rowsIn(rowsOf([counts])) }];
  });
  const total = (name: string) => totalOf(counters.values(), name);
  const created = {
    users: total('createdUsers'),
    groups: total('createdGroups'),
    reactivated: total('reactivatedUsers'),
  };
  const writes = { messages: total('messages'), groups: total('messageGroups') };
  const added = { messages: total('addedMessages'), calls: total('addedCalls') };
  const silent = { calls: total('silentCalls') };
  const banQuestions = total('bansAsked');
  return {
    rows: rowsIn(totalRows(counters)),
    ...(input?.shaped === true && input.rowsRead !== undefined && { inputRows: input.rowsRead }),
    regions: Object.fromEntries(ofRegions),
    ...(sumOf(Object.values(created)) > 0 && { created }),
    ...(writes.messages > 0 && { writes }),
    ...(silent.calls > 0 && { ways: { added, silent } }),
    calls: total('calls'),
    ...(banQuestions > 0 && { banQuestions }),
    retries: total('retries'),
    ...(input?.notes !== undefined && input.notes.length > 0 && { notes: [...input.notes] }),
  };
}

/** The totals that were kept of an import when it ended. */
export function keptTotals({ state, totals }: Pick<ImportRecord, 'state' | 'totals'>) {
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
