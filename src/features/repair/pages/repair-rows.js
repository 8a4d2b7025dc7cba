/** The rows of an import that are being repaired: what is shown, what is edited, and what is not saved yet. */
import { batch, computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isAway } from '../../../console/answer.js';
import { importPath, query, request } from '../../../console/api.js';
import { connection } from '../../../console/connection.js';
import { counted } from '../../../console/format.js';
import { announce } from '../../../console/frame.js';
import { useEntry } from '../../../console/kept-entries.js';
import { keepInAddress, usePlace } from '../../../console/place.js';
import { MarkedCells } from './marked-cells.js';

/** @import { RepairEdited, RepairReplaced, RepairRow, RepairRows as Page, RepairView } from '../api.ts' */

/** @typedef {{ row: number, column: string, value: string | null }} Edit null: as the file had it */
/** @typedef {{ row: number, column: string, from: string, to: string }} Change the latest one of a person */
/** @typedef {Readonly<Partial<Record<'status' | 'code' | 'problemColumn' | 'state', string>>>} Wanted what is not set counts as '' */
/** @typedef {{ row: RepairRow, column: string }} Here the cell that has, or last had, the keyboard */

export const PAGE = 50;
/** Edits that the server takes at a time. */
const MAX_EDITS = 1000;

export class RepairRows {
  /** What there is to repair; undefined until it is known. */
  view = signal(/** @type {RepairView | undefined} */ (undefined));
  /** Undefined until the first page is there. */
  rows = signal(/** @type {readonly RepairRow[] | undefined} */ (undefined));
  /** Why nothing can be shown. */
  error = signal(/** @type {unknown} */ (undefined));
  hasMore = computed(() => this.#next.value !== null);
  /** Rows before the first one shown were left out: the page was opened at a row. */
  isFromStart = signal(true);
  /** @type {import('@preact/signals').Signal<'saved' | 'saving' | 'failed'>} */
  saving = signal('saved');
  /** Why edits are not saved. */
  failure = signal(/** @type {unknown} */ (undefined));
  latest = signal(/** @type {Change | undefined} */ (undefined));
  here = signal(/** @type {Here | undefined} */ (undefined));
  marked = new MarkedCells();
  wanted;
  #next = signal(/** @type {string | null} */ (null));
  #id;
  /** Edits that the server does not have yet, in order: those of one action each. They outlive the page. @type {(readonly Edit[])[]} */
  #waiting;
  /** @type {Promise<void> | undefined} */
  #flushing;
  #asked = 0;
  #looked = 0;
  #leaving = new AbortController();
  /** Number of the row to begin behind. */
  #after;

  /** @param {string} id @param {Wanted} wanted @param {number} at the row that was worked on @param {(readonly Edit[])[]} waiting */
  constructor(id, wanted, at, waiting) {
    this.#waiting = waiting;
    this.#id = id;
    this.wanted = signal(wanted);
    this.#after = Math.max(0, at - 1);
  }

  /** @returns {() => void} ends it */
  start() {
    this.#leaving = new AbortController();
    void this.load();
    if (this.#waiting.length > 0) {
      this.saving.value = 'saving';
      void this.flush();
    }
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

  /** @param {Wanted} changes */
  choose(changes) {
    this.wanted.value = { ...this.wanted.peek(), ...changes };
    this.#after = 0;
    this.marked.clear();
    keepInAddress(query(this.wanted.peek()));
    void this.load();
  }

  /** Keeps which cell is worked on, and in the address its row: a reload begins there. @param {Here} here */
  keepPlace(here) {
    this.here.value = here;
    keepInAddress(query({ ...this.wanted.peek(), at: here.row.row }));
  }

  /** @param {readonly Edit[]} edits shown at once, and saved in their turn */
  edit(edits) {
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

  /** Gives every row with the value that was changed the new one too. @param {Change} change */
  async replaceSame({ column, from, to }) {
    const { rows, ready } = await this.act('replace', { column, from, to, states: undefined });
    this.latest.value = undefined;
    announce(`${counted(rows, 'row')} changed; ${ready} of them can be sent now.`);
  }

  /**
   * Changes many cells of the rows that pass the filter, or with `preview` says what would change.
   * @param {'replace' | 'paste' | 'undo'} what
   * @param {object} given
   * @returns {Promise<RepairReplaced>}
   */
  async act(what, given) {
    await this.flush();
    if (this.failure.peek() !== undefined) throw this.failure.peek();
    const show = (this.rows.peek() ?? []).map(({ row }) => row);
    /** @type {RepairReplaced} */
    const answer = await request(importPath(this.#id, `/repair/${what}`), {
      method: 'POST',
      type: 'application/json',
      body: JSON.stringify({ ...(what !== 'undo' && this.#filter()), ...given, show }),
      signal: this.#leaving.signal,
    });
    this.#take({ rows: answer.shown, counts: answer.counts });
    await this.overview();
    return answer;
  }

  /** Takes back the last action, or the last undo, if there is one. @param {'undo' | 'redo'} what @returns {Promise<RepairReplaced | undefined>} */
  async undo(what) {
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

  /** Sends what is ready. @returns {Promise<{ id: string }>} the import that it became */
  async send() {
    await this.flush();
    /** @type {{ id: string }} */
    const made = await request(importPath(this.#id, '/repair/send'), { method: 'POST', signal: this.#leaving.signal });
    await this.fromStart();
    return made;
  }

  async #save() {
    for (let edits = this.#waiting[0]; edits !== undefined; edits = this.#waiting[0]) {
      const first = edits[0]?.row;
      try {
        /** @type {RepairEdited} */
        const answer = await request(importPath(this.#id, '/repair/rows'), {
          method: 'PATCH',
          type: 'application/json',
          body: JSON.stringify({ edits }),
        });
        this.#waiting.shift();
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
    // How far each problem is.
    void this.overview();
  }

  /** @param {Pick<RepairEdited, 'rows' | 'counts'>} answer */
  #take({ rows, counts }) {
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

  /** What there is to repair, as it is now. */
  async overview() {
    const own = ++this.#looked;
    try {
      /** @type {RepairView} */
      const view = await request(importPath(this.#id, '/repair'), { signal: this.#leaving.signal });
      // A later question is under way: its answer counts.
      if (own === this.#looked) this.view.value = view;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {string | null} cursor @param {readonly RepairRow[]} before */
  async #page(cursor, before) {
    const own = ++this.#asked;
    try {
      const address = importPath(this.#id, `/repair/rows${query({ ...this.wanted.peek(), limit: PAGE, cursor })}`);
      /** @type {Page} */
      const page = await request(address, { signal: this.#leaving.signal });
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

  /** @param {unknown} error */
  #fail(error) {
    if (this.#leaving.signal.aborted || (isAway(error) && this.rows.peek() !== undefined)) return;
    this.error.value = error;
  }
}

/** The row as it will be once these edits are saved. @param {RepairRow} row @param {readonly Edit[]} edits */
function withEdits(row, edits) {
  const own = edits.filter((edit) => edit.row === row.row);
  if (own.length === 0) return row;
  const now = { ...row.edits };
  for (const { column, value } of own) {
    if (value === null) delete now[column];
    else now[column] = value;
  }
  return { ...row, edits: now };
}

/** @param {RepairRow} row */
function sayState({ state, left }) {
  if (state === 'ready') return 'can be sent.';
  if (state === 'wrong') return left.map(({ reason }) => reason).join('; ');
  return state === 'sent' ? 'was sent.' : 'is as the file had it.';
}

/** Lives as long as the page. @returns {RepairRows} */
export function useRepairRows() {
  const { param: id, query: wanted } = usePlace();
  const repair = useRef(/** @type {RepairRows | undefined} */ (undefined));
  const at = Number(wanted.get('at') ?? 0);
  const { waiting } = useEntry(`repair ${id}`, () => {
    /** @type {(readonly Edit[])[]} */
    const edits = [];
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
