import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportView } from '../../api/imports.ts';
import { isError } from '../../errors/rollcall-error.ts';
import type { Counters } from '../../imports/record/counters.ts';
import { isFinal, isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { messagesSentence } from '../../membership/outcome-words.ts';
import type { Imports } from '../client/import-place.ts';
import { type Io, say } from './io.ts';
import { type Progress, showProgress, showSteps } from './show-progress.ts';

const LOOK_MS = 250;
/** Time that a server may be away while a command follows something, in ms: it may be restarting. */
const PATIENCE_MS = 120_000;
/** Time that a process of this machine gets to answer, in ms: it may have just started. */
const APPEAR_MS = 8_000;

/** Something under way that a command follows: an import, a sync, a check. */
interface Followed<View> {
  readonly imports: Pick<Imports, 'server'>;
  /** Ends the following, not what is followed. */
  readonly signal: AbortSignal;
  /** In ms. Default: as long as it takes. */
  readonly timeoutMs?: number;
  readonly look: () => Promise<View>;
  /** Asked after each look. */
  readonly goesOn: (view: View, before: View | undefined) => boolean;
  /** Shows the progress. @param last the last look @param trouble why there is no newer one */
  readonly show: (last: () => View | undefined, trouble: () => string | undefined) => Progress;
  /** Calls `look` when something has happened; returns what ends that. Default: it looks a few times a second. */
  readonly onMove?: ((look: () => void) => () => void) | undefined;
}

interface End<View> {
  readonly view: View;
  /** `over`: it does not go on; `left`: the signal came; `late`: the time is up. */
  readonly end: 'over' | 'left' | 'late';
}

/**
 * Follows what this process, another one or a server does, with progress, until it is over, the signal comes or the time is up.
 * It looks at least once.
 * @throws AWAY when the server does not answer for too long
 */
async function follow<View>(followed: Followed<View>): Promise<End<View>> {
  const { imports, signal, timeoutMs = Number.POSITIVE_INFINITY, look, goesOn, show } = followed;
  let last: { readonly view: View } | undefined;
  let isAway = false;
  let wake = new AbortController();
  const progress = show(
    () => last?.view,
    () => (isAway ? `${imports.server?.url} does not answer; trying again` : undefined),
  );
  const ignoreMoves = followed.onMove?.(() => wake.abort());
  const until = performance.now() + timeoutMs;
  let answeredAt = performance.now();
  try {
    for (;;) {
      wake = new AbortController();
      const before = last;
      try {
        last = { view: await look() };
        [isAway, answeredAt] = [false, performance.now()];
        if (!goesOn(last.view, before?.view)) return { view: last.view, end: 'over' };
      } catch (error) {
        if (!isError(error, 'AWAY') || performance.now() - answeredAt > PATIENCE_MS) throw error;
        if (signal.aborted && last === undefined) throw error;
        isAway = true;
      }
      if (last !== undefined && signal.aborted) return { view: last.view, end: 'left' };
      if (last !== undefined && performance.now() >= until) return { view: last.view, end: 'late' };
      await sleep(LOOK_MS, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => {});
    }
  } finally {
    ignoreMoves?.();
    progress.stop();
  }
}

interface FollowedSteps<View> extends Omit<Followed<View>, 'show' | 'imports'> {
  readonly io: Io;
  readonly imports: Pick<Imports, 'server' | 'regions'>;
  readonly linesOf: (view: View) => readonly string[];
  /** The same as in showSteps. */
  readonly begins: string;
}

/** Follows something whose progress has lines of its own. Returns the last look. @throws as `follow` */
export async function followSteps<View>(followed: FollowedSteps<View>): Promise<View> {
  const { io, imports, linesOf, begins } = followed;
  const show: Followed<View>['show'] = (last, trouble) => {
    const linesNow = () => {
      const [view, why] = [last(), trouble()];
      if (why !== undefined) return [why];
      return view === undefined ? [] : linesOf(view);
    };
    return showSteps(io, linesNow, { begins, regions: async () => (await imports.regions()) ?? [] });
  };
  return (await follow({ ...followed, show })).view;
}

/** The end and the beginning of following an import. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** In ms. Default: as long as it takes. */
  readonly timeoutMs?: number;
  /** Whether it begins now: then it says what other users will see of it. */
  readonly begins?: true;
}

interface Look {
  readonly view: ImportView;
  /** Whether it was over before this look. */
  readonly wasOver: boolean;
  /** Whether a process runs it. */
  readonly isRun: boolean;
}

/**
 * Shows an import until nothing more happens to it by itself (`over`), no process runs it (`abandoned`), the signal comes
 * (`left`), or the time is up (`late`). @throws as `follow`
 */
export async function followImport(
  io: Io,
  imports: Imports,
  id: string,
  { signal, timeoutMs, begins }: FollowOptions,
): Promise<'over' | 'abandoned' | 'left' | 'late'> {
  const { coordinator } = imports;
  let isOver = false;
  // The coordinator may close first.
  const settled = coordinator?.settled(id).then(
    () => {
      isOver = true;
    },
    () => {},
  );
  let announces = begins === true;
  let runAt = performance.now();
  const { view, end } = await follow<Look>({
    imports,
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onMove:
      coordinator &&
      ((look) => {
        coordinator.events.on('state', look);
        void settled?.then(look);
        return () => coordinator.events.off('state', look);
      }),
    look: async () => {
      const wasOver = isOver;
      const isElsewhere = coordinator === undefined && imports.server === undefined;
      const isRun = !isElsewhere || (await imports.regions()) !== undefined;
      return { view: await imports.one(id), wasOver, isRun };
    },
    goesOn: ({ view, wasOver, isRun }, before) => {
      if (announces && view.writes !== undefined && view.state !== 'staged') {
        say(io, messagesSentence(view.writes));
        announces = false;
      }
      if (isRun) runAt = performance.now();
      if (coordinator !== undefined) return !wasOver;
      return !rests(view, before?.view) && performance.now() - runAt <= APPEAR_MS;
    },
    show: (last, trouble) =>
      showProgress(io, {
        trouble,
        counters: () => {
          const seen = last()?.view;
          return seen === undefined || seen.state === 'staging' ? undefined : countersOf(seen);
        },
        staging: () => {
          const staging = last()?.view.staging ?? undefined;
          return staging && { ...staging, totalBytes: staging.totalBytes ?? undefined };
        },
        regions: async () => (await imports.regions()) ?? [],
      }),
  });
  if (end !== 'over') return end;
  return coordinator === undefined && !rests(view.view, view.view) ? 'abandoned' : 'over';
}

/** An import passes through `staged` on its way to `running`: only one that is seen there twice has stopped there. */
function rests({ state }: ImportView, before: ImportView | undefined) {
  return !isUnderWay(state) && (state !== 'staged' || before?.state === 'staged');
}

/** Returns counters like the ledger's: rows without an outcome are unprocessed. */
function countersOf({ state, regions }: ImportView): Counters {
  return new Map(
    Object.entries(regions).map(([region, counts]) => {
      const left = isFinal(state) ? counts.rows.unprocessed : counts.rows.read - sumOfOutcomes(counts.rows);
      return [region as Region, { ...counts, rows: { ...counts.rows, unprocessed: left } }] as const;
    }),
  );
}
