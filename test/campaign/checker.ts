import { parse } from 'csv-parse/sync';
import type { JournalLine } from './service.ts';

/** Compares a report with the journal of the service, row by row. It knows nothing of rollcall's code. */

/** A row of a campaign's file, and what must become of it. */
export interface Order {
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly scope: string;
  /** The acting user; empty: the service itself. */
  readonly onBehalfOf: string;
  readonly fate: 'in place' | 'member before' | 'invalid' | 'duplicate' | 'refused';
}

export interface Verdict {
  readonly rows: number;
  /** Rows that the report does not have. */
  readonly lost: number;
  /** Rows that it has more than once. */
  readonly twice: number;
  /** Rows whose outcome contradicts the journal, each as a sentence. */
  readonly wrong: readonly string[];
  /** Rows that nothing speaks against, and that were not sent or given up all the same. */
  readonly givenUp: number;
  readonly unconfirmed: number;
  /** UIDs that a later call added or banned again. */
  readonly duplicateAdds: number;
}

/** @param report report.csv as text, @param journal all lines that the service wrote */
export function check(orders: readonly Order[], report: string, journal: readonly JournalLine[]): Verdict {
  const truth = readJournal(journal);
  const seen = new Map<number, number>();
  const wrong: string[] = [];
  let givenUp = 0;
  let unconfirmed = 0;
  for (const row of parse(report, { columns: true, bom: true }) as Record<string, string>[]) {
    // The header is line 1.
    const at = Number(row['_row']) - 2;
    seen.set(at, (seen.get(at) ?? 0) + 1);
    const order = orders[at];
    const status = row['_status'] ?? '';
    if (order === undefined) {
      wrong.push(`row ${row['_row']} is not in the file`);
      continue;
    }
    if (status === 'unconfirmed') unconfirmed += 1;
    else if (order.fate !== 'refused' && (status === 'failed' || status === 'unprocessed')) {
      if (status === 'unprocessed' && truth.has(keyOf(order))) wrong.push(sentence(row, 'the service has it'));
      givenUp += 1;
    } else {
      const expected = expectedOf(order, truth.has(keyOf(order)));
      if (!expected.includes(status)) wrong.push(sentence(row, `expected ${expected.join(' or ')}`));
    }
  }
  return {
    rows: orders.length,
    lost: orders.filter((_, at) => !seen.has(at)).length,
    twice: [...seen.values()].filter((count) => count > 1).length,
    wrong,
    givenUp,
    unconfirmed,
    duplicateAdds: duplicatesIn(journal),
  };
}

/** The outcomes that may follow what a check said of a row; of what it says nothing about, any. */
const FORETOLD: Readonly<Record<string, readonly string[]>> = {
  // A call whose reply was lost may have done it before.
  add: ['added', 'already_member'],
  ban: ['banned', 'already_member'],
  already_member: ['already_member'],
  fail: ['failed'],
  invalid: ['invalid'],
  duplicate: ['duplicate'],
};

/** Rows that came to something else than their check said, each as a sentence. @param found check.csv as text, @param report report.csv */
export function foretellings(found: string, report: string): readonly string[] {
  const read = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[];
  const outcomes = new Map(read(report).map((row) => [row['_row'], row]));
  return read(found).flatMap(({ row: number, check: said = '', code }) => {
    const row = outcomes.get(number);
    const came = row?.['_status'] ?? 'missing';
    const allowed = FORETOLD[said];
    return allowed === undefined || allowed.includes(came)
      ? []
      : [sentence(row ?? {}, `the check said ${said} ${code}`)];
  });
}

const keyOf = ({ region, guid, uid }: Order): string => `${region}/${guid}/${uid}`;

/** The UIDs that the service has added to a group or banned there, as keys of orders. */
function readJournal(journal: readonly JournalLine[]): ReadonlySet<string> {
  const carriedOut = journal.filter(({ did }) => did === 'added' || did === 'banned' || did === 'repeated');
  return new Set(carriedOut.map(({ group, uid }) => `${group}/${uid}`));
}

/** UIDs of calls that ask for what an earlier call had done, whether or not the service refused them. */
function duplicatesIn(journal: readonly JournalLine[]): number {
  const done = new Set<string>();
  let duplicates = 0;
  for (const { group, uid, list, did } of journal) {
    const key = `${group}/${uid}/${list}`;
    if (did !== 'unknown-user' && done.has(key)) duplicates += 1;
    if (did !== 'again' && did !== 'unknown-user') done.add(key);
  }
  return duplicates;
}

/** The statuses that are true of a row. Of a row whose reply was lost, an earlier call may have done what was asked. */
function expectedOf({ fate, scope }: Order, isDone: boolean): readonly string[] {
  switch (fate) {
    case 'invalid':
      return ['invalid'];
    case 'duplicate':
      return ['duplicate'];
    case 'refused':
      return ['failed'];
    case 'member before':
      // A service that does not refuse repeats has added the member again.
      return isDone ? ['added', 'already_member'] : ['already_member'];
    case 'in place':
      if (!isDone) return ['nothing: the journal has no such call'];
      return scope === 'ban' ? ['banned', 'already_member'] : ['added', 'already_member'];
  }
}

function sentence(row: Readonly<Record<string, string>>, why: string): string {
  return `row ${row['_row']} (${row['_region']}/${row['_guid']}/${row['_uid']}) is ${row['_status']} ${row['_code']}: ${why}`;
}
