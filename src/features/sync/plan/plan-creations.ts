import { isError } from '../../../errors/rollcall-error.ts';
import type { GroupPages } from '../../../imports/ask/group-pages.ts';
import { groupProfile, openProfiles } from '../../../imports/record/profile.ts';
import { crawlOf, pay, type SurveyProgress } from '../../../imports/survey/crawl.ts';
import { findUsers, priceOfUsers } from '../../../imports/survey/read-users.ts';
import type { Region } from '../../../membership/membership.ts';
import { type CreateOptions, createLimit, DEFAULT_MAX_CREATE } from '../../../options/create-options.ts';
import type { PlanLedger } from './plan-ledger.ts';
import type { MissingUsers, PlanCreating } from './plan-totals.ts';

/**
 * The creations of a sync: new groups are members' places like others in its plan, and users are counted beforehand.
 */

/** Calls that counting users may take; where it takes more, they are counted while the plan is carried out. */
const MAX_CALLS = 1_000;
/** Users whose names are shown. */
const NAMED = 5;

/** Marks missing groups that would be created, or says why they cannot be. Call it after all groups were listed. */
export function planNewGroups(plan: PlanLedger, desired: string, options: CreateOptions): void {
  if (!options.groups) return;
  using profiles = openProfiles(desired, options);
  for (const { id, guid } of plan.groupsToCreate(desired)) {
    const profile = groupProfile(guid, profiles.ofGroup(id), options);
    if ('code' in profile) plan.sql('cannot_create').run({ group: id, code: profile.code, message: profile.message });
    else {
      const { name, type, owner = '' } = profile;
      plan.sql('create_group').run({ group: id, creates: JSON.stringify({ name, type, owner }) });
    }
  }
}

export interface NewcomersTask {
  readonly plan: PlanLedger;
  readonly desired: string;
  readonly options: CreateOptions;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Calls that may be made. Default: as many as counting users may take. */
  readonly maxCalls?: number;
  readonly onUser: (done: number, of: number) => void;
}

/** Counts users who would be added and do not exist, and notes what may be created. Call it after the plan was made. */
export async function countNewcomers(task: NewcomersTask): Promise<void> {
  const { plan, desired, options } = task;
  const groups = plan.groups();
  for (const { region, creates } of groups) {
    if (creates !== undefined && creates.owner !== '') plan.sql('add_newcomer').run({ region, uid: creates.owner });
  }
  using profiles = openProfiles(desired, options);
  const { users, groups: most } = options.max;
  const limits = {
    users: createLimit(users ?? DEFAULT_MAX_CREATE.users, profiles.users),
    groups: createLimit(most ?? DEFAULT_MAX_CREATE.groups, () => groups.length),
  };
  const fields = profiles.fields();
  const may = { users: options.users, groups: options.groups, reactivate: options.reactivate };
  const missing = options.users || options.reactivate ? await askFor(task) : null;
  const creating: PlanCreating = { may, limits, fields, missing };
  plan.sql('set_creating').run({ creating: JSON.stringify(creating) });
}

/** Null where it would take too many calls. */
async function askFor({
  plan,
  pages,
  signal,
  maxCalls = MAX_CALLS,
  onUser,
}: NewcomersTask): Promise<MissingUsers | null> {
  const { survey } = plan;
  const regions = survey.regions();
  const newcomers = regions.reduce((sum, region) => sum + survey.count('count_open_users', { region }), 0);
  if (newcomers === 0) return { unknown: 0, deactivated: 0, first: [] };
  const onProgress = ({ done, of }: SurveyProgress) => {
    if (of !== null) onUser(done, newcomers);
  };
  const crawl = crawlOf({ survey, pages, signal, maxCalls: Math.min(maxCalls, MAX_CALLS), onProgress });
  try {
    if (newcomers > MAX_CALLS) {
      const price = new Map<Region, number>();
      for (const region of regions) price.set(region, (await priceOfUsers(crawl, region)).calls);
      pay(crawl, price);
    }
    await findUsers(crawl, regions);
    const first = survey.sql<{ readonly uid: string }>('first_unknown_users').all({ limit: NAMED });
    const found = survey.sql<Omit<MissingUsers, 'first'>>('count_missing_users').get();
    return { unknown: 0, deactivated: 0, ...found, first: first.map(({ uid }) => uid) };
  } catch (error) {
    // The list cannot be trusted, so each user would have to be asked for.
    if (isError(error, 'CALLS_USED_UP')) return null;
    throw error;
  }
}
