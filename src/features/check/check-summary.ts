import {
  MAX_GROUP_MEMBERS,
  MAX_GROUPS_OF_USER,
  MAX_IMPORTED_PER_CALL,
  MAX_UIDS_PER_CALL,
  MEMBERS_WITH_ALL_FEATURES,
} from '../../chat/service/limits.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { leastMs, type PossiblePace } from '../../imports/send/region-pace.ts';
import { VERDICTS, type Verdict } from '../../membership/check-words.ts';
import type { Region } from '../../membership/membership.ts';
import { manyMembers } from '../../membership/outcome-words.ts';
import { sumOf } from '../../text/wording.ts';
import { type CountedRows, creationsOf } from './check-creating.ts';
import type { CheckLedger } from './check-ledger.ts';
import type { CheckSummary } from './operations.ts';

/** An import with the options that its check depends on. */
export interface CheckSubject
  extends Pick<ImportRecord, 'id' | 'file'>,
    Pick<ImportOptions, 'create' | 'bans' | 'silent'> {
  readonly pace: PossiblePace & { readonly importsPerMinute: number };
  /** The service lets users act in groups that they are not in. */
  readonly anybodyActs?: boolean | undefined;
}

/** Sums up a check whose verdicts are made. Throws an Error when the sum of the rows does not hold. @param verdicts of all rows of the file */
export function summaryOfCheck(
  { sql, record }: CheckLedger,
  subject: CheckSubject,
  verdicts: readonly FirstOfRows[],
): CheckSummary {
  const one = <Row>(name: string, given: Record<string, number> = {}) => sql<Row>(name).get(given) as Row;
  const { read, later, messages, addedCalls, silentCalls } = one<Counters>('counted');
  const counts = Object.fromEntries(
    VERDICTS.map((one) => [one, sumOf(verdicts.map(({ verdict, n }) => (verdict === one ? n : 0)))]),
  ) as Record<Verdict, number>;
  const sum = sumOf(Object.values(counts));
  if (sum !== read) throw new Error(`the check has ${sum} rows, and the file ${read}`);
  const groups = one<CheckSummary['groups']>('count_groups', { most: MAX_GROUP_MEMBERS });
  const users = one<CheckSummary['users']>('count_users', { most: MAX_GROUPS_OF_USER });
  const { n: grown, ...example } = one<Counted & { guid: string; members: number }>('grown_groups', {
    most: MEMBERS_WITH_ALL_FEATURES,
  });
  const { id, file, bans, silent } = subject;
  const create = subject.create === undefined ? null : creationsOf(sql, subject.create, verdicts);
  const looks = (subject.create?.groups ? 1 : 0) + (bans === undefined ? 0 : 1);
  const made = silent ? MAX_IMPORTED_PER_CALL : 1;
  const send = Object.fromEntries(
    sql<Counted & { readonly region: Region }>('calls_to_send')
      .all({ looks, call: MAX_UIDS_PER_CALL, made })
      .map(({ region, n }) => [region, n]),
  );
  const regions = Math.max(1, Object.keys(send).length);
  const { calls, notes } = record();
  const problems = verdicts.filter(({ verdict }) => IN_SHORT.has(verdict)).map(problemOf);
  const callsPerMinute = subject.pace.importsPerMinute;
  const pace = silent ? { ...subject.pace, callsPerMinute } : subject.pace;
  const added = { messages: messages ?? 0, calls: addedCalls ?? 0, callsPerMinute: subject.pace.callsPerMinute };
  return {
    id,
    file,
    checkedAt: new Date().toISOString(),
    wouldFail:
      counts.fail +
        counts.invalid +
        counts.not_checked +
        groups.full +
        users.inTooManyGroups +
        (create?.over.length ?? 0) >
      0,
    rows: { read, ...counts },
    problems,
    create,
    sentFirst: later === 0 ? null : sum - counts.invalid - counts.duplicate - counts.skipped - later,
    groups,
    users,
    calls: { check: calls, send },
    // The questions beside them have another budget.
    sendingMs: leastMs(silent ? Number(silentCalls) / regions : Math.max(0, ...Object.values(send)), pace),
    callsPerMinute: pace.callsPerMinute,
    callMs: pace.callMs,
    messages: silent ? { count: 0, groups: 0 } : one<CheckSummary['messages']>('messages'),
    ways: silentCalls === null ? null : { added, silent: { calls: Number(silentCalls), callsPerMinute } },
    notes: grown === 0 ? [...notes] : [...notes, manyMembers(grown, example, 'would grow')],
  };
}

type Counters = Record<'read' | 'later', number> & Record<'messages' | 'addedCalls' | 'silentCalls', number | null>;
type Counted = Pick<CountedRows, 'n'>;

export type FirstOfRows = CountedRows &
  Readonly<{
    row: number;
    guid: string;
    uid: string;
    /** The first problem of an invalid row. */
    problem: string | null;
  }>;

/** Verdicts that are told by code. */
const IN_SHORT: ReadonlySet<Verdict> = new Set(['fail', 'not_checked', 'invalid']);

function problemOf({ verdict, code, n, row, guid, uid, problem }: FirstOfRows) {
  const first = { row, guid, uid };
  return {
    verdict: verdict as CheckSummary['problems'][number]['verdict'],
    code,
    rows: n,
    reason: problem ?? reasonOf(code),
    first,
  };
}
