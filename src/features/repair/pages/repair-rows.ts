/** The rows of an import that are being repaired: what is shown, what is edited, and what is not saved yet. */
import { batch, computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../../console/frame.tsx';
import { useEntry } from '../../../console/kept-entries.ts';
import { isNarrow, keepInAddress, usePlace } from '../../../console/place.ts';
import { query, request, requestsOf } from '../../../console/requests.ts';
import { connection } from '../../../console/server-connection.ts';
import { isAway } from '../../../console/use-answer.ts';
import { counted } from '../../../text/wording.ts';
import type { RepairEdited, RepairReplaced, RepairRow, RepairView } from '../api.ts';
import type { repairOperations } from '../operations.ts';
import { MarkedCells } from './marked-cells.ts';

const { addressOf, call } = requestsOf<typeof repairOperations>();

/** Null: as the file had it. */
type Edit = { row: number; column: string; value: string | null };
/** The latest one of a person. */
type Change = { row: number; column: string; from: string; to: string };
/** The filter; a missing value counts as ''. */
type Wanted = Readonly<Partial<Record<'status' | 'code' | 'problemColumn' | 'state', string>>>;
/** The cell that has, or last had, the keyboard. */
type CurrentCell = { row: RepairRow; column: string };

/** So many rows at a time: on a phone each is as high as a card. */
export const pageSize = () => (isNarrow() ? 20 : 50);
/** Edits that the server takes at a time. */
const MAX_EDITS = 1000;

export class RepairRows {
  /** The overview of the repair; undefined until it is loaded. */
  view = signal<RepairView | undefined>(undefined);
  /** Undefined until the first page is there. */
  rows = signal<readonly RepairRow[] | undefined>(undefined);
  /** The error for which nothing can be shown. */
  error = signal<unknown>(undefined);
  hasMore = computed(() => this.#next.value !== null);
  /** Rows before the first one shown were left out: the page was opened at a row. */
  isFromStart = signal(true);
  saving = signal<'saved' | 'saving' | 'failed'>('saved');
  /** The error for which edits are not saved. */
  failure = signal<unknown>(undefined);
  latest = signal<Change | undefined>(undefined);
  currentCell = signal<CurrentCell | undefined>(undefined);
  marked = new MarkedCells();
  wanted;
  #next = signal<string | null>(null);
  #id;
  /** Edits that the server does not have yet, in order: those of one action each. They outlive the page. */
  #waiting: (readonly Edit[])[];
  #flushing: Promise<void> | undefined;
  #asked = 0;
  #looked = 0;
  #leaving = new AbortController();
  /** Number of the row to begin behind. */
  #after;

  /** @param at the row that was worked on */
  constructor(id: string, wanted: Wanted, at: number, waiting: (readonly Edit[])[]) {
    this.#waiting = waiting;
    this.#id = id;
    this.wanted = signal(wanted);
    this.#after = Math.max(0, at - 1);
  }

  /** @returns ends it */
  start(): () => void {
    this.#leaving = new AbortController();
    if (this.#waiting.length > 0) {
      this.saving.value = 'saving';
      // Rows that are read before would be shown without what is being saved.
      void this.flush().then(() => this.load());
    } else void this.load();
    const back = () => void (this.#waiting.length > 0 ? this.flush() : this.load());
    connection.addEventListener('back', back, { signal: this.#leaving.signal });
    return () => {
      this.#leaving.abort();
      if (this.#waiting.length > 0) connection.addEventListener('back', () => void this.flush(), { once: true });
    };
  }

  /** All from the beginning, or behind the row at which the page was opened. */
  async load() {
    this.isFromStart.value = this.#after === 0;
    await Promise.all([this.overview(), this.#page(this.#after === 0 ? null : String(this.#after), [])]);
  }

  more() {
    return this.#page(this.#next.peek(), this.rows.peek() ?? []);
  }

  fromStart() {
    this.#after = 0;
    return this.load();
  }

  choose(changes: Wanted) {
    this.wanted.value = { ...this.wanted.peek(), ...changes };
    this.#after = 0;
    this.marked.clear();
    keepInAddress(query(this.wanted.peek()));
    void this.load();
  }

  /** Keeps which cell is worked on, and in the address its row: a reload begins there. */
  keepPlace(cell: CurrentCell) {
    this.currentCell.value = cell;
    keepInAddress(query({ ...this.wanted.peek(), at: cell.row.row }));
  }

  /** @param edits shown at once, and saved in their turn */
  edit(edits: readonly Edit[]) {
    batch(() => {
      this.rows.value = this.rows.peek()?.map((row) => withEdits(row, edits));
      this.saving.value = 'saving';
    });
    for (let at = 0; at < edits.length; at += MAX_EDITS) this.#waiting.push(edits.slice(at, at + MAX_EDITS));
    void this.flush();
  }

  /** Saves what waits; resolves when it is saved or has failed. */
  flush() {
    this.#flushing ??= this.#save().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Forgets edits that cannot be saved. */
  discard() {
    this.#waiting.length = 0;
    batch(() => {
      this.saving.value = 'saved';
      this.failure.value = undefined;
    });
    return this.load();
  }

  /** Gives every row with the value that was changed the new one too. */
  async replaceSame({ column, from, to }: Change) {
    const { rows, ready } = await this.act('replace', { column, from, to, states: undefined });
    this.latest.value = undefined;
    announce(`${counted(rows, 'row')} changed; ${ready} of them can be sent now.`);
  }

  /** Changes many cells of the rows that pass the filter, or with `preview` says what would change. */
  async act(what: 'replace' | 'paste' | 'undo', given: object): Promise<RepairReplaced> {
    await this.flush();
    if (this.failure.peek() !== undefined) throw this.failure.peek();
    const show = (this.rows.peek() ?? []).map(({ row }) => row);
    const answer = await request(addressOf(`POST /v1/imports/:id/repair/${what}`, { id: this.#id }), {
      method: 'POST',
      json: { ...(what !== 'undo' && this.#filter()), ...given, show },
      signal: this.#leaving.signal,
    });
    this.#take({ rows: answer.shown, counts: answer.counts });
    await this.overview();
    return answer;
  }

  /** Takes back the last action, or the last undo, if there is one. */
  async undo(what: 'undo' | 'redo'): Promise<RepairReplaced | undefined> {
    await this.flush();
    await this.overview();
    const last = this.view.peek()?.[what];
    return last ? this.act('undo', { action: last.action }) : undefined;
  }

  #filter() {
    const { status, code, problemColumn, state } = this.wanted.peek();
    return {
      ...(status && { status }),
      ...(code && { code }),
      ...(problemColumn && { problemColumn }),
      ...(state && { states: [state] }),
    };
  }

  /** Sends what is ready. @returns the import that it became */
  async send(): Promise<{ id: string }> {
    await this.flush();
    const made = await call('POST /v1/imports/:id/repair/send', { id: this.#id }, this.#leaving.signal);
    await this.fromStart();
    return made;
  }

  async #save() {
    for (let edits = this.#waiting[0]; edits !== undefined; edits = this.#waiting[0]) {
      const first = edits[0]?.row;
      try {
        const answer = await call('PATCH /v1/imports/:id/repair/rows', { id: this.#id, body: { edits: [...edits] } });
        // The page before may have saved the same ones meanwhile.
        if (this.#waiting[0] === edits) this.#waiting.shift();
        this.#take(answer);
        const own = answer.rows.find(({ row }) => row === first);
        if (own !== undefined) announce(`Row ${own.line}: ${sayState(own)}`);
      } catch (error) {
        batch(() => {
          this.saving.value = 'failed';
          this.failure.value = error;
        });
        return;
      }
    }
    batch(() => {
      this.saving.value = 'saved';
      this.failure.value = undefined;
    });
    // Updates the progress of each problem.
    void this.overview();
  }

  #take({ rows, counts }: Pick<RepairEdited, 'rows' | 'counts'>) {
    const answered = new Map(rows.map((row) => [row.row, row]));
    const waiting = this.#waiting.flat();
    const view = this.view.peek();
    batch(() => {
      this.rows.value = this.rows.peek()?.map((row) => {
        const now = answered.get(row.row);
        return now === undefined ? row : withEdits(now, waiting);
      });
      if (view !== undefined) this.view.value = { ...view, rows: { ...view.rows, ...counts } };
    });
  }

  async overview() {
    const own = ++this.#looked;
    try {
      const view = await call('GET /v1/imports/:id/repair', { id: this.#id }, this.#leaving.signal);
      // A later question is under way: its answer counts.
      if (own === this.#looked) this.view.value = view;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #page(cursor: string | null, before: readonly RepairRow[]) {
    const own = ++this.#asked;
    try {
      const asked = { id: this.#id, query: { ...this.wanted.peek(), limit: pageSize(), cursor } };
      const page = await call('GET /v1/imports/:id/repair/rows', asked, this.#leaving.signal);
      if (own !== this.#asked) return;
      const waiting = this.#waiting.flat();
      batch(() => {
        this.rows.value = [...before, ...page.rows.map((row) => withEdits(row, waiting))];
        this.#next.value = page.nextCursor;
        this.error.value = undefined;
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown) {
    if (this.#leaving.signal.aborted || (isAway(error) && this.rows.peek() !== undefined)) return;
    this.error.value = error;
  }
}

/** The row as it will be once these edits are saved. */
function withEdits(row: RepairRow, edits: readonly Edit[]) {
  const own = edits.filter((edit) => edit.row === row.row);
  if (own.length === 0) return row;
  const now = { ...row.edits };
  for (const { column, value } of own) {
    if (value === null) delete now[column];
    else now[column] = value;
  }
  return { ...row, edits: now };
}

function sayState({ state, left }: RepairRow) {
  if (state === 'ready') return 'can be sent.';
  if (state === 'wrong') return left.map(({ reason }) => reason).join('; ');
  return state === 'sent' ? 'was sent.' : 'is as the file had it.';
}

/** Lives as long as the page. */
export function useRepairRows(): RepairRows {
  const { param: id, query: wanted } = usePlace();
  const repair = useRef<RepairRows | undefined>(undefined);
  const at = Number(wanted.get('at') ?? 0);
  const { waiting } = useEntry(`repair ${id}`, () => {
    const edits: (readonly Edit[])[] = [];
    return { waiting: edits, isUnsaved: () => edits.length > 0 };
  });
  repair.current ??= new RepairRows(
    id,
    {
      status: wanted.get('status') ?? '',
      code: wanted.get('code') ?? '',
      problemColumn: wanted.get('problemColumn') ?? '',
      state: wanted.get('state') ?? '',
    },
    Number.isSafeInteger(at) ? at : 0,
    waiting,
  );
  useEffect(() => repair.current?.start(), []);
  return repair.current;
}
