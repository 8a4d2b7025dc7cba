/** One import as it is now: asked for once, then brought up to date by the events of the lists. */

import { batch, computed, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import type { ImportState, ImportView, RegionQueue, RunningImport } from '../../answers.ts';
import { stateSentence } from '../../import-words.ts';
import { announce } from '../../kit/actions.tsx';
import { onListEvents } from '../../live.ts';
import { addressOf, call, Question } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import type { RowsWanted } from './rows-wanted.tsx';

/** Progress is said aloud no more often. */
const ANNOUNCED_EVERY_MS = 15_000;

/** An import, and its pace while it is sent. */
type Followed = ImportView & Partial<RunningImport>;

/** An event is newer than the answer to a question that was asked before; where it is not, the next one follows. */
export class LiveImport extends Question<Followed> {
  /** Counts what makes everything besides the import itself worth asking for again: moves, and returns of the server. */
  turns = signal(0);
  over = computed(() => (this.data.value?.finishedAt ?? null) !== null);
  readonly id;
  #announced = { percent: 0, at: 0 };

  constructor(id: string) {
    super();
    this.id = id;
  }

  load(left: AbortSignal): Promise<void> {
    return this.ask(() => call('GET /v1/imports/:id', { id: this.id }, left), left);
  }

  override set(view: Followed) {
    const before = this.data.peek();
    const hasMoved = before !== undefined && before.state !== view.state;
    batch(() => {
      super.set(view);
      if (hasMoved) this.turns.value += 1;
    });
    if (hasMoved) announce(stateSentence(view), view.id);
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
}

/** An import whose view is known, for the parts of its page. */
export interface ImportParts {
  live: LiveImport;
  view: Followed;
  filter: RowsWanted;
  /** Queues of its regions as they are now, by region; none while it is not at work. */
  queues: ReturnType<typeof useQueues>;
}

/** Follows the import for as long as this part of the page is there. */
export function useLiveImport(id: string) {
  const live = useMemo(() => new LiveImport(id), []);
  useEffect(() => {
    const leaving = new AbortController();
    const ask = () => live.load(leaving.signal);
    void ask();
    const end = onListEvents(
      {
        imports: ({ imports }) => {
          const view = imports.find((one) => one.id === id);
          if (view !== undefined) live.set(view);
        },
        removed: (removed) => void (removed.id === id && ask()),
      },
      () => void ask().then(() => void live.turns.value++),
    );
    return () => {
      leaving.abort();
      end();
    };
  }, []);
  return live;
}

/** The queue is shared: what waits there is of this import only while it is at work. */
const AT_WORK: readonly ImportState[] = ['running', 'pausing', 'blocked', 'cancelling'];
/** While a region waits: the time that is left is in no event. */
const EVERY_MS = 2000;

export function useQueues(state: ImportState | undefined): Readonly<Record<string, RegionQueue>> {
  const isAtWork = AT_WORK.some((one) => one === state);
  const { data } = useAnswer(isAtWork ? addressOf('GET /v1/regions', {}) : null, {
    news: ['imports'],
    everyMs: (known) => (known?.regions.some(isWaiting) ? EVERY_MS : undefined),
  });
  const regions = isAtWork ? (data?.regions ?? []) : [];
  return Object.fromEntries(regions.map((queue) => [queue.region, queue]));
}

function isWaiting({ limitedForMs, unanswered }: RegionQueue) {
  return limitedForMs > 0 || unanswered !== null;
}
