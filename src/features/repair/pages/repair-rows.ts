/** The rows of an import that are being repaired: those that are shown, and edits that are not saved yet. */

import { batch, signal, useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { columnLabel } from '../../../console/import-words.ts';
import { useEntry } from '../../../console/kept-entries.ts';
import { announce, useWork } from '../../../console/kit/actions.tsx';
import { useFilter } from '../../../console/kit/filter.tsx';
import type { Choice } from '../../../console/kit/form.tsx';
import { useListNews } from '../../../console/live.ts';
import { isNarrow, usePlace } from '../../../console/place.ts';
import { addressOf, call, connection } from '../../../console/requests.ts';
import { useAnswer, usePages } from '../../../console/use-answer.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { AskedEdit, RefusedEdit, RepairRow, RepairTaken, RepairView } from '../operations.ts';

/** A new value; null: as the file had it. */
type NewValue = { row: RepairRow; column: string; value: string | null };

/** Edits that the server takes at a time. */
const MAX_EDITS = 1000;

/** Edits that the server does not have yet. They outlive the page, and are saved when the server is back. */
function openEdits(id: string) {
  /** In order. */
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
        const taken = await call('PATCH /v1/imports/:id/repair/rows', { id, body: { edits } });
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
    onSaved: async (_taken: RepairTaken, _first: number | undefined) => {},
    /** @throws the error for which one cannot be saved */
    allSaved: async () => {
      await save();
      if (isUnsaved()) throw failure.peek();
    },
  };
  return own;
}

export type Repair = ReturnType<typeof useRepair> & { view: RepairView };
export const RepairContext = createContext<Repair | undefined>(undefined);

/** The repair of the page. */
export const useRows = () => useContext(RepairContext) as Repair;

const STATES: Choice[] = [
  ['', 'not sent'],
  ['open', 'not edited'],
  ['wrong', 'edited and still wrong'],
  ['ready', 'ready to send'],
  ['sent', 'sent'],
];

function problemChoice({ status, code, column, total, ready, sent }: RepairView['problems'][number]): Choice {
  const where = column === '' ? '' : ` in ${columnLabel(column)}`;
  const left = total - ready - sent;
  const text = `${code || 'edited'}${where}: ${counted(total, 'row')}${left === total ? '' : `, ${grouped(left)} left`}`;
  return [JSON.stringify([status, code, column]), text];
}

/** The rows that pass the filter, and how many there are. */
function useShown(id: string) {
  const { data: view, error, set } = useAnswer(addressOf('GET /v1/imports/:id/repair', { id }));
  const filter = useFilter({
    problem: { label: 'Problem', isLong: true, choices: [['', 'all'], ...(view?.problems ?? []).map(problemChoice)] },
    state: { label: 'Show rows that are', choices: STATES },
  });
  const { problem = '[]', state } = filter.values;
  const [status, code, problemColumn] = JSON.parse(problem);
  const wanted = { status, code: code || undefined, problemColumn: problemColumn || undefined, state };
  const rows = addressOf('GET /v1/imports/:id/repair/rows', { id, query: wanted });
  // On a phone each row is as high as a card.
  const pages = usePages(view === undefined ? null : rows, { name: 'rows', limit: isNarrow() ? 20 : 50 });
  /** The rows that are shown are not from before it. */
  const seen = useRef<RepairView | undefined>(undefined);
  seen.current ??= view;
  const refresh = async () => {
    const now = await call('GET /v1/imports/:id/repair', { id });
    set(now);
    await pages.refresh();
    seen.current = now;
  };
  useListNews(
    ['imports'],
    () => refresh().catch(() => undefined),
    ({ imports }) => imports.some((one) => one.retryOf === id),
  );
  return { view, error, filter, wanted, pages, seen, refresh };
}

export function useRepair() {
  const { param: id } = usePlace();
  const { refresh, ...shown } = useShown(id);
  const edits = useEntry(`repair ${id}`, () => openEdits(id));
  const { unsaved, refused } = edits;
  /** The result of the last work on many rows, in sentences. */
  const done = useSignal<readonly string[]>([]);
  const work = useWork();
  useEffect(() => void edits.save(), []);
  edits.onSaved = async ({ refused: left, wrong }, first) => {
    await refresh();
    const own = shown.pages.shown.items?.find(({ row }) => row === first);
    if (own === undefined) return;
    const problems = wrong.find(({ line }) => line === own.line)?.problems ?? [];
    announce(`Row ${own.line}: ${[...left, ...problems].map(({ reason }) => reason).join('; ') || 'can be sent'}`);
  };
  /** The value of a cell in the file; null where there is no such cell. */
  const inFile = ({ cells }: RepairRow, column: string) =>
    cells[shown.view?.columns.findIndex(({ name }) => name === column) ?? -1] ?? null;
  /** The same, with its edits, saved or not. */
  const valueNow = (row: RepairRow, column: string) => {
    const own = unsaved.value.findLast((edit) => edit.row === row.row && edit.column === column);
    return (own === undefined ? row.edits[column] : own.value) ?? inFile(row, column);
  };
  return {
    ...shown,
    id,
    edits,
    done,
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
    /** Work on many rows. @param task gives what it has done */
    carryOut: (task: (signal: AbortSignal) => Promise<string | readonly string[]>) =>
      work.start(async (signal) => {
        done.value = [];
        await edits.allSaved();
        done.value = [await task(signal)].flat();
        await refresh();
      }),
    /** Sends what is ready, if it is what is shown. @returns the import that it became */
    send: (signal: AbortSignal) => {
      const revision = shown.seen.current?.revision;
      return call('POST /v1/imports/:id/repair/send', { id, query: { revision } }, signal).finally(refresh);
    },
  };
}
