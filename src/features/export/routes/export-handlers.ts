import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { HandlersOf } from '../../../api/operation.ts';
import { isError, RollcallError } from '../../../errors/rollcall-error.ts';
import type { Region } from '../../../membership/membership.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { quietly } from '../../../platform/quietly.ts';
import { LedgerError } from '../../../platform/sqlite.ts';
import { Problem } from '../../../server/problem.ts';
import { inShort } from '../../../text/wording.ts';
import type { ExportList, ExportView } from '../api.ts';
import { exportBytes, listsOf } from '../export-files.ts';
import type { ExportReader } from '../export-store.ts';
import { exportView } from '../export-view.ts';
import type { exportOperations } from '../operations.ts';
import type { Exports } from '../running-exports.ts';

interface Handling {
  readonly exports: Exports;
  readonly dir: DataDir;
  /** Regions that have an app. */
  readonly having: readonly Region[];
  /** Called for an export that cannot be read, once for each error. */
  readonly unread: (error: unknown) => void;
}

/** Exports, in any process that reads them. */
export function exportHandlers({ exports, dir, having, unread }: Handling) {
  const { readable, viewOf } = viewsOf(exports, dir, unread);
  return {
    begin: async ({ groups, regions = having, users = false, groupsOnly = false, maxCalls }, { audited }) => {
      const without = regions.filter((region) => !having.includes(region));
      if (without.length > 0) {
        throw new RollcallError('REGION_WITHOUT_APP', { regions: without, possible: having });
      }
      if (users && groupsOnly) {
        const field = 'groupsOnly';
        throw new Problem('BAD_OPTION', 'groupsOnly leaves users out, and users asks for them.', { field });
      }
      const wanted = { regions: [...regions], users, groupsOnly, ...(groups !== undefined && { groups }) };
      const id = exports.begin(wanted, maxCalls);
      audited(inShort({ regions: regions.join(','), users, groupsOnly, maxCalls }), id);
      return viewOf(id);
    },
    list: async () => ({ exports: exports.ids().flatMap((id) => readable(() => viewOf(id)) ?? []) }),
    one: async ({ id }) => viewOf(id),
    resume: async ({ id, maxCalls }) => {
      const { state } = exports.read(id, (reader) => reader.record());
      if (state === 'completed')
        throw new Problem('WRONG_STATE', `Export ${id} is completed.`, { remedy: 'Download its lists.' });
      exports.resume(id, maxCalls);
      return viewOf(id);
    },
    remove: async ({ id }) => exports.remove(id),
    download: async ({ id, list, format = 'csv' }): Promise<Readable> => {
      refuseDownload(
        id,
        list,
        exports.read(id, (reader) => reader.record()),
      );
      const reader = exports.open(id);
      return exportBytes(reader, list, format).once('close', () => reader.close());
    },
  } satisfies HandlersOf<typeof exportOperations>;
}

/** @throws Problem WRONG_STATE */
function refuseDownload(id: string, list: ExportList, { state, options }: ReturnType<ExportReader['record']>): void {
  const lists = listsOf(options);
  if (!lists.includes(list)) {
    const remedy = 'Ask for one of the lists in `possible`, or begin another export.';
    throw new Problem('WRONG_STATE', `Export ${id} has no list of ${list}.`, { remedy, possible: lists });
  }
  if (state === 'completed' || state === 'incomplete') return;
  const remedy =
    state === 'running' ? 'Wait until it is completed.' : `Continue it with POST /v1/exports/${id}/resume.`;
  throw new Problem('WRONG_STATE', `Export ${id} is ${state}: what it has is not whole.`, { remedy });
}

/** Reads exports, of which some may be damaged. */
export function viewsOf(exports: Exports, dir: DataDir, onUnread: (error: unknown) => void) {
  const unread = quietly(onUnread);
  /** Undefined for an export that cannot be read, which must not hide the others, and for one that was just deleted. */
  const readable = <Result>(read: () => Result): Result | undefined => {
    try {
      return read();
    } catch (error) {
      if (error instanceof LedgerError) unread(error);
      else if (!isError(error, 'UNKNOWN_EXPORT')) throw error;
      return undefined;
    }
  };
  const viewOf = (id: string): ExportView => {
    try {
      return exports.read(id, (reader) => exportView(id, reader, exports.isUnderWay(id), exports.progress(id)));
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      unread(error);
      return unreadableView(id, UNREADABLE[error.code], dir.export(id));
    }
  };
  return { readable, viewOf };
}

/** Reasons why an export is not shown. The log names the file. */
const UNREADABLE: Readonly<Record<LedgerError['code'], string>> = {
  DAMAGED_LEDGER: 'its file is damaged: delete the export, and begin another',
  LEDGER_MISSING: 'its file is not there: delete the export, and begin another',
  UNKNOWN_LEDGER: 'its file was written by another version of rollcall: read it with that one',
};

function unreadableView(id: string, reason: string, folder: string): ExportView {
  const { birthtime } = statSync(folder);
  return {
    id,
    state: 'unreadable',
    underWay: false,
    reason,
    regions: [],
    groups: null,
    lists: [],
    calls: 0,
    price: null,
    sandbox: false,
    createdAt: birthtime.toISOString(),
    finishedAt: null,
    progress: null,
    totals: null,
  };
}
