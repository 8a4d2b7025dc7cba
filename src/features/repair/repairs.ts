import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportRecord } from '../../imports/catalog.ts';
import { tagsOf } from '../../imports/catalog.ts';
import { NothingToSend, UnknownImport, WrongState } from '../../imports/import-errors.ts';
import { newImportId } from '../../imports/import-id.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { retryName } from '../../imports/life/retry-import.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { checkTarget } from '../../imports/target.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type {
  RepairEdited,
  RepairPaste,
  RepairReplace,
  RepairReplaced,
  RepairRow,
  RepairTaken,
  RepairUndo,
  RepairView,
} from './api.ts';
import { type CellEdit, type RepairFilter, repairFile } from './repair-ledger.ts';
import { doRepair } from './repair-work.ts';
import type { Fate, SentRepaired } from './send.ts';
import type { Subject } from './show.ts';
import { inTurn as inTurnOf } from './turns.ts';

/** Rows of an import that people correct, and the imports that send them. Each method rejects with CannotRepair or WrongState. */
export interface Repairs {
  overview(id: string, by: string): Promise<RepairView>;
  page(
    id: string,
    request: { readonly filter: RepairFilter; readonly after: number; readonly limit: number },
  ): Promise<{ readonly rows: RepairRow[]; readonly next: number | undefined }>;
  edit(id: string, edits: readonly CellEdit[], by: string): Promise<RepairEdited>;
  /** Undoes the edits of a row; with `column`, of one cell. */
  restore(id: string, row: number, column: string | undefined, by: string): Promise<RepairEdited>;
  /** Replaces a value, a text or what a pattern matches in a column. */
  replace(id: string, request: RepairReplace, by: string): Promise<RepairReplaced>;
  /** Enters lines in rows, from one row on. */
  paste(id: string, request: RepairPaste, by: string): Promise<RepairReplaced>;
  /** Takes back the last action, if it is the one that is named. */
  undo(id: string, request: RepairUndo, by: string): Promise<RepairReplaced>;
  /** Takes the edits from a corrected report. */
  takeFile(id: string, text: string, by: string): Promise<RepairTaken>;
  /** Sends all rows that are ready as a new import, and returns its id. A row is sent once. @throws WrongTarget */
  send(id: string, by: string): Promise<string>;
  /** Undefined if nobody has looked at its rows here. */
  sent(id: string): Promise<SentRepaired | undefined>;
}

interface RepairsOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'find' | 'retries' | 'create' | 'sendsTo'>;
}

/** One for each coordinator: the work on an import is done in turn. */
export function createRepairs({ dir, coordinator }: RepairsOptions): Repairs {
  const { find, retries, create } = coordinator;

  /** @throws WrongState */
  const subjectOf = (id: string): Subject => {
    const record = find(id);
    if (!hasLedger(record, dir.ledger(id))) throw new WrongState(record, 'has no rows to repair', []);
    return {
      folder: dir.folder(id),
      options: readOptions(record),
      isTaken: isRetried(retries(id)),
      isUnsent: record.startedAt === null,
    };
  };

  const found = (id: string): ImportRecord | undefined => {
    try {
      return find(id);
    } catch (error) {
      if (error instanceof UnknownImport) return undefined;
      throw error;
    }
  };

  const fateOf = (id: string): Fate => {
    const record = found(id);
    if (record === undefined) return 'absent';
    return isFinal(record.state) && !existsSync(dir.ledger(id)) ? 'unread' : 'there';
  };

  /** Releases rows that a crash, or an import that never read them, still claims. */
  const settle = async (subject: Subject): Promise<void> => {
    if (!existsSync(repairFile(subject.folder))) return;
    const sends = await doRepair(subject, 'sends', {});
    const fates = Object.fromEntries(sends.map(({ importId }) => [importId, fateOf(importId)]));
    const isOpen = sends.some(({ importId, created }) => fates[importId] === 'unread' || !created);
    if (isOpen) await doRepair(subject, 'settle', { fates });
  };

  /** Runs the work of each import one after the other, so that no later work takes it for what a crash left. */
  const inTurn = <Result>(id: string, work: (subject: Subject) => Promise<Result>): Promise<Result> =>
    inTurnOf(id, async () => {
      const subject = subjectOf(id);
      await settle(subject);
      return work(subject);
    });

  const send = async (subject: Subject, earlier: ImportRecord, by: string): Promise<string> => {
    const id = newImportId();
    const rows = await doRepair(subject, 'claim', { importId: id, by });
    if (rows === 0) throw new NothingToSend(earlier, 'has no repaired rows to send', actionsOf(earlier.state, false));
    const folder = dir.folder(id);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const source = join(folder, 'input');
      const options = await doRepair(subject, 'write', { importId: id, path: source });
      const file = retryName(earlier.file, options.format === 'csv' ? '.csv' : '.ndjson', 'repaired');
      await create({ id, file, source, retryOf: earlier.id, options, createdBy: by, tags: tagsOf(earlier) });
    } catch (error) {
      if (found(id) === undefined) {
        await doRepair(subject, 'settle', { fates: { [id]: 'unread' } });
        await rm(folder, { recursive: true, force: true });
      }
      throw error;
    }
    await doRepair(subject, 'created', { importId: id });
    return id;
  };

  return {
    overview: (id, by) =>
      inTurn(id, async (subject) => ({
        ...(await doRepair(subject, 'overview', { by })),
        maySend: isFinal(find(id).state),
        failedTaken: subject.isTaken,
      })),
    page: (id, request) => doRepair(subjectOf(id), 'page', request),
    edit: (id, edits, by) => inTurn(id, (subject) => doRepair(subject, 'edit', { edits, by })),
    restore: (id, row, column, by) => inTurn(id, (subject) => doRepair(subject, 'restore', { row, column, by })),
    replace: (id, request, by) => inTurn(id, (subject) => doRepair(subject, 'replace', { request, by })),
    paste: (id, request, by) => inTurn(id, (subject) => doRepair(subject, 'paste', { request, by })),
    undo: (id, request, by) => inTurn(id, (subject) => doRepair(subject, 'undo', { request, by })),
    takeFile: (id, text, by) => inTurn(id, (subject) => doRepair(subject, 'file', { text, by })),
    send: (id, by) =>
      inTurn(id, (subject) => {
        const record = find(id);
        checkTarget(`import ${id}`, subject.options, coordinator.sendsTo);
        if (!isFinal(record.state)) {
          throw new WrongState(
            record,
            'its repaired rows can be sent when it has finished; the edits are kept',
            actionsOf(record.state, false),
          );
        }
        return send(subject, record, by);
      }),
    sent: async (id) => {
      if (!existsSync(repairFile(dir.folder(id)))) return undefined;
      return doRepair(subjectOf(id), 'sent', {});
    },
  };
}

/** Whether a plain retry has taken the rows that can be sent again. */
function isRetried(retries: readonly ImportRecord[]): boolean {
  return retries.some((retry) => retry.state !== 'rejected' && readOptions(retry).repaired !== true);
}
