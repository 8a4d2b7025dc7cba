/** One import as it is now: asked for once, then brought up to date by the events of the lists. */

import { useEffect, useRef } from 'preact/hooks';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import type { ImportState, ImportView, RegionQueue, RunningImport } from '../../answers.ts';
import { announce } from '../../kit/actions.tsx';
import { addressOf } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import { hasRows, wrongOf } from './import-rules.ts';
import type { RowsWanted } from './rows-wanted.tsx';

/** Progress is said aloud no more often. */
const ANNOUNCED_EVERY_MS = 15_000;

/** An import, and its pace while it is sent. */
type Followed = ImportView & Partial<RunningImport>;

/** An import whose view is known, for the parts of its page. */
export interface ImportParts {
  view: Followed;
  reload: () => Promise<void>;
  /** Queues of its regions as they are now, by region; none while it is not at work. */
  queues: Readonly<Record<string, RegionQueue>>;
  filter: RowsWanted;
  problems: ReturnType<typeof useProblems>;
}

/** Follows the import for as long as its page is there. */
export function useLiveImport(id: string) {
  const concerned = new Set([id]);
  const {
    data: view,
    error,
    reload,
  } = useAnswer<Followed>(addressOf('GET /v1/imports/:id', { id }), {
    news: ['removed', 'sync', 'imports'],
    brought: ({ imports }) => imports?.find((one) => one.id === id),
    // The view of an import that is over changes with what follows it up, and has no event for that.
    concerns: ({ imports = [], ...told }) =>
      [told.id, ...imports.flatMap((one) => [one.id, one.retryOf])].some((one) => concerned.has(one ?? '')),
  });
  for (const followUp of view?.followUps ?? []) concerned.add(followUp.id);
  useAnnouncements(view);
  return { view, error, reload };
}

export function useProblems(view: Followed | undefined) {
  const path = view && hasRows(view) ? addressOf('GET /v1/imports/:id/problems', { id: view.id }) : null;
  return useAnswer(path, {
    turn: view && `${view.state} ${wrongOf(view.rows)} ${view.corrected} ${view.edited}`,
  });
}

/** Says another state aloud, and every tenth of the way, but not more often than a listener can bear. */
function useAnnouncements(view: Followed | undefined) {
  const last = useRef({ state: view?.state, at: 0 });
  const { state, rows } = view ?? {};
  const tenths = rows && state === 'running' ? Math.floor((sumOfOutcomes(rows) / Math.max(1, rows.read)) * 10) : 0;
  useEffect(() => {
    const before = last.current;
    const hasMoved = before.state !== undefined && before.state !== state;
    const isHeard = tenths > 0 && Date.now() - before.at >= ANNOUNCED_EVERY_MS;
    last.current = { state, at: isHeard ? Date.now() : before.at };
    if (view === undefined || !(hasMoved || isHeard)) return;
    announce(hasMoved ? view.sentence : `${tenths}0 percent: ${view.sentence}`, view.id);
  }, [state, tenths]);
}

/** The queue is shared: what waits there is of this import only while it is at work. */
const AT_WORK: readonly ImportState[] = ['running', 'pausing', 'blocked', 'cancelling'];
/** While a region waits: the time that is left is in no event. */
const EVERY_MS = 2000;

export function useQueues(state: ImportState | undefined): ImportParts['queues'] {
  const isAtWork = AT_WORK.some((one) => one === state);
  const { data } = useAnswer(isAtWork ? addressOf('GET /v1/regions', {}) : null, {
    news: ['imports'],
    everyMs: (known) => (known?.regions.some(isWaiting) ? EVERY_MS : undefined),
  });
  return Object.fromEntries((isAtWork ? (data?.regions ?? []) : []).map((queue) => [queue.region, queue]));
}

function isWaiting({ limitedForMs, unanswered }: RegionQueue) {
  return limitedForMs > 0 || unanswered !== null;
}
