/** One import as it is now: asked for once, then brought up to date by events. */

import { batch, computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import type { ImportEvents, ImportView, Progress } from '../../answers.ts';
import { stateSentence } from '../../import-words.ts';
import { announce } from '../../kit/actions.tsx';
import { follow, onListEvents } from '../../live.ts';
import { addressOf, call } from '../../requests.ts';
import { isAway } from '../../use-answer.ts';

/** Progress is drawn no more often: a drawing takes far more of the processor than the event. */
const DRAWN_EVERY_MS = 1000;
/** Progress is said aloud no more often. */
const ANNOUNCED_EVERY_MS = 15_000;

export class LiveImport {
  /** Undefined until it is known. */
  view = signal<ImportView | undefined>(undefined);
  /** The latest event; undefined before the first. */
  progress = signal<Progress | undefined>(undefined);
  /** The error; undefined while the import can be shown, or may be soon. */
  error = signal<unknown>(undefined);
  /** Counts what makes everything besides the import itself worth asking for again: moves, and returns of the server. */
  turns = signal(0);
  /** Whether it has rows that can be looked at. */
  hasRows = computed(() => {
    const view = this.view.value;
    return view !== undefined && view.state !== 'staging' && view.rows.read > 0;
  });
  over = computed(() => (this.view.value?.finishedAt ?? null) !== null);
  state = computed(() => this.view.value?.state);
  #id;
  /** Changes of state that came as events. */
  #moves = 0;
  /** The latest event, if it is not drawn yet. */
  #pending: Progress | undefined;
  #timer: number | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #announced = { percent: 0, at: 0 };

  constructor(id: string) {
    this.#id = id;
  }

  /** Follows it until the signal aborts. */
  async start(signal: AbortSignal) {
    if (!(await this.load(signal))) return;
    const handlers: { [K in keyof ImportEvents]: (data: ImportEvents[K]) => void } = {
      state: (view) => this.#move(view),
      progress: (event) => this.#hear(event),
    };
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
    const onReturn = async () => {
      this.#draw();
      if (await this.load(signal)) this.turns.value += 1;
    };
    follow(addressOf('GET /v1/imports/:id/events', { id: this.#id }), handlers, {
      present: 'progress',
      signal,
      onReturn: () => void onReturn(),
    });
  }

  /** Asks for it; whether there is an import to follow. */
  async load(signal: AbortSignal): Promise<boolean> {
    const known = this.#moves;
    try {
      const view = await call('GET /v1/imports/:id', { id: this.#id }, signal);
      this.#draw();
      // An event that came in the meantime may be newer than the answer; if it is older, the next one follows. None
      // follows the last.
      if (known === this.#moves) this.#update(view);
      else if (this.over.peek()) return await this.load(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (isAway(error) && this.view.peek() !== undefined) return true;
      this.error.value = error;
      return isAway(error);
    }
  }

  #update(view: ImportView) {
    const before = this.view.peek();
    batch(() => {
      this.view.value = view;
      this.error.value = undefined;
      if (before !== undefined && before.state !== view.state) this.turns.value += 1;
    });
    if (before !== undefined && before.state !== view.state) announce(stateSentence(view), view.id);
    else if (view.state === 'running') this.#announceProgress(view);
  }

  /** Says every tenth of the way, but not more often than a listener can bear. */
  #announceProgress(view: ImportView) {
    const percent = Math.floor((sumOfOutcomes(view.rows) / Math.max(1, view.rows.read)) * 10) * 10;
    const now = Date.now();
    if (percent <= this.#announced.percent || now - this.#announced.at < ANNOUNCED_EVERY_MS) return;
    this.#announced = { percent, at: now };
    announce(`${percent} percent: ${stateSentence(view)}`, view.id);
  }

  #move(view: ImportView) {
    this.#moves += 1;
    batch(() => {
      this.#draw();
      this.#update(view);
    });
  }

  #hear(event: Progress) {
    this.#pending = event;
    const restMs = this.#drawnAt + DRAWN_EVERY_MS - performance.now();
    if (restMs <= 0) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), restMs);
  }

  #draw() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const latest = this.#pending;
    this.#pending = undefined;
    if (latest === undefined) return;
    this.#drawnAt = performance.now();
    const view = this.view.peek();
    batch(() => {
      this.progress.value = latest;
      if (view !== undefined && view.finishedAt === null)
        this.#update({ ...view, ...countsOf(latest), staging: latest.staging });
    });
  }
}

/** Follows the import for as long as this part of the page is there. */
export function useLiveImport(id: string) {
  const live = useRef<LiveImport | undefined>(undefined);
  live.current ??= new LiveImport(id);
  useEffect(() => {
    const leaving = new AbortController();
    void live.current?.start(leaving.signal);
    const hear = (removed: { id: string }) => removed.id === id && void live.current?.load(leaving.signal);
    // Its own stream asks for it again where events may have been missed.
    const end = onListEvents({ removed: hear }, () => {});
    return () => {
      leaving.abort();
      end();
    };
  }, []);
  return live.current;
}

/** The part of an import that an event brings up to date. */
function countsOf({ rows, regions }: Progress) {
  const all = Object.values(regions);
  return {
    rows,
    regions,
    calls: all.reduce((sum, region) => sum + region.calls, 0),
    retries: all.reduce((sum, region) => sum + region.retries, 0),
    ...(all.some(({ banQuestions }) => banQuestions !== undefined) && {
      banQuestions: all.reduce((sum, { banQuestions }) => sum + (banQuestions?.asked ?? 0), 0),
    }),
  };
}
