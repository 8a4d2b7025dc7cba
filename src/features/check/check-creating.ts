import { USER_MISSING } from '../../chat/service/codes.ts';
import { createLimit, DEFAULT_MAX_CREATE } from '../../imports/create-limit.ts';
import { columnsOfInput } from '../../imports/input-columns.ts';
import { CREATE_CODES } from '../../imports/predictions/check-verdict.ts';
import { actionId, scopeId } from '../../imports/record/enum-ids.ts';
import {
  type Cells,
  cellsOf,
  firstCells,
  groupProfile,
  profileColumns,
  userProfile,
} from '../../imports/record/profile.ts';
import type { Region } from '../../membership/membership.ts';
import type { CreateField, CreateOptions } from '../../options/create-options.ts';
import type { CheckSummary } from './api.ts';
import type { CheckLedger } from './check-ledger.ts';

/** Users and groups that the import of a checked file would create; creating.ts does it then. */

type Sql = CheckLedger['sql'];
const AT_A_TIME = 500;

/** Gives every missing group what it would be created with, or why it cannot be, and adds its owner to the users to ask about. */
export function planNewGroups({ sql, survey }: CheckLedger, options: CreateOptions): void {
  if (!options.groups) return;
  const read = reader(sql, options);
  for (const group of sql('new_groups').all({ add: actionId('add') })) {
    const [id, guid, region] = [Number(group['id']), String(group['guid']), group['region'] as Region];
    const rows = sql('rows_of_new_group').all({ group: id });
    const profile = groupProfile(guid, firstCells(rows.map(({ original }) => read(original))), options);
    if ('code' in profile) {
      sql('plan_group').run({ group: id, creation: profile.code, name: null, type: null, owner: null });
      continue;
    }
    const { name, type } = profile;
    const owner = profile.owner ?? sql('acting_user').get({ group: id, add: actionId('add') })?.['uid'] ?? null;
    sql('plan_group').run({ group: id, creation: '', name, type, owner });
    if (owner !== null) survey.sql('add_user').run({ region, uid: String(owner) });
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
    for (const { id, uid, row_id: row } of sql('unknown_owners').all()) {
      const found = row === null ? undefined : sql('original').get({ row: Number(row) });
      plan(Number(id), String(uid), found === undefined ? () => '' : read(found['original']));
    }
    for (let after = 0; ; ) {
      const users = sql('users_to_plan').all({ after, limit: AT_A_TIME });
      if (users.length === 0) break;
      for (const { id, uid, original } of users) plan(Number(id), String(uid), read(original));
      after = Number(users.at(-1)?.['id']);
    }
  }
  sql('refuse_owners').run({ reactivate: options.reactivate ? 1 : 0 });
}

function reader(sql: Sql, options: CreateOptions): (original: unknown) => Cells {
  const columns = columnsOfInput(sql('input_columns').get());
  const places: ReadonlyMap<CreateField, number> = profileColumns(columns, options.columns);
  return (original) => cellsOf(String(original), columns, places);
}

/** Counts the creations and their rows, and whether they exceed the limit. */
export function creationsOf(sql: Sql, options: CreateOptions): NonNullable<CheckSummary['create']> {
  const row = (name: string, given = {}) => sql(name).get(given) ?? {};
  const missing = row('count_missing', { ban: scopeId('ban'), user_missing: USER_MISSING });
  const [made, known] = [row('count_new'), row('count_known')];
  const over = (['user', 'group'] as const).flatMap((kind) => {
    if (kind === 'group' ? !options.groups : !options.users && !options.reactivate) return [];
    const name = `${kind}s` as const;
    const limit = createLimit(options.max[name] ?? DEFAULT_MAX_CREATE[name], () => Number(known[name]));
    return Number(missing[name]) > limit ? [{ kind, missing: Number(missing[name]), limit }] : [];
  });
  return {
    users: Number(made['users']),
    groups: Number(made['groups']),
    reactivated: Number(made['reactivated']),
    missing: {
      users: options.users || options.reactivate ? Number(missing['users']) : 0,
      groups: options.groups ? Number(missing['groups']) : 0,
    },
    over,
    rows: sql('count_verdicts')
      .all()
      .filter(({ verdict }) => verdict === 'create')
      .map(({ code, n }) => ({
        code: String(code),
        rows: Number(n),
        reason: CREATE_CODES[String(code) as keyof typeof CREATE_CODES],
      })),
  };
}
