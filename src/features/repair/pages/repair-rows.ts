/** The rows of an import that are being repaired: those that are shown, and edits that are not saved yet. */

import { batch, signal, useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { SentFor } from '../../../api/operation.ts';
import { useEntry } from '../../../console/kept-entries.ts';
import { announce, useLeaving, useWork } from '../../../console/kit/actions.tsx';
import { type Filter, useFilter } from '../../../console/kit/filter.tsx';
import { useListNews } from '../../../console/live.ts';
import { isNarrow, usePlace } from '../../../console/place.ts';
import { addressOf, call, connection, request } from '../../../console/requests.ts';
import { useAnswer, usePages } from '../../../console/use-answer.ts';
import type {
  AskedEdit,
  RefusedEdit,
  RepairEdited,
  RepairReplaced,
  RepairRow,
  RepairView,
  repairOperations,
} from '../operations.ts';
import { takenWords } from '../taken-words.ts';

/** Set by choices that the page draws. */
const CONDITIONS = {
  status: { label: 'Outcome' },
  code: { label: 'Code' },
  problemColumn: { label: 'Column' },
  state: { label: 'State' },
};
type Asked = NonNullable<SentFor<typeof repairOperations.replace>['body']>;
/** A new value; null: as the file had it. */
type NewValue = { row: RepairRow; column: string; value: string | null };

/** Edits that the server takes at a time. */
const MAX_EDITS = 1000;

/** Edits that the server does not have yet. They outlive the page, and are saved when the server is back. */
class Edits {
  /** In order. */
  unsaved = signal<readonly AskedEdit[]>([]);
  /** The error for which they are not saved. */
  failure = signal<unknown>(undefined);
  onSaved: (edits: readonly AskedEdit[], answer: RepairEdited) => void = () => undefined;
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
        const answer = await call('PATCH /v1/imports/:id/repair/rows', { id: this.#id, body: { edits } });
        batch(() => {
          this.unsaved.value = this.unsaved.peek().filter((edit) => !edits.includes(edit));
          this.onSaved(edits, answer);
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

/** The rows that pass the filter, and how many there are. */
function useShown(id: string, filter: Filter<keyof typeof CONDITIONS>) {
  const { data: view, error, reload } = useAnswer(addressOf('GET /v1/imports/:id/repair', { id }));
  const path = addressOf('GET /v1/imports/:id/repair/rows', { id, query: filter.values });
  // On a phone each row is as high as a card.
  const pages = usePages(path, { name: 'rows', limit: isNarrow() ? 20 : 50 });
  /** The revision of the rows that are shown. */
  const revision = useRef<number | undefined>(undefined);
  const latest = view?.revision;
  // Someone else has edited rows, or many were edited at once.
  useEffect(() => {
    if (revision.current !== undefined && revision.current !== latest)
      void pages.refresh().then(() => {
        revision.current = latest;
      });
    else revision.current = latest;
  }, [latest]);
  const load = () => Promise.all([reload(), pages.refresh()]);
  useListNews(['imports'], load, ({ imports }) => imports.some((one) => one.retryOf === id));
  return { view, error, reload, pages, revision };
}

export function useRepair() {
  const { param: id } = usePlace();
  const filter = useFilter(CONDITIONS);
  const { view, error, reload, pages, revision } = useShown(id, filter);
  const edits = useEntry(`repair ${id}`, () => new Edits(id));
  const refused = useSignal<readonly RefusedEdit[]>([]);
  const latest = useSignal<AskedEdit | undefined>(undefined);
  const done = useSignal<readonly string[]>([]);
  const work = useWork();
  const leaving = useLeaving();
  useEffect(() => void edits.save(), []);
  edits.onSaved = (asked, { changed, refused: left, revisions }) => {
    const answered = new Map(changed.map((row) => [row.row, row]));
    pages.edit((items) => items.map((row) => answered.get(row.row) ?? row));
    refused.value = [...refused.peek(), ...left];
    const own = answered.get(asked[0]?.row ?? 0);
    const wrong = [...left, ...(own?.problems ?? [])].map(({ reason }) => reason);
    if (own !== undefined) announce(`Row ${own.line}: ${wrong.join('; ') || 'can be sent'}`);
    if (revisions.before === revision.current) revision.current = revisions.after;
    void reload();
  };
  /** The value of a cell in the file; null where there is no such cell. */
  const inFile = ({ cells }: RepairRow, column: string) =>
    cells[view?.columns.findIndex(({ name }) => name === column) ?? -1] ?? null;
  /** The same, with its edits, saved or not. */
  const valueNow = (row: RepairRow, column: string) => {
    const unsaved = edits.unsaved.value.findLast((edit) => edit.row === row.row && edit.column === column);
    return (unsaved === undefined ? row.edits[column] : unsaved.value) ?? inFile(row, column);
  };
  return {
    id,
    filter,
    view,
    error,
    pages,
    edits,
    /** Edits that the server did not take. */
    refused,
    /** The last one that was made by hand. */
    latest,
    /** The result of the last work on many rows, in sentences. */
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
        edits.unsaved.value = [...edits.unsaved.peek(), ...asked];
      });
      return edits.save();
    },
    /** Work on many rows. @param task gives what it has done */
    carryOut: (task: () => Promise<string | readonly string[]>) =>
      work.start(async () => {
        done.value = [];
        await edits.allSaved();
        done.value = [await task()].flat();
        await reload();
      }),
    /** Finds and replaces in the rows that pass the filter. */
    replace: (given: Readonly<Record<string, string | null>>, preview: boolean): Promise<RepairReplaced> => {
      const { state, ...others } = filter.set;
      if (!preview) latest.value = undefined;
      const body = { ...others, ...(state && { states: [state] }), ...given, preview } as Asked;
      return call('POST /v1/imports/:id/repair/replace', { id, body }, leaving());
    },
    /** @returns what was taken of it */
    takeFile: async (file: File) => {
      const address = addressOf('POST /v1/imports/:id/repair/file', { id });
      return takenWords(await request(address, { method: 'POST', body: file, signal: leaving() }));
    },
    /** Sends what is ready, if it is what is shown. @returns the import that it became */
    send: () =>
      call('POST /v1/imports/:id/repair/send', { id, query: { revision: revision.current } }, leaving()).finally(
        reload,
      ),
  };
}
