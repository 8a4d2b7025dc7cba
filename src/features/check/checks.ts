import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { wrongState } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { checkFiles } from '../../imports/predictions/check-paths.ts';
import { requireNames } from '../../imports/record/profiles.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { type PossiblePace, slowestCallMs } from '../../imports/send/region-pace.ts';
import type { SurveyProgress, SurveyRun } from '../../imports/survey/crawl.ts';
import { checkTarget } from '../../imports/target.ts';
import { actionsOf } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { Works } from '../../platform/works.ts';
import { type CheckSummary, checkSummary } from './api.ts';
import { type CheckLedger, type CheckRecord, createCheckLedger, openCheckLedger, readCheck } from './check-ledger.ts';
import { type CheckWork, doCheckWork } from './check-work.ts';
import { type CheckRun, runCheck } from './run-check.ts';

/** Checks staged imports against the service in the background. For the owner of the data directory. */
export interface Checks {
  /**
   * Starts a check, continues an interrupted one, or checks again. It can be read at once; resolves when it ends, whatever its
   * state is then, and rejects with an unexpected error.
   * @throws UNKNOWN_IMPORT, WRONG_STATE, WRONG_TARGET, REGION_WITHOUT_APP, CREATE_WITHOUT_NAME, CANNOT_CHECK
   */
  start(id: string, how: CheckHow): Promise<void>;
  isRunning(id: string): boolean;
  /** Returns the progress of a running check. */
  progress(id: string): SurveyProgress | undefined;
  /** Ends the check of an import that was removed. */
  forget(id: string): void;
  /** Stops running checks; they can continue later. */
  stop(): Promise<void>;
}

export type CheckHow = Pick<CheckRun, 'maxCalls'>;

interface ChecksOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'find' | 'pages' | 'sendsTo' | 'regions'>;
  /** By region. */
  readonly apps: Readonly<Record<string, unknown>>;
  readonly pace: Omit<PossiblePace, 'callMs'>;
  readonly anybodyActs?: boolean | undefined;
}

export function createChecks(options: ChecksOptions): Checks {
  const { dir, coordinator, apps, pace, anybodyActs } = options;
  const works = new Works<SurveyProgress>();

  /** @throws REGION_WITHOUT_APP */
  const requireApps = (id: string, regions: readonly Region[]): void => {
    const without = regions.filter((region) => !Object.hasOwn(apps, region));
    if (without.length > 0) throw new RollcallError('REGION_WITHOUT_APP', { id, regions: without, of: 'rows' });
  };

  const run = async (
    id: string,
    { ledger, isNew }: ReturnType<typeof openOrCreate>,
    how: Pick<SurveyRun, 'maxCalls' | 'signal' | 'onProgress'>,
  ) => {
    const { signal } = how;
    const folder = dir.folder(id);
    try {
      const rows = rowsIn(ledger);
      const { file, options } = coordinator.find(id);
      const { create, bans } = readOptions({ options });
      const work = async (step: CheckWork['step']) => {
        const callMs = slowestCallMs(await coordinator.regions.status());
        const subject = { id, file, pace: { ...pace, callMs }, anybodyActs, create, bans };
        await doCheckWork({ folder, step, subject }, rows);
      };
      if (isNew) await work('fill');
      signal.throwIfAborted();
      requireApps(id, ledger.survey.regions());
      const whole = await runCheck({
        survey: ledger.survey,
        pages: (region) => coordinator.pages(region),
        ...how,
        ...(create?.groups && { plan: () => work('plan') }),
      });
      if (whole) await work('conclude');
    } finally {
      ledger.survey.close();
    }
  };

  return {
    start: (id, { maxCalls }) => {
      if (works.isUnderWay(id)) return works.over(id);
      const record = coordinator.find(id);
      const chosen = readOptions(record);
      checkTarget(`import ${id}`, chosen, coordinator.sendsTo);
      if (chosen.edits === true)
        throw new RollcallError('CANNOT_CHECK', {
          id,
          why: 'a sync made it, and has compared it with the service already',
        });
      if (record.state !== 'staged') {
        throw wrongState(
          record,
          'cannot be checked: only what was read and not sent yet can be',
          actionsOf(record.state, false),
        );
      }
      requireApps(id, regionsOf(dir.ledger(id)));
      if (chosen.create !== undefined) requireNames(dir.ledger(id), chosen.create);
      const opened = openOrCreate(dir.folder(id));
      return works.begin(id, (signal, onProgress) => run(id, opened, { maxCalls, signal, onProgress }));
    },
    isRunning: (id) => works.isUnderWay(id),
    forget: (id) => void works.end(id, 'its import was removed'),
    progress: (id) => works.progress(id),
    stop: () => works.stop(),
  };
}

/** Continues a check that was interrupted or waits; starts a new one where there is none, or it has finished. */
function openOrCreate(folder: string): { readonly ledger: CheckLedger; readonly isNew: boolean } {
  const state = checkOf(folder)?.state;
  if (state === undefined || state === 'done') return { ledger: createCheckLedger(folder), isNew: true };
  const ledger = openCheckLedger(folder);
  // It may have been interrupted before it was filled, which happens in one transaction.
  return { ledger, isNew: ledger.survey.regions().length === 0 };
}

/** Regions with rows that are not sent yet. @param path of the import's ledger */
function regionsOf(path: string): Region[] {
  const reader = openImportReader(path);
  try {
    return [...reader.callsLeft({ held: true }).keys()];
  } finally {
    reader.close();
  }
}

function rowsIn({ sql }: Pick<CheckLedger, 'sql'>): number {
  return Number(sql('rows_read').get()?.['n'] ?? 0);
}

/** Returns the record of an import's check; undefined if there is none. @param folder of the import */
export function checkOf(folder: string): CheckRecord | undefined {
  return readCheck(folder, ({ survey }) => survey.record());
}

/** The result of an import's check; undefined until it has finished. @param folder of the import */
export async function checkSummaryOf(folder: string): Promise<CheckSummary | undefined> {
  const { summary } = checkFiles(folder);
  if (checkOf(folder)?.state !== 'done' || !existsSync(summary)) return undefined;
  return checkSummary.parse(JSON.parse(await readFile(summary, 'utf8')));
}
