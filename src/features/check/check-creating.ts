import { USER_MISSING } from '../../chat/service/codes.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { scopeId } from '../../imports/record/enum-ids.ts';
import { type Cells, groupProfile, openProfiles, userProfile } from '../../imports/record/profile.ts';
import { inPages } from '../../imports/survey/side-by-side.ts';
import type { OpenGroup, OpenUser } from '../../imports/survey/survey.ts';
import type { Verdict } from '../../membership/check-words.ts';
import type { Region } from '../../membership/membership.ts';
import { overLimits } from '../../options/create-limit.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { CheckLedger } from './check-ledger.ts';

/** Users and groups that the import of a checked file would create; creating.ts does it then. */

type NewGroup = Pick<OpenGroup, 'id' | 'guid'> & { readonly region: Region };
type Things = Readonly<Record<'users' | 'groups', number>>;
type Creations = Things & { readonly reactivated: number };
/** Rows of the file with the same verdict and code. */
export type CountedRows = Readonly<{ verdict: Verdict; code: string }> & { n: number };
const AT_A_TIME = 500;

/** Says what each missing group would be created with, or why it cannot be; its owner is asked about, too. */
export function planNewGroups({ sql }: CheckLedger, path: string, options: CreateOptions) {
  if (!options.groups) return;
  using profiles = openProfiles(path, options);
  for (const { id, guid, region } of sql<NewGroup>('new_groups').all()) {
    const profile = groupProfile(guid, profiles.ofGroup(id), options);
    if ('code' in profile) {
      sql('plan_group').run({ group: id, creation: profile.code, name: null, type: null, owner: null });
      continue;
    }
    const { name, type, owner = profiles.actingUser(id) ?? null } = profile;
    sql('plan_group').run({ group: id, creation: '', name, type, owner });
    if (owner !== null) sql('add_user').run({ region, uid: owner });
  }
}

/** Says whether users who are not found would be created, and whether the owners of new groups would exist. */
export function settleNew({ sql }: CheckLedger, path: string, options: CreateOptions) {
  using profiles = openProfiles(path, options);
  const plan = (user: number, uid: string, cells: Cells) => {
    const profile = userProfile(uid, cells, options);
    sql('plan_user').run({ user, creation: 'code' in profile ? profile.code : '' });
  };
  sql('find_first_rows').run();
  if (options.users) {
    // The owner of a new group is created before all others, and may be in no row of the group.
    for (const { id, uid, group } of sql<OpenUser & { readonly group: number }>('unknown_owners').all()) {
      plan(id, uid, profiles.ofMember(group, uid));
    }
    const toPlan = inPages((after) =>
      sql<OpenUser & { readonly row: number }>('users_to_plan').all({ after, limit: AT_A_TIME }),
    );
    for (const users of toPlan) for (const { id, uid, row } of users) plan(id, uid, profiles.rowOf(row).cells);
  }
  sql('refuse_owners').run({ reactivate: options.reactivate ? 1 : 0 });
  if (options.reactivate) sql('doubt_owners').run();
}

/** Counts the creations and their rows, and whether they exceed the limit. */
export function creationsOf(sql: CheckLedger['sql'], options: CreateOptions, verdicts: readonly CountedRows[]) {
  const missing = sql<Things>('count_missing').get({ ban: scopeId('ban'), user_missing: USER_MISSING }) as Things;
  const known = sql<Things>('count_known').get() as Things;
  const made = sql<Creations>('count_new').get() as Creations;
  return {
    ...made,
    missing: {
      users: options.users || options.reactivate ? missing.users : 0,
      groups: options.groups ? missing.groups : 0,
    },
    over: overLimits(options, missing, (name) => known[name]),
    rows: verdicts
      .filter(({ verdict }) => verdict === 'create')
      .map(({ code, n }) => ({ code, rows: n, reason: reasonOf(code) })),
  };
}
