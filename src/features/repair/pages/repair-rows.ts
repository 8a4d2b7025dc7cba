/** The rows of an import that are being repaired: those that are shown, and edits that are not saved yet. */

import { batch, type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SentFor } from '../../../api/operation.ts';
import { useEntry } from '../../../console/kept-entries.ts';
import { announce } from '../../../console/kit/actions.tsx';
import { type Filter, useFilter } from '../../../console/kit/filter.tsx';
import { isNarrow, usePlace } from '../../../console/place.ts';
import { addressOf, call, connection, request } from '../../../console/requests.ts';
import { isAway, Pages } from '../../../console/use-answer.ts';
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

export class RepairRows {
  /** Undefined until it is loaded. */
  view = signal<RepairView | undefined>(undefined);
  /** The error for which nothing can be shown. */
  error = signal<unknown>(undefined);
  /** On a phone each row is as high as a card. */
  pages = new Pages<RepairRow>({ name: 'rows', limit: isNarrow() ? 20 : 50 });
  filter;
  /** Edits that the server does not have yet, in order: they outlive the page. */
  unsaved;
  /** The error for which they are not saved. */
  failure = signal<unknown>(undefined);
  /** Edits that the server did not take. */
  refused = signal<readonly RefusedEdit[]>([]);
  /** The last one that was made by hand. */
  latest = signal<AskedEdit | undefined>(undefined);
  /** The result of the last work on many rows, in sentences, or its error. */
  done = signal<readonly string[]>([]);
  failed = signal<unknown>(undefined);
  #id;
  #saving: Promise<void> | undefined;
  /** The revision of the rows that are shown. */
  #revision = 0;
  #leaving = new AbortController();

  constructor(id: string, filter: Filter<keyof typeof CONDITIONS>, unsaved: Signal<readonly AskedEdit[]>) {
    this.#id = id;
    this.filter = filter;
    this.unsaved = unsaved;
  }

  /** Returns the function that leaves the page. */
  start(): () => void {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    const end = this.pages.begin();
    const again = () => void (document.hidden || this.save().then(() => this.load()));
    again();
    connection.addEventListener('back', again, { signal });
    // Someone else may have edited rows meanwhile.
    document.addEventListener('visibilitychange', again, { signal });
    return () => {
      end();
      this.#leaving.abort();
      if (this.unsaved.peek().length > 0) connection.addEventListener('back', () => void this.save(), { once: true });
    };
  }

  async load() {
    // The rows are at least as new as this number.
    const view = await this.overview();
    this.pages.path = addressOf('GET /v1/imports/:id/repair/rows', { id: this.#id, query: this.filter.values });
    await (this.pages.items === undefined || this.pages.isOld ? this.pages.restart() : this.pages.refresh());
    if (view !== undefined) this.#revision = view.revision;
  }

  choose(wanted: Parameters<typeof this.filter.choose>[0]) {
    this.filter.choose(wanted);
    void this.load();
  }

  /** The value of a cell in the file; null where there is no such cell. */
  inFile({ cells }: RepairRow, column: string) {
    return cells[this.view.peek()?.columns.findIndex(({ name }) => name === column) ?? -1] ?? null;
  }

  /** The same, saved or not. */
  valueOf(row: RepairRow, column: string) {
    const inFile = this.inFile(row, column);
    const unsaved = this.unsaved.value.findLast((edit) => edit.row === row.row && edit.column === column);
    return unsaved === undefined ? (row.edits[column] ?? inFile) : (unsaved.value ?? inFile);
  }

  /** Resolves when they are saved, or one could not be. */
  edit(edits: readonly NewValue[]) {
    const asked = edits.map(({ row, ...edit }) => ({ ...edit, row: row.row, was: this.valueOf(row, edit.column) }));
    const isAgain = (one: RefusedEdit) => asked.some(({ row, column }) => row === one.row && column === one.column);
    batch(() => {
      this.latest.value = asked.length === 1 ? asked[0] : undefined;
      this.refused.value = this.refused.peek().filter((one) => !isAgain(one));
      this.unsaved.value = [...this.unsaved.peek(), ...asked];
    });
    return this.save();
  }

  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #save() {
    for (let edits = this.unsaved.peek(); edits.length > 0; edits = this.unsaved.peek()) {
      const some = edits.slice(0, MAX_EDITS);
      try {
        this.#saved(some, await call('PATCH /v1/imports/:id/repair/rows', { id: this.#id, body: { edits: some } }));
      } catch (error) {
        this.failure.value = error;
        return;
      }
    }
    this.failure.value = undefined;
  }

  #saved(edits: readonly AskedEdit[], { changed, refused, revisions }: RepairEdited) {
    const answered = new Map(changed.map((row) => [row.row, row]));
    batch(() => {
      this.pages.edit((items) => items.map((row) => answered.get(row.row) ?? row));
      this.unsaved.value = this.unsaved.peek().filter((edit) => !edits.includes(edit));
      this.refused.value = [...this.refused.peek(), ...refused];
    });
    const own = answered.get(edits[0]?.row ?? 0);
    const wrong = [...refused, ...(own?.problems ?? [])].map(({ reason }) => reason);
    if (own !== undefined) announce(`Row ${own.line}: ${wrong.join('; ') || 'can be sent'}`);
    const isFollowed = revisions.before === this.#revision;
    if (isFollowed) this.#revision = revisions.after;
    void (isFollowed ? this.overview() : this.load());
  }

