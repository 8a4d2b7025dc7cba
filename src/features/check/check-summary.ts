import {
  MAX_GROUP_MEMBERS,
  MAX_GROUPS_OF_USER,
  MAX_UIDS_PER_CALL,
  MEMBERS_WITH_ALL_FEATURES,
} from '../../chat/service/limits.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { leastMs, type PossiblePace } from '../../imports/send/region-pace.ts';
import { VERDICTS, type Verdict } from '../../membership/check-words.ts';
import type { Region } from '../../membership/membership.ts';
import { manyMembers } from '../../membership/outcome-words.ts';
import type { BanChoice } from '../../options/ban-options.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { CheckSummary } from './api.ts';
import { creationsOf } from './check-creating.ts';
import type { CheckLedger } from './check-ledger.ts';

type CheckProblem = CheckSummary['problems'][number];

export interface CheckSubject {
  readonly id: string;
  readonly file: string;
  readonly pace: PossiblePace;
  /** The service lets users act in groups that they are not in. */
  readonly anybodyActs?: boolean | undefined;
  /** Creations that the import may make. */
  readonly create?: CreateOptions | undefined;
  /** Treatment of rows that add a banned user: `keep` refuses them, otherwise the ban is lifted. */
  readonly bans?: BanChoice | undefined;
}

/** Sums up a check whose verdicts are made. Throws an Error when the sum of the rows does not hold. */
export function summaryOfCheck({ sql, survey }: CheckLedger, subject: CheckSubject): CheckSummary {
  const one = (name: string, given: Record<string, number> = {}) => sql(name).get(given) ?? {};
  const verdicts = sql('count_verdicts').all();
  const read = n(one('rows_read'));
  const counts = countsOf(verdicts, one('unsent_rows'));
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  if (sum !== read) throw new Error(`the check has ${sum} rows, and the file ${read}`);
  const by = (name: string, column: string) =>
    new Map(
      sql(name)
        .all()
        .map((row) => [String(row[column]), n(row)]),
    );
  const groups = by('count_groups', 'state');
  const users = by('count_users', 'state');
  const full = one('full_groups', { most: MAX_GROUP_MEMBERS });
  const messages = one('messages');
  const grown = one('grown_groups', { most: MEMBERS_WITH_ALL_FEATURES });
  const example = { guid: String(grown['guid']), members: n(grown, 'members') };
  const later = n(one('later_rows'));
  const inTooManyGroups = n(one('users_in_many_groups', { most: MAX_GROUPS_OF_USER }));
  const create = subject.create === undefined ? null : creationsOf(sql, subject.create);
  const send = Object.fromEntries(
    sql('calls_to_send')
      .all({ looks: (subject.create?.groups ? 1 : 0) + (subject.bans === undefined ? 0 : 1), call: MAX_UIDS_PER_CALL })
      .map((row) => [row['region'] as Region, n(row)]),
  );
  const { calls, notes } = survey.record();
  const problems = [
    ...verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'not_checked').map(problemOf),
    ...sql('count_invalid')
      .all()
      .map((row) => ({ ...problemOf({ ...row, verdict: 'invalid' }), reason: String(row['reason']) })),
  ];
  const total = (counted: ReadonlyMap<string, number>) => [...counted.values()].reduce((all, count) => all + count, 0);
  const { id, file, pace } = subject;
  return {
    id,
    file,
    checkedAt: new Date().toISOString(),
    wouldFail:
      counts.fail +
        counts.invalid +
        counts.not_checked +
        n(full, 'groups') +
        inTooManyGroups +
        (create?.over.length ?? 0) >
      0,
    rows: { read, ...counts },
    problems,
    create,
    sentFirst: later === 0 ? null : sum - counts.invalid - counts.duplicate - counts.skipped - later,
    groups: {
      asked: total(groups),
      found: groups.get('found') ?? 0,
      missing: groups.get('missing') ?? 0,
      failed: groups.get('failed') ?? 0,
      full: n(full, 'groups'),
      rowsWithoutRoom: n(full, 'rows'),
    },
    users: {
      asked: total(users),
      exist: users.get('exists') ?? 0,
      unknown: users.get('unknown') ?? 0,
      deactivated: users.get('deactivated') ?? 0,
      notChecked: users.get('not_checked') ?? 0,
      inTooManyGroups,
    },
    calls: { check: calls, send },
    sendingMs: leastMs(Math.max(0, ...Object.values(send)), pace),
    callsPerMinute: pace.callsPerMinute,
    callMs: pace.callMs,
    messages: { count: n(messages, 'count'), groups: n(messages, 'groups') },
    notes: n(grown) === 0 ? [...notes] : [...notes, manyMembers(n(grown), example, 'would grow')],
  };
}

type Row = Readonly<Record<string, unknown>>;

/** The number in a column of a row; 0 where there is none. */
function n(row: Row, column = 'n'): number {
  return Number(row[column] ?? 0);
}

/** Rows of the file by verdict. @param unsent those that are not asked about */
function countsOf(verdicts: readonly Row[], unsent: Row): Record<Verdict, number> {
  return Object.fromEntries(
    VERDICTS.map((verdict) => [
      verdict,
      verdicts.filter((row) => row['verdict'] === verdict).reduce((sum, row) => sum + n(row), 0) + n(unsent, verdict),
    ]),
  ) as Record<Verdict, number>;
}

function problemOf(row: Row): CheckProblem {
  const code = String(row['code']);
  return {
    verdict: row['verdict'] as CheckProblem['verdict'],
    code,
    rows: Number(row['n']),
    reason: reasonOf(code),
    first: { row: Number(row['line']), guid: String(row['guid']), uid: String(row['uid']) },
  };
}
