import { mkdir, stat } from 'node:fs/promises';
import { isQuestionRefused, type QuestionRefused } from '../../../../jobs/ask-service.ts';
import type { PlanFlags, Planning } from '../../../api/sync-entry.ts';
import { isError, RollcallError } from '../../../errors/rollcall-error.ts';
import type { GroupPages } from '../../../imports/ask/group-pages.ts';
import { scopeId } from '../../../imports/record/enum-ids.ts';
import { groupProfile, openProfiles, requireNames } from '../../../imports/record/profile.ts';
import type { StagingProgress, StagingTask } from '../../../imports/stage/stage-file.ts';
import { crawlOf, pay, type SurveyProgress, type SurveyRun, type SurveyStep } from '../../../imports/survey/crawl.ts';
import { readGroups } from '../../../imports/survey/read-groups.ts';
import { findUsers, payForUsers } from '../../../imports/survey/read-users.ts';
import type { OpenGroup, Part } from '../../../imports/survey/survey.ts';
import type { Region } from '../../../membership/membership.ts';
import { createLimit, DEFAULT_MAX_CREATE } from '../../../options/create-limit.ts';
import type { CreateOptions } from '../../../options/create-options.ts';
import { hashOf } from '../../../platform/files.ts';
import { sumOf } from '../../../text/wording.ts';
import type { Decision } from './make-plan.ts';
import { type CopyTask, type PlannedFile, planFiles, removePlan, stageFile } from './plan-files.ts';
import { openPlanLedger, type PlanLedger, withAttached } from './plan-ledger.ts';
import type { MissingUsers, PlanCreating } from './plan-totals.ts';
import { doWork } from './plan-work.ts';

export type PlanRequest =
  /** Carry out the file `source`, which the user named `file`. */
  | ({ readonly kind: 'file'; readonly later?: readonly string[] } & PlannedFile)
  /** Undo an import; its ledger is at `ledger`, and those of later imports at `later`. */
  | {
      readonly kind: 'undo';
      readonly file: string;
      readonly importId: string;
      readonly ledger: string;
      readonly later: readonly string[];
    };

export interface PlanningTask extends CopyTask, Pick<Decision, 'memory'> {
  readonly request: PlanRequest;
  readonly flags: PlanFlags;
  /** Undefined: nothing may be created. */
  readonly create?: CreateOptions | undefined;
  /** Calls that it may make. Undefined: as many as it takes. */
  readonly maxCalls?: number | undefined;
  /** Reads the file. */
  readonly stage: (task: StagingTask, progress: (progress: StagingProgress) => void) => Promise<unknown>;
  readonly pages: (region: Region) => GroupPages;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly onProgress: (progress: Planning) => void;
}

/**
 * Reads the file, lists its groups, and makes the plan. Nothing is sent. The plan is open; its guards are still to be asked.
 * @throws IntakeError, CREATE_WITHOUT_NAME, REGION_WITHOUT_APP, SERVICE_REFUSED, SERVICE_AWAY; the signal's reason when aborted
 */
