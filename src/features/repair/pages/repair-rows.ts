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
class Edits {
  /** In order. */
  unsaved = signal<readonly AskedEdit[]>([]);
  /** Those that the server did not take. */
  refused = signal<readonly RefusedEdit[]>([]);
  /** The error for which they are not saved. */
  failure = signal<unknown>(undefined);
  /** Shows the rows as they are then. */
  onSaved: (edits: readonly AskedEdit[], taken: RepairTaken) => Promise<void> = async () => undefined;
  #id;
  #saving: Promise<void> | undefined;
  #over = new AbortController();

  constructor(id: string) {
    this.#id = id;
    connection.addEventListener('back', () => void this.save(), { signal: this.#over.signal });
  }

  isUnsaved() {
    return this.unsaved.peek().length > 0;
  }

  end() {
    this.#over.abort();
  }

  /** Resolves when all are saved, or one could not be. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #save() {
    try {
      while (this.isUnsaved()) {
        const edits = this.unsaved.peek().slice(0, MAX_EDITS);
        const taken = await call('PATCH /v1/imports/:id/repair/rows', { id: this.#id, body: { edits } });
        await this.onSaved(edits, taken);
        batch(() => {
          this.unsaved.value = this.unsaved.peek().filter((edit) => !edits.includes(edit));
          this.refused.value = [...this.refused.peek(), ...taken.refused];
        });
      }
      this.failure.value = undefined;
    } catch (error) {
      this.failure.value = error;
    }
  }

  /** @throws the error for which one cannot be saved */
  async allSaved() {
    await this.save();
    if (this.isUnsaved()) throw this.failure.peek();
  }
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
  const wanted = { status, code: code || undefined, problemColumn: problemColumn || undefined };
  const rows = addressOf('GET /v1/imports/:id/repair/rows', { id, query: { ...wanted, state } });
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
  return { view, error, filter, wanted, state, pages, seen, refresh };
}

export function useRepair() {
  const { param: id } = usePlace();
  const { refresh, ...shown } = useShown(id);
  const edits = useEntry(`repair ${id}`, () => new Edits(id));
  const { unsaved, refused } = edits;
  /** The last edit that was made by hand. */
  const latest = useSignal<AskedEdit | undefined>(undefined);
  /** The result of the last work on many rows, in sentences. */
  const done = useSignal<readonly string[]>([]);
  const work = useWork();
  useEffect(() => void edits.save(), []);
  edits.onSaved = async ([first], { refused: left, wrong }) => {
    await refresh();
    const own = shown.pages.shown.items?.find(({ row }) => row === first?.row);
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
    latest,
    done,
    work,
    inFile,
    valueNow,
    edit: (values: readonly NewValue[]) => {
      const asked = values.map(({ row, ...edit }) => ({ ...edit, row: row.row, was: valueNow(row, edit.column) }));
      const isAgain = (one: RefusedEdit) => asked.some(({ row, column }) => row === one.row && column === one.column);
      batch(() => {
        latest.value = asked.length === 1 ? asked[0] : undefined;
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
