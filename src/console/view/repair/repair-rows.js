/** The rows of an import that are being repaired: what is shown, what is edited, and what is not saved yet. */
import { batch, computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isAway } from '../../answer.js';
import { importPath, query, request } from '../../api.js';
import { connection } from '../../connection.js';
import { counted } from '../../format.js';
import { announce } from '../../frame.js';
import { useEntry } from '../../kept-entries.js';
import { keepInAddress, usePlace } from '../../place.js';

/** @import { RepairEdited, RepairReplaced, RepairRow, RepairRows as Page, RepairView } from '../../answers.d.ts' */

/** @typedef {{ row: number, column: string, value: string | null }} Edit null: as the file had it */
/** @typedef {{ row: number, column: string, from: string, to: string }} Change the latest one of a person */
/** @typedef {Readonly<Partial<Record<'status' | 'code' | 'state', string>>>} Wanted what is not set counts as '' */

export const PAGE = 50;
/** Edits that the server takes at a time. */
const MOST_EDITS = 1000;

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
  wanted;
  #next = signal(/** @type {string | null} */ (null));
  #id;
  /** Edits that the server does not have yet, by cell. They outlive the page. @type {Map<string, Edit>} */
  #waiting;
  /** @type {Promise<void> | undefined} */
  #flushing;
  #asked = 0;
  #looked = 0;
  #leaving = new AbortController();
  /** Number of the row to begin behind. */
  #after;

  /** @param {string} id @param {Wanted} wanted @param {number} at the row that was worked on @param {Map<string, Edit>} waiting */
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
    if (this.#waiting.size > 0) {
      this.saving.value = 'saving';
      void this.flush();
    }
    const back = () => void (this.#waiting.size > 0 ? this.flush() : this.load());
    connection.addEventListener('back', back, { signal: this.#leaving.signal });
    return () => {
      this.#leaving.abort();
      if (this.#waiting.size > 0) connection.addEventListener('back', () => void this.flush(), { once: true });
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
    keepInAddress(query(this.wanted.peek()));
    void this.load();
  }

  /** Keeps in the address which row is worked on: a reload begins there. @param {number} row */
  keepPlace(row) {
    keepInAddress(query({ ...this.wanted.peek(), at: row }));
  }

  /** @param {readonly Edit[]} edits shown at once, and saved in their turn */
  edit(edits) {
    batch(() => {
      this.rows.value = this.rows.peek()?.map((row) => withEdits(row, edits));
      this.saving.value = 'saving';
    });
    for (const edit of edits) this.#waiting.set(`${edit.row} ${edit.column}`, edit);
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
    this.#waiting.clear();
    batch(() => {
      this.saving.value = 'saved';
      this.failure.value = undefined;
    });
    return this.load();
  }

  /** Gives every row with the value that was changed the new one too. @param {Change} change */
  async replace({ column, from, to }) {
    await this.flush();
    const { status, code } = this.wanted.peek();
    /** @type {RepairReplaced} */
    const { rows, ready } = await request(importPath(this.#id, '/repair/replace'), {
      method: 'POST',
      type: 'application/json',
      body: JSON.stringify({ column, from, to, ...(status && { status }), ...(code && { code }) }),
      signal: this.#leaving.signal,
    });
    this.latest.value = undefined;
    announce(`${counted(rows, 'row')} changed; ${ready} of them can be sent now.`);
    await Promise.all([this.overview(), this.#again()]);
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
    while (this.#waiting.size > 0) {
      const edits = [...this.#waiting.values()].slice(0, MOST_EDITS);
      try {
        /** @type {RepairEdited} */
        const answer = await request(importPath(this.#id, '/repair/rows'), {
          method: 'PATCH',
          type: 'application/json',
          body: JSON.stringify({ edits }),
        });
        for (const edit of edits) {
          const key = `${edit.row} ${edit.column}`;
          if (this.#waiting.get(key) === edit) this.#waiting.delete(key);
        }
        this.#take(answer);
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

  /** @param {RepairEdited} answer */
  #take({ rows, counts }) {
    const answered = new Map(rows.map((row) => [row.row, row]));
    const waiting = [...this.#waiting.values()];
    const view = this.view.peek();
    batch(() => {
      this.rows.value = this.rows.peek()?.map((row) => {
        const now = answered.get(row.row);
        return now === undefined ? row : withEdits(now, waiting);
      });
      if (view !== undefined) this.view.value = { ...view, rows: { ...view.rows, ...counts } };
    });
    const [only, ...others] = rows;
    if (only !== undefined && others.length === 0) announce(`Row ${only.line}: ${sayState(only)}`);
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

  /** @param {string | null} cursor @param {readonly RepairRow[]} before @param {number} [limit] */
  async #page(cursor, before, limit = PAGE) {
    const own = ++this.#asked;
    const { status, code, state } = this.wanted.peek();
    try {
      const address = importPath(this.#id, `/repair/rows${query({ status, code, state, limit, cursor })}`);
      /** @type {Page} */
      const page = await request(address, { signal: this.#leaving.signal });
      if (own !== this.#asked) return;
      const waiting = [...this.#waiting.values()];
      batch(() => {
        this.rows.value = [...before, ...page.rows.map((row) => withEdits(row, waiting))];
        this.#next.value = page.nextCursor;
        this.error.value = undefined;
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What is shown, once more. */
  #again() {
    const shown = this.rows.peek() ?? [];
    const first = shown[0]?.row ?? 1;
    return this.#page(String(first - 1), [], Math.min(500, Math.max(PAGE, shown.length)));
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
    /** @type {Map<string, Edit>} */
    const edits = new Map();
    return { waiting: edits, isUnsaved: () => edits.size > 0 };
  });
  repair.current ??= new RepairRows(
    id,
    { status: wanted.get('status') ?? '', code: wanted.get('code') ?? '', state: wanted.get('state') ?? '' },
    Number.isSafeInteger(at) ? at : 0,
    waiting,
  );
  useEffect(() => repair.current?.start(), []);
  return repair.current;
}
