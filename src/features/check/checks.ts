import { rmSync } from 'node:fs';
import type { Telling } from '../../api/service.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { wrongState } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { checkFiles } from '../../imports/predictions/row-check.ts';
import { requireNames } from '../../imports/record/profile.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { slowestCallMs } from '../../imports/send/region-pace.ts';
import { type Crawl, pay, runSurvey, type SurveyProgress, type SurveyRun } from '../../imports/survey/crawl.ts';
import { findGroups, readGroups } from '../../imports/survey/read-groups.ts';
import { findUsers, payForUsers } from '../../imports/survey/read-users.ts';
import { checkTarget } from '../../imports/target.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { Works } from '../../platform/works.ts';
import { type CheckLedger, openCheckLedger } from './check-ledger.ts';
import type { CheckSubject } from './check-summary.ts';
import { checkOf } from './check-view.ts';
import { type CheckWork, doCheckWork } from './check-work.ts';

interface ChecksOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'find' | 'pages' | 'sendsTo' | 'regions'>;
  /** By region. */
  readonly apps: Readonly<Record<string, unknown>>;
  readonly pace: Omit<CheckSubject['pace'], 'callMs'>;
  readonly anybodyActs?: boolean | undefined;
  readonly events: Telling;
  readonly onError: (error: unknown, id: string) => void;
}

export type Checks = ReturnType<typeof openChecks>;

/** Checks staged imports against the service in the background. For the owner of the data directory. */
export function openChecks({ dir, coordinator, apps, pace, anybodyActs, events, onError }: ChecksOptions) {
  const works = new Works<SurveyProgress>(events.progressed('check'));
  // The settings that are given as a pace have functions too, which no thread takes.
  const { callsPerMinute, importsPerMinute, concurrency } = pace;
  const known = { callsPerMinute, importsPerMinute, concurrency };
  const run = async (
    { id, file, options }: ImportRecord,
    opened: CheckLedger,
    how: Omit<SurveyRun, 'survey' | 'pages'>,
  ) => {
    using survey = opened;
    const rows = Number(survey.sql('counted').get()?.['read'] ?? 0);
    const { create, bans, silent } = readOptions({ options });
    const work = async (step: CheckWork['step']) => {
      const callMs = slowestCallMs(await coordinator.regions.status());
      const subject = { id, file, pace: { ...known, callMs }, anybodyActs, create, bans, silent };
      await doCheckWork({ folder: dir.folder(id), step, subject }, rows);
    };
    // An interrupted one may not be filled yet, which happens in one transaction.
    if (survey.regions().length === 0) await work('fill');
    how.signal.throwIfAborted();
    const plan = create?.groups ? () => work('plan') : undefined;
    const whole = await runSurvey({ survey, pages: (region) => coordinator.pages(region), ...how }, 'asked', (crawl) =>
      askAbout(crawl, plan),
    );
    if (whole) await work('conclude');
  };
  return {
    works,
    /**
     * Starts a check, continues an interrupted one, or checks again, unless it is under way. Resolves when it ends, whatever its state.
     * @throws UNKNOWN_IMPORT, WRONG_STATE, WRONG_TARGET, REGION_WITHOUT_APP, CREATE_WITHOUT_NAME, CANNOT_CHECK
     */
    start: (id: string, maxCalls: number) => {
      if (works.isUnderWay(id)) return undefined;
      const record = coordinator.find(id);
      const { create, edits, ...aimed } = readOptions(record);
      checkTarget(`import ${id}`, aimed, coordinator.sendsTo);
      if (edits === true) {
        throw new RollcallError('CANNOT_CHECK', {
          id,
          why: 'a sync made it, and has compared it with the service already',
        });
      }
      if (record.state !== 'staged') {
        throw wrongState(record, 'cannot be checked: only what was read and not sent yet can be');
      }
      const without = regionsOf(dir.ledger(id)).filter((region) => !Object.hasOwn(apps, region));
      if (without.length > 0) throw new RollcallError('REGION_WITHOUT_APP', { id, regions: without, of: 'rows' });
      if (create !== undefined) requireNames(dir.ledger(id), create);
      const opened = openOrCreate(dir.folder(id));
      return works
        .begin(id, (signal, onProgress) => run(record, opened, { maxCalls, signal, onProgress }))
        .catch((error: unknown) => onError(error, id))
        .finally(() => events.tell('check', { id }));
    },
  };
}

/** Calls for the list of deactivated users, which is nearly always short. */
const DEACTIVATED = 1;

/**
 * Asks the service about everything that the rows of a staged import name, in the cheaper of two ways each: groups one by
 * one or as a list, members group by group or user by user, users likewise. Nothing is changed at the service.
 * @param plan plans what would be created, once it is known which groups are missing; it may add users to ask about
 */
async function askAbout(crawl: Crawl, plan: (() => Promise<void>) | undefined) {
  const { survey } = crawl;
  const regions = survey.regions();
  const parts = { parts: ['members', 'banned'] } as const;
  pay(crawl, new Map(regions.map((region) => [region, survey.count('count_pending', region)])));
  await findGroups(crawl, regions);
  survey.sql('choose_ways').run({ page: MAX_PER_PAGE });
  await plan?.();
  const members = survey.priceOf(parts);
  await payForUsers(crawl, regions, (region) => (members.get(region) ?? 0) + DEACTIVATED);
  await readGroups(crawl, regions, 'members', parts);
  await findUsers(crawl, regions);
}

/** Continues a check that was interrupted or waits; begins a new one where there is none, or it has finished. */
function openOrCreate(folder: string) {
  const { state = 'done' } = checkOf(folder) ?? {};
  if (state !== 'done') return openCheckLedger(folder);
  for (const ending of ['', '-wal', '-shm']) rmSync(`${checkFiles(folder).check}${ending}`, { force: true });
  const survey = openCheckLedger(folder);
  survey.begin();
  return survey;
}

/** Regions with rows that are not sent yet. @param path of the import's ledger */
function regionsOf(path: string) {
  using reader = openImportReader(path);
  return [...reader.callsLeft({ held: true }).keys()];
}
