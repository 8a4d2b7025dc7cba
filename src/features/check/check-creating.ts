import { USER_MISSING } from '../../chat/service/codes.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { columnsOfInput } from '../../imports/read/notes.ts';
import { actionId, scopeId } from '../../imports/record/enum-ids.ts';
import { type Cells, cellsReader, firstCells, groupProfile, userProfile } from '../../imports/record/profile.ts';
import { inPages } from '../../imports/survey/side-by-side.ts';
import type { OpenGroup, OpenUser } from '../../imports/survey/survey.ts';
import type { Verdict } from '../../membership/check-words.ts';
import type { Region } from '../../membership/membership.ts';
import { createLimit, DEFAULT_MAX_CREATE } from '../../options/create-limit.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { CheckLedger } from './check-ledger.ts';
import type { CheckSummary } from './operations.ts';

/** Users and groups that the import of a checked file would create; creating.ts does it then. */

type Sql = CheckLedger['sql'];
type NewGroup = Pick<OpenGroup, 'id' | 'guid'> & { readonly region: Region };
type Creations = Pick<NonNullable<CheckSummary['create']>, 'users' | 'groups' | 'reactivated'>;
interface Original {
  readonly original: string;
}
/** Rows of the file with the same verdict and code. */
export type CountedRows = Readonly<{ verdict: Verdict; code: string; n: number }>;
const AT_A_TIME = 500;

/** Gives every missing group what it would be created with, or why it cannot be, and adds its owner to the users to ask about. */
export function planNewGroups({ sql, survey }: CheckLedger, options: CreateOptions): void {
  if (!options.groups) return;
  const read = reader(sql, options);
  for (const { id, guid, region } of sql<NewGroup>('new_groups').all({ add: actionId('add') })) {
    const rows = sql<Original>('rows_of_new_group').all({ group: id });
    const profile = groupProfile(guid, firstCells(rows.map(({ original }) => read(original))), options);
    if ('code' in profile) {
      sql('plan_group').run({ group: id, creation: profile.code, name: null, type: null, owner: null });
      continue;
    }
    const { name, type } = profile;
    const acting = sql<{ readonly uid: string | null }>('acting_user').get({ group: id, add: actionId('add') });
    const owner = profile.owner ?? acting?.uid ?? null;
    sql('plan_group').run({ group: id, creation: '', name, type, owner });
    if (owner !== null) survey.sql('add_user').run({ region, uid: owner });
  }
}

/** Notes for every user who is not found whether it could be created, and for new groups whether their owners would exist. */
export function settleNew({ sql }: Pick<CheckLedger, 'sql'>, options: CreateOptions): void {
  const read = reader(sql, options);
  const plan = (user: number, uid: string, cells: Cells): void => {
    const profile = userProfile(uid, cells, options);
    sql('plan_user').run({ user, creation: 'code' in profile ? profile.code : '' });
  };
  sql('find_first_rows').run({ add: actionId('add'), ban: scopeId('ban') });
  if (options.users) {
    // The owner of a new group is created before all others, and may be in no row of the group.
    for (const { id, uid, row } of sql<OpenUser & { readonly row: number | null }>('unknown_owners').all()) {
      const found = sql<Original>('original').get({ row });
      plan(id, uid, found === undefined ? () => '' : read(found.original));
    }
    const toPlan = inPages((after) => sql<OpenUser & Original>('users_to_plan').all({ after, limit: AT_A_TIME }));
    for (const users of toPlan) for (const { id, uid, original } of users) plan(id, uid, read(original));
  }
  sql('refuse_owners').run({ reactivate: options.reactivate ? 1 : 0 });
}

function reader(sql: Sql, options: CreateOptions): (original: string) => Cells {
  return cellsReader(columnsOfInput(sql('input_columns').get()), options);
}

/** Counts the creations and their rows, and whether they exceed the limit. */
export function creationsOf(
  sql: Sql,
  options: CreateOptions,
  verdicts: readonly CountedRows[],
): NonNullable<CheckSummary['create']> {
  const row = <Row = Readonly<Record<'users' | 'groups', number>>>(name: string, given = {}) =>
    sql<Row>(name).get(given) as Row;
  const missing = row('count_missing', { ban: scopeId('ban'), user_missing: USER_MISSING });
  const [made, known] = [row<Creations>('count_new'), row('count_known')];
  const over = (['user', 'group'] as const).flatMap((kind) => {
    if (kind === 'group' ? !options.groups : !options.users && !options.reactivate) return [];
    const name = `${kind}s` as const;
    const limit = createLimit(options.max[name] ?? DEFAULT_MAX_CREATE[name], () => known[name]);
    return missing[name] > limit ? [{ kind, missing: missing[name], limit }] : [];
  });
  return {
    ...made,
    missing: {
      users: options.users || options.reactivate ? missing.users : 0,
      groups: options.groups ? missing.groups : 0,
    },
    over,
    rows: verdicts
      .filter(({ verdict }) => verdict === 'create')
      .map(({ code, n }) => ({ code, rows: n, reason: reasonOf(code) })),
  };
}
