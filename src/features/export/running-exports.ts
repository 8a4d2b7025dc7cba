import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Telling } from '../../api/service.ts';
import { isError, messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import { newImportId } from '../../imports/import-id.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { startRetention } from '../../imports/life/removal.ts';
import { pay, runSurvey, type SurveyProgress, type SurveyRun, takeLists } from '../../imports/survey/crawl.ts';
import { readGroups } from '../../imports/survey/read-groups.ts';
import type { Part } from '../../imports/survey/survey.ts';
import { type Aimed, checkTarget } from '../../imports/target.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { isLedgerError, type LedgerCode } from '../../platform/database-errors.ts';
import { quietly } from '../../platform/log.ts';
import { Works } from '../../platform/works.ts';
import { isoTime } from '../../text/wording.ts';
import {
  createExportStore,
  type ExportReader,
  type ExportStore,
  exportFile,
  listsOf,
  openExportReader,
  openExportStore,
} from './export-store.ts';
import { type ExportOptions, type ExportView, exportView } from './operations.ts';

interface ExportsOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'pages' | 'sendsTo'>;
  readonly events: Telling;
  readonly onError: (error: unknown, id: string) => void;
  /** Called for an export that cannot be read, or that is old and cannot be removed; once for each error. */
  readonly onUnread?: (error: Error) => void;
  /** The time that exports are kept after they have finished, in ms. Default: for good. */
  readonly keepMs?: number | undefined;
}

export type Exports = ReturnType<typeof openExports>;

/** Exports in the background; they share each region's rate limit with everything else. For the owner of the data directory. */
export function openExports({ dir, coordinator, events, onError, onUnread = () => {}, keepMs }: ExportsOptions) {
  const works = new Works<SurveyProgress>(events.progressed('export'));
  const unread = quietly(onUnread);
  const kept = keptExports(dir, works, unread);
  function run(id: string, store: ExportStore, maxCalls: number | undefined) {
    const ended = works.begin(id, async (signal, onProgress) => {
      using opened = store;
      try {
        await runExport({ store: opened, pages: (region) => coordinator.pages(region), signal, maxCalls, onProgress });
      } catch (error) {
        signal.throwIfAborted();
        onError(error, id);
        opened.survey.move('stopped', messageOf(error));
      }
    });
    // Such as where the disk is full: it can be continued, as after a crash.
    ended.catch((error: unknown) => onError(error, id)).finally(() => events.tell('export', { id }));
  }
  /** Stops it if it is running, and deletes its files, also where they cannot be read. @throws UNKNOWN_EXPORT */
  const remove = async (id: string) => {
    const folder = kept.folder(id);
    await works.end(id, 'the export was ended');
    await rm(folder, { recursive: true, force: true });
  };
  const retention = startRetention({ keepMs, finishedBefore: kept.finishedBefore, remove, onError: unread });
  return {
    ...kept,
    remove,
    /** Begins to read; gives the id. @param maxCalls that this run may make */
    begin: (wanted: Omit<ExportOptions, keyof Aimed>, maxCalls?: number) => {
      const id = `export-${newImportId()}`;
      mkdirSync(dir.export(id), { recursive: true, mode: 0o700 });
      const { sandbox, target } = coordinator.sendsTo;
      run(id, createExportStore(dir.export(id), { ...wanted, sandbox, target }), maxCalls);
      return id;
    },
    /** Continues one that was interrupted, stopped, or is priced. @throws UNKNOWN_EXPORT, WRONG_TARGET */
    resume: (id: string, maxCalls?: number) => {
      checkTarget(id, kept.record(id).options, coordinator.sendsTo);
      if (!works.isUnderWay(id)) run(id, openExportStore(kept.folder(id)), maxCalls);
    },
    /** Stops running exports; they can continue later. */
    stop: async () => {
      await retention.stop();
      await works.stop();
    },
  };
}

