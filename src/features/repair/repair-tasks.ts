import type { ImportOptions } from '../../imports/import-options.ts';
import type { RowFilter } from '../../imports/report/found-rows.ts';
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
import { paste, replace, undo } from './change-many.ts';
import { edit, restore } from './edit.ts';
import { type CellEdit, type RepairFilter, type Send, sendsOf } from './repair-ledger.ts';
import { claim, type Fate, type SentRepaired, sentRepaired, setCreated, settle, writeRest, writeSent } from './send.ts';
import { overview, pageOf, type Subject, withRepair } from './show.ts';
import { takeFile } from './take-file.ts';

/** The requests for an import's repair, each with its input and result. */
export interface RepairWork {
  overview: [given: { readonly by: string }, result: Omit<RepairView, 'maySend' | 'failedTaken'>];
  page: [
    given: { readonly filter: RepairFilter; readonly after: number; readonly limit: number },
    result: { readonly rows: RepairRow[]; readonly next: number | undefined },
  ];
  edit: [given: { readonly edits: readonly CellEdit[]; readonly by: string }, result: RepairEdited];
  restore: [
    given: { readonly row: number; readonly column: string | undefined; readonly by: string },
    result: RepairEdited,
  ];
  replace: [given: { readonly request: RepairReplace; readonly by: string }, result: RepairReplaced];
  paste: [given: { readonly request: RepairPaste; readonly by: string }, result: RepairReplaced];
  undo: [given: { readonly request: RepairUndo; readonly by: string }, result: RepairReplaced];
  file: [given: { readonly text: string; readonly by: string }, result: RepairTaken];
  sends: [given: object, result: Send[]];
  settle: [given: { readonly fates: Readonly<Record<string, Fate>> }, result: undefined];
  claim: [given: { readonly importId: string; readonly by: string }, result: number];
  write: [given: { readonly importId: string; readonly path: string }, result: ImportOptions];
  created: [given: { readonly importId: string }, result: undefined];
  rest: [given: { readonly path: string; readonly filter: RowFilter }, result: boolean];
  sent: [given: object, result: SentRepaired];
}
export type RepairTask = {
  [Kind in keyof RepairWork]: { readonly kind: Kind } & RepairWork[Kind][0];
}[keyof RepairWork];

/** Does a piece of work on the repairs of an import in this thread, however long it takes. @throws CannotRepair */
export function doTask(subject: Subject, task: RepairTask): Promise<unknown> {
  return withRepair<unknown>(subject, (repair) => {
    switch (task.kind) {
      case 'overview':
        return overview(repair, task.by);
      case 'page':
        return pageOf(repair, task.filter, task.after, task.limit);
      case 'edit':
        return edit(repair, task.edits, task.by);
      case 'restore':
        return restore(repair, task.row, task.column, task.by);
      case 'replace':
        return replace(repair, task.request, task.by);
      case 'paste':
        return paste(repair, task.request, task.by);
      case 'undo':
        return undo(repair, task.request, task.by);
      case 'file':
        return takeFile(repair, task.text, task.by);
      case 'sends':
        return sendsOf(repair.ledger);
      case 'settle':
        return settle(repair, task.fates);
      case 'claim':
        return claim(repair, task.importId, task.by);
      case 'write':
        return writeSent(repair, task.importId, task.path);
      case 'created':
        return setCreated(repair, task.importId);
      case 'rest':
        return writeRest(repair, task.path, task.filter);
      case 'sent':
        return sentRepaired(repair);
    }
  });
}