  /** Work on many rows. @param task gives what it has done */
  async carryOut(task: () => Promise<string | readonly string[]>) {
    this.done.value = [];
    this.failed.value = undefined;
    try {
      await this.allSaved();
      this.done.value = [await task()].flat();
    } catch (error) {
      this.failed.value = error;
    }
  }

  /** Finds and replaces in the rows that pass the filter. */
  async replace(given: Readonly<Record<string, string | null>>, preview: boolean): Promise<RepairReplaced> {
    const { state, ...filter } = this.filter.set;
    const body = { ...filter, ...(state && { states: [state] }), ...given, preview } as Asked;
    const answer = await call('POST /v1/imports/:id/repair/replace', { id: this.#id, body }, this.#leaving.signal);
    if (preview) return answer;
    this.latest.value = undefined;
    await this.load();
    return answer;
  }

  /** @returns what was taken of it */
  async takeFile(file: File) {
    const address = addressOf('POST /v1/imports/:id/repair/file', { id: this.#id });
    const taken = await request(address, { method: 'POST', body: file, signal: this.#leaving.signal });
    await this.load();
    return takenWords(taken);
  }

  /** Sends what is ready, if it is what is shown. @returns the import that it became */
  async send(): Promise<{ id: string }> {
    const asked = { id: this.#id, query: { revision: this.#revision } };
    try {
      return await call('POST /v1/imports/:id/repair/send', asked, this.#leaving.signal);
    } catch (error) {
      void this.load();
      throw error;
    }
  }

  /** @throws the error for which an edit cannot be saved */
  async allSaved() {
    await this.save();
    if (this.failure.peek() !== undefined) throw this.failure.peek();
  }

  async overview(): Promise<RepairView | undefined> {
    const { signal } = this.#leaving;
    try {
      this.view.value = await call('GET /v1/imports/:id/repair', { id: this.#id }, signal);
      this.error.value = undefined;
      return this.view.peek();
    } catch (error) {
      if (!signal.aborted && !(isAway(error) && this.view.peek() !== undefined)) this.error.value = error;
      return undefined;
    }
  }
}

export function useRepairRows(): RepairRows {
  const { param: id } = usePlace();
  const filter = useFilter(CONDITIONS);
  const repair = useRef<RepairRows | undefined>(undefined);
  const { unsaved } = useEntry(`repair ${id}`, () => {
    const edits = signal<readonly AskedEdit[]>([]);
    return { unsaved: edits, isUnsaved: () => edits.peek().length > 0 };
  });
  repair.current ??= new RepairRows(id, filter, unsaved);
  useEffect(() => repair.current?.start(), []);
  return repair.current;
}