export async function planFor(task: PlanningTask) {
  const { folder, request, create, signal } = task;
  const progress: Planning = { step: 'reading', rows: 0, done: 0, groups: 0 };
  const note = (change: Partial<Planning>) => task.onProgress(Object.assign(progress, change));
  const stage = (reading: StagingTask) => task.stage(reading, ({ rows }) => note({ rows }));
  const files = planFiles(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removePlan(folder);
  const desired = request.kind === 'undo' ? request.ledger : await stageFile(task, request, stage);
  if (create !== undefined) requireNames(desired, create);
  // The result of a finished import never changes.
  const [path, hash] =
    request.kind === 'undo' ? [request.ledger, request.importId] : [files.input, await hashOf(files.input)];
  const source = { file: request.file, hash, size: (await stat(path)).size };
  const plan = openPlanLedger(files.plan);
  try {
    plan.begin(request.kind === 'undo' ? 'undone' : 'desired', desired, source);
    const strange = plan.survey.regions().filter((region) => !task.regions.has(region));
    if (strange.length > 0) throw new RollcallError('REGION_WITHOUT_APP', { regions: strange, of: 'groups' });
    await listAndDecide(task, plan, desired, note).catch((error: unknown) => {
      if (!(isQuestionRefused(error) && error.facts.ofRegion)) throw error;
      throw regionRefused(error);
    });
    signal.throwIfAborted();
    return plan;
  } catch (error) {
    plan.close();
    throw error;
  }
}

/**
 * Lists the members and plans, and asks for what the plan turns out to need, which costs a call for each group: who owns
 * it, where a plan would take something from a user; who is banned, where it would do anything, because the import of the plan
 * asks too before it adds anyone, and what is approved must be what is carried out. Where bans may be lifted (`allowUnban`),
 * every group is asked: a banned user who is listed like a member must not pass for one.
 */
async function listAndDecide(
  { folder, flags, request, create, memory, pages, signal, maxCalls }: PlanningTask,
  plan: PlanLedger,
  desired: string,
  note: (change: Partial<Planning>) => void,
) {
  const { survey } = plan;
  const regions = survey.regions();
  const onProgress = ({ step, done, of }: SurveyProgress) => {
    if (step !== 'groups' && of !== null) note({ step, done, groups: of });
  };
  const crawl = crawlOf({ survey, pages, signal, maxCalls, onProgress });
  const read = async (step: SurveyStep, part: Part, ids?: readonly number[]) => {
    const wanted = { parts: [part], ids };
    pay(crawl, survey.priceOf(wanted), 'at least');
    await readGroups(crawl, regions, step, wanted);
    plan.settle();
  };
  const newcomers = create !== undefined && (create.users || create.reactivate);
  // The first answer may be long in coming.
  note({ step: 'members', done: 0, groups: plan.groups().length });
  await read('members', 'members');
  if (create !== undefined) planNewGroups(plan, desired, create);
  // An undo: the import may have banned a user who seems to be a member.
  if (request.kind === 'undo' || flags.allowUnban) await read('banned', 'banned');
  for (;;) {
    const decision = { ...request, path: planFiles(folder).plan, from: desired, flags, newcomers, memory };
    const people = sumOf(plan.groups().map(({ members, wanted }) => members + wanted));
    await doWork('makePlan', decision, people <= FEW_PEOPLE);
    // Assume that users who are spared only because the owner is unknown will be removed: it saves one round of planning.
    const [owned, banned] = [plan.ownersNeeded(), plan.bansNeeded()];
    if (owned.length + banned.length === 0) break;
    await read('owner', 'facts', owned);
    await read('banned', 'banned', banned);
  }
  if (create === undefined) return;
  await countNewcomers({ plan, desired, options: create, pages, signal, maxCalls: crawl.left(), onProgress });
}

/** Members and rows whose decision takes less time than starting a thread for it. */
const FEW_PEOPLE = 20_000;

/** Nothing of the region can be planned. */
function regionRefused({ facts: { region }, code, message }: QuestionRefused) {
  if (code === 'SERVICE_AWAY') return new RollcallError('SERVICE_AWAY', { region, message });
  return new RollcallError('SERVICE_REFUSED', { region, code, message });
}

/** Calls that counting users may take; where it takes more, they are counted while the plan is carried out. */
const MAX_CALLS = 1_000;
/** Users whose names are shown. */
const NAMED = 5;

/** Marks missing groups that would be created, or says why they cannot be. Call it after all groups were listed. */
function planNewGroups(plan: PlanLedger, desired: string, options: CreateOptions) {
  if (!options.groups) return;
  using profiles = openProfiles(desired, options);
  const groups = withAttached(plan.database, desired, 'desired', () =>
    plan.sql<Pick<OpenGroup, 'id' | 'guid'>>('groups_to_create').all({ ban: scopeId('ban') }),
  );
  for (const { id, guid } of groups) {
    const profile = groupProfile(guid, profiles.ofGroup(id), options);
    if ('code' in profile) plan.sql('cannot_create').run({ group: id, code: profile.code, message: profile.message });
    else {
      const { name, type, owner = '' } = profile;
      plan.sql('create_group').run({ group: id, creates: JSON.stringify({ name, type, owner }) });
    }
  }
}

interface NewcomersTask extends Omit<SurveyRun, 'survey'> {
  readonly plan: PlanLedger;
  readonly desired: string;
  readonly options: CreateOptions;
}

/** Counts users who would be added and do not exist, and notes what may be created. Call it after the plan was made. */
export async function countNewcomers(task: NewcomersTask) {
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
  const creating = JSON.stringify({ may, limits, fields, missing } satisfies PlanCreating);
  plan.sql('set_creating').run({ creating });
}

/** Null where it would take too many calls. */
async function askFor({ plan, maxCalls = MAX_CALLS, ...run }: NewcomersTask) {
  const { survey } = plan;
  const regions = survey.regions();
  const newcomers = sumOf(regions.map((region) => survey.count('count_open_users', region)));
  if (newcomers === 0) return { unknown: 0, deactivated: 0, first: [] };
  const crawl = crawlOf({ ...run, survey, maxCalls: Math.min(maxCalls, MAX_CALLS) });
  try {
    await payForUsers(crawl, regions);
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