/** The exports of a data directory, as their files and this process know them. */
function keptExports(dir: DataDir, works: Works<SurveyProgress>, unread: (error: Error) => void) {
  /** An id from a URL must not lead out of the folder. @throws UNKNOWN_EXPORT */
  function folder(id: string) {
    const own = dir.export(id);
    if (!/^export-[\w-]+$/.test(id) || !existsSync(exportFile(own))) throw new RollcallError('UNKNOWN_EXPORT', { id });
    return own;
  }
  /** The reader must be closed. @throws UNKNOWN_EXPORT */
  const open = (id: string): ExportReader => openExportReader(folder(id));
  /** @throws UNKNOWN_EXPORT */
  function record(id: string) {
    using reader = open(id);
    return reader.record();
  }
  /** Returns it as the API and the command line show it; one that is damaged, too. @throws UNKNOWN_EXPORT */
  function view(id: string): ExportView {
    const underWay = works.isUnderWay(id);
    try {
      using reader = open(id);
      const { options, createdAt, finishedAt, ...stored } = reader.record();
      const mayResume = !underWay && stored.state !== 'completed';
      return exportView.strip().parse({
        ...stored,
        ...options,
        id,
        underWay,
        progress: works.progress(id) ?? null,
        groups: options.groups?.length ?? null,
        lists: listsOf(options),
        createdAt: isoTime(createdAt),
        finishedAt: isoTime(finishedAt),
        // Counting a large export takes a while.
        totals: underWay ? null : reader.totals(),
        next: mayResume
          ? [{ operation: 'resume', name: 'Resume export', why: 'What has been read is kept; read the rest' }]
          : [],
      });
    } catch (error) {
      if (!isLedgerError(error)) throw error;
      unread(error);
      const createdAt = statSync(folder(id)).birthtime.toISOString();
      return { ...UNREADABLE, id, reason: WHY_UNREADABLE[error.code], createdAt };
    }
  }
  /** Reads each, newest first: one that cannot be read must not hide the others, nor one that was just deleted. */
  function each<Result>(read: (id: string) => Result): Result[] {
    const all = join(dir.root, 'exports');
    const names = existsSync(all) ? readdirSync(all).toSorted().reverse() : [];
    return names.flatMap((id) => {
      try {
        return [read(id)];
      } catch (error) {
        if (isLedgerError(error)) unread(error);
        else if (!isError(error, 'UNKNOWN_EXPORT')) throw error;
        return [];
      }
    });
  }
  return {
    folder,
    open,
    record,
    view,
    list: () => each(view),
    /** Ids of those that had finished before this time (ms since 1970). */
    finishedBefore: (before: number) =>
      each((id) => ((record(id).finishedAt ?? before) < before && !works.isUnderWay(id) ? [id] : [])).flat(),
  };
}

/**
 * Reads its lists, and continues where an earlier run was interrupted. Ends as `completed`, as `incomplete` where groups could not
 * be read, or as runSurvey says. Rejects with the signal's reason, and then the export can continue.
 */
export async function runExport({
  store,
  ...run
}: Omit<SurveyRun, 'survey'> & { readonly store: ExportStore }): Promise<void> {
  const { survey } = store;
  const { regions, groups, groupsOnly, users } = store.record().options;
  const parts: Part[] = groupsOnly ? ['facts'] : ['facts', 'members', 'banned'];
  const whole = await runSurvey({ ...run, survey }, 'read', async (crawl) => {
    if (groups === undefined) await takeLists(crawl, regions, 'groups');
    pay(crawl, survey.priceOf({ parts }));
    await readGroups(crawl, regions, 'members', { parts });
    if (users) await takeLists(crawl, regions, 'users');
  });
  if (!whole) return;
  const { failed, missing } = store.totals();
  // If all groups are exported, one may be deleted meanwhile: it is not reported as missing.
  const unread = failed.length + (groups === undefined ? 0 : missing.length);
  if (unread === 0) survey.move('completed');
  else survey.move('incomplete', `${unread} ${unread === 1 ? 'group' : 'groups'} could not be read`);
}

/** Reasons why an export is not shown. The log names the file. */
const WHY_UNREADABLE: Readonly<Record<LedgerCode, string>> = {
  DAMAGED_LEDGER: 'its file is damaged: delete the export, and begin another',
  LEDGER_MISSING: 'its file is not there: delete the export, and begin another',
  UNKNOWN_LEDGER: 'its file was written by another version of rollcall: read it with that one',
};

const UNREADABLE = {
  state: 'unreadable',
  underWay: false,
  regions: [],
  groups: null,
  lists: [],
  calls: 0,
  price: null,
  sandbox: false,
  finishedAt: null,
  progress: null,
  totals: null,
  next: [],
} satisfies Partial<ExportView>;
