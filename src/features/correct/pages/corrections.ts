/** The rows of an import that are corrected: those that are shown, and edits that are not saved yet. */

import { batch, signal, useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { useEntry } from '../../../console/kept-entries.ts';
import { announce, useWork } from '../../../console/kit/actions.tsx';
import { isNarrow } from '../../../console/place.ts';
import { addressOf, away, call, connection } from '../../../console/requests.ts';
import { type Pages, useAnswer, useChange, usePages } from '../../../console/use-answer.ts';
import type { ImportParts } from '../../../console/view/import/live-import.ts';
import type { AskedEdit, CorrectionRow, CorrectionsView, RefusedEdit, TakenEdits } from '../operations.ts';

/** A new value; null: as the file had it. */
type NewValue = { row: CorrectionRow; column: string; value: string | null };

/** Edits that the server takes at a time. */
const MAX_EDITS = 1000;

/** Edits that the server does not have yet. They outlive the page, and are saved when the server is back. */
function openEdits(id: string) {
  const unsaved = signal<readonly AskedEdit[]>([]);
  /** Those that the server did not take. */
  const refused = signal<readonly RefusedEdit[]>([]);
  /** The error for which they are not saved. */
  const failure = signal<unknown>(undefined);
  const over = new AbortController();
  let saving: Promise<void> | undefined;
  const isUnsaved = () => unsaved.peek().length > 0;
  const saveAll = async () => {
    try {
      while (isUnsaved()) {
        const edits = unsaved.peek().slice(0, MAX_EDITS);
        const taken = await call('PATCH /v1/imports/:id/corrections/rows', { id, body: { edits } });
        await own.onSaved(taken, edits[0]?.row);
        batch(() => {
          unsaved.value = unsaved.peek().filter((edit) => !edits.includes(edit));
          refused.value = [...refused.peek(), ...taken.refused];
        });
      }
      failure.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  };
  /** Resolves when all are saved, or one could not be. */
  const save = () => {
    saving ??= saveAll().finally(() => {
      saving = undefined;
    });
    return saving;
  };
  connection.addEventListener('back', () => void save(), { signal: over.signal });
  const own = {
    unsaved,
    refused,
    failure,
    isUnsaved,
    save,
    end: () => over.abort(),
    /** Shows the rows as they are then. */
    onSaved: async (_taken: TakenEdits, _first: number | undefined) => {},
    /** @throws the error for which one cannot be saved */
    allSaved: async () => {
      await save();
      if (isUnsaved()) throw failure.peek();
    },
  };
  return own;
}

export type Corrections = ReturnType<typeof useCorrections> & { overview: CorrectionsView };
export const CorrectionsContext = createContext<Corrections | undefined>(undefined);

/** The corrections of the list around it. */
export const useList = () => useContext(CorrectionsContext) as Corrections;

export function useCorrections({ view, filter, reload }: ImportParts) {
  const { id, state } = view;
  const path = addressOf('GET /v1/imports/:id/corrections', { id });
  const {
    data: overview,
    error,
    question,
    reload: refresh,
  } = useAnswer(path, {
    turn: state,
    news: ['imports'],
    concerns: ({ imports = [] }) => imports.some((one) => one.retryOf === id),
    beside: async () => {
      await pages.refresh();
      if (pages.failure !== undefined) throw pages.failure;
    },
  });
  const rows = addressOf('GET /v1/imports/:id/corrections/rows', { id, query: filter.set });
  // On a phone each row is as high as a card.
  const limit = isNarrow() ? 20 : 50;
  const pages: Pages<CorrectionRow> = usePages(overview === undefined ? null : rows, { name: 'rows', limit });
  const rowsError = pages.shown.error;
  // An overview whose rows did not come does not count: it is asked for again when rows are there.
  useChange(rowsError, () => {
    if (rowsError === undefined && error !== undefined && !question.isAsking) void refresh();
  });
  const edits = useEntry(`corrections ${id}`, () => openEdits(id));
  const { unsaved, refused } = edits;
  const done = useSignal<readonly string[]>([]);
  /** Whether columns that need no correction are shown, too. */
  const showsAll = useSignal(false);
  const work = useWork();
  useEffect(() => void edits.save(), []);
  edits.onSaved = async ({ refused: left, wrong, revision }, first) => {
    const isOld = () => (question.data.peek()?.revision ?? 0) < revision;
    await refresh();
    // Another question has overtaken that one, or it was cut off.
    if (isOld()) await refresh();
    void reload();
    // The rows in sight would show again what was there before: the edits stay in sight as they were entered.
    if (isOld()) throw question.failure ?? away();
    const own = pages.shown.items?.find(({ row }) => row === first);
    if (own === undefined) return;
    const problems = wrong.find(({ line }) => line === own.line)?.problems ?? [];
    announce(`Row ${own.line}: ${[...left, ...problems].map(({ reason }) => reason).join('; ') || 'can be sent'}`);
  };
  /** The value of a cell in the file; null where there is no such cell. */
  const inFile = ({ cells }: CorrectionRow, column: string) =>
    cells[overview?.columns.findIndex(({ name }) => name === column) ?? -1] ?? null;
  /** The same, with its edits, saved or not. */
  const valueNow = (row: CorrectionRow, column: string) => {
    const own = unsaved.value.findLast((edit) => edit.row === row.row && edit.column === column);
    return (own === undefined ? row.edits[column] : own.value) ?? inFile(row, column);
  };
  return {
    view,
    filter,
    overview,
    error,
    pages,
    edits,
    done,
    showsAll,
    work,
    inFile,
    valueNow,
    edit: (values: readonly NewValue[]) => {
      const asked = values.map(({ row, ...edit }) => ({ ...edit, row: row.row, was: valueNow(row, edit.column) }));
      const isAgain = (one: RefusedEdit) => asked.some(({ row, column }) => row === one.row && column === one.column);
      batch(() => {
        refused.value = refused.peek().filter((one) => !isAgain(one));
        unsaved.value = [...unsaved.peek(), ...asked];
      });
      return edits.save();
    },
    question,
    /** Work on many rows. @param task gives what it has done */
    carryOut: (task: (signal: AbortSignal) => Promise<string | readonly string[]>) =>
      work.start(async (signal) => {
        done.value = [];
        await edits.allSaved();
        try {
          done.value = [await task(signal)].flat();
        } finally {
          await refresh();
          void reload();
        }
      }),
  };
}
