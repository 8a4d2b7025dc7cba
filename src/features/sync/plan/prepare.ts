import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { isQuestionRefused, type QuestionRefused } from '../../../../jobs/ask-service.ts';
import type { PlanFlags, Planning } from '../../../api/sync-entry.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { GroupPages } from '../../../imports/ask/group-pages.ts';
import { requireNames } from '../../../imports/record/profile.ts';
import type { StagingProgress, StagingTask } from '../../../imports/stage/stage-file.ts';
import { crawlOf, pay, type SurveyProgress, type SurveyStep } from '../../../imports/survey/crawl.ts';
import { readGroups } from '../../../imports/survey/read-groups.ts';
import type { Part } from '../../../imports/survey/survey.ts';
import type { Region } from '../../../membership/membership.ts';
import type { CreateOptions } from '../../../options/create-options.ts';
import { hashOf } from '../../../platform/files.ts';
import { type Decision, decide } from './make-plan.ts';
import { countNewcomers, planNewGroups } from './plan-creations.ts';
import { type PlannedFile, planFiles, removePlan, stageFile } from './plan-files.ts';
import { openPlanLedger, type PlanLedger } from './plan-ledger.ts';

/** The goal of a plan. */
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

export interface PlanningTask extends Pick<Decision, 'memory'> {
  /**
   * The folder in which the plan is made, with everything that it is made from. Files of an earlier try are
   * overwritten.
   */
  readonly folder: string;
  readonly request: PlanRequest;
  readonly flags: PlanFlags;
  /** The users and groups that may be created. Undefined: none. */
  readonly create?: CreateOptions | undefined;
  /** Rows of the file of the last run; undefined: there was none, or it does not matter. */
  readonly rowsBefore?: number | undefined;
  /** Calls that it may make. Undefined: as many as it takes. */
  readonly maxCalls?: number | undefined;
  /** Reads the file. */
  readonly stage: (task: StagingTask, progress: (progress: StagingProgress) => void) => Promise<unknown>;
  readonly pages: (region: Region) => GroupPages;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly signal: AbortSignal;
  /** Gets the part of its progress that has changed. */
  readonly onProgress: (progress: Partial<Planning>) => void;
}

/**
 * Reads the file, lists its groups, and makes the plan. Nothing is sent. The plan is open; its guards are still to be asked.
 * @throws IntakeError, CREATE_WITHOUT_NAME, REGION_WITHOUT_APP, SERVICE_REFUSED, SERVICE_AWAY; the signal's reason when aborted
 */
export async function planFor(task: PlanningTask): Promise<PlanLedger> {
  const { folder, request, create, signal, onProgress } = task;
  const stage = (reading: StagingTask) => task.stage(reading, ({ rows }) => onProgress({ step: 'reading', rows }));
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
    if (request.kind === 'undo') plan.beginUndo(desired, source);
    else plan.begin(desired, source);
    const regions = new Set(plan.groupsToList().map(({ region }) => region));
    const strange = [...regions].filter((region) => !task.regions.has(region));
    if (strange.length > 0) throw new RollcallError('REGION_WITHOUT_APP', { regions: strange, of: 'groups' });
    await listAndDecide(task, plan, desired).catch((error: unknown) => {
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

/** A hash that also changes with other files, where there are some. */
export async function hashWith(hash: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return hash;
  const hashes = await Promise.all(paths.map(hashOf));
  return createHash('sha256')
    .update([hash, ...hashes].join(' '))
    .digest('hex');
}

/**
 * Lists the members and plans, and asks for what the plan turns out to need, which costs a call for each group: who owns
 * it, where a plan would take something from a user; who is banned, where it would do anything, because the import of the plan
 * asks too before it adds anyone, and what is approved must be what is carried out. Where bans may be lifted (`allowUnban`),
 * every group is asked: a banned user who is listed like a member must not pass for one.
 */
async function listAndDecide(
  { folder, flags, request, create, memory, pages, signal, maxCalls, onProgress }: PlanningTask,
  plan: PlanLedger,
  desired: string,
) {
  const { survey } = plan;
  const regions = survey.regions();
  const onRead = ({ step, done, of }: SurveyProgress) => {
    if (step !== 'groups') onProgress({ step, done, groups: of ?? done });
  };
  const crawl = crawlOf({ survey, pages, signal, maxCalls, onProgress: onRead });
  const read = async (step: SurveyStep, part: Part, ids?: readonly number[]) => {
    const wanted = { parts: [part], ids };
    pay(crawl, survey.priceOf(wanted), 'at least');
    await readGroups(crawl, regions, step, wanted);
    plan.settle();
  };
  const newcomers = create !== undefined && (create.users || create.reactivate);
  // The first answer may be long in coming.
  onProgress({ step: 'members', done: 0, groups: plan.groupsToList().length });
  await read('members', 'members');
  if (create !== undefined) planNewGroups(plan, desired, create);
  // An undo: the import may have banned a user who seems to be a member.
  if (request.kind === 'undo' || flags.allowUnban) await read('banned', 'banned');
  for (;;) {
    await decide(plan, planFiles(folder).plan, { ...request, from: desired, flags, newcomers, memory });
    // Assume that users who are spared only because the owner is unknown will be removed: it saves one round of planning.
    const [owned, banned] = [plan.ownersNeeded(), plan.bansNeeded()];
    if (owned.length + banned.length === 0) break;
    await read('owner', 'facts', owned);
    await read('banned', 'banned', banned);
  }
  if (create === undefined) return;
  const onUser = (done: number, users: number) => onProgress({ step: 'users', done, groups: users });
  await countNewcomers({ plan, desired, options: create, pages, signal, maxCalls: crawl.left(), onUser });
}

/** Nothing of the region can be planned. */
function regionRefused({ facts: { region }, code, message }: QuestionRefused): RollcallError {
  if (code === 'SERVICE_AWAY') return new RollcallError('SERVICE_AWAY', { region, message });
  return new RollcallError('SERVICE_REFUSED', { region, code, message });
}
