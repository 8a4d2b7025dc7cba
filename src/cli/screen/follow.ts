import { setTimeout as sleep } from 'node:timers/promises';
import { isUnderWay } from '../../membership/import-state.ts';
import type { Imports, Look } from '../target/imports.ts';
import { ServerAway } from '../target/server-errors.ts';
import type { Io } from './io.ts';
import { showProgress } from './progress.ts';

const LOOK_MS = 250;

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** In ms; not given: as long as it takes. */
  readonly timeoutMs?: number;
}

/**
 * Shows an import that somebody else runs until nothing more happens to it by itself (`rests`), nobody runs it
 * (`abandoned`), the signal comes (`left`), or the time is over (`late`).
 * @throws ServerAway when its server is gone for longer than one waits
 */
export async function followImport(
  io: Io,
  imports: Imports,
  id: string,
  { signal, timeoutMs = Number.POSITIVE_INFINITY }: FollowOptions,
): Promise<'rests' | 'abandoned' | 'left' | 'late'> {
  const watched = imports.watch(id);
  let last: Look | undefined;
  let away: ServerAway | undefined;
  const progress = showProgress(io, {
    tallies: () => last?.tallies,
    staging: () => last?.staging,
    regions: async () => last?.regions ?? [],
    trouble: () => away && `${imports.server?.url} does not answer; trying again`,
  });
  const until = performance.now() + timeoutMs;
  let answeredAt = performance.now();
  try {
    while (!signal.aborted) {
      const before = last;
      try {
        last = await watched.look();
        away = undefined;
      } catch (error) {
        if (!(error instanceof ServerAway)) throw error;
        away = error;
      }
      if (away === undefined && last !== undefined && rests(last, before)) return 'rests';
      const now = performance.now();
      if (away === undefined && last?.regions !== undefined) answeredAt = now;
      // A process that was just started is given a moment until it answers.
      else if (now - answeredAt > watched.patienceMs) {
        if (away !== undefined) throw away;
        return 'abandoned';
      }
      if (now >= until) return 'late';
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return 'left';
  } finally {
    progress.stop();
    watched.close();
  }
}

/** An import passes through `staged` on its way to `running`: only one that is found so twice stays there. */
function rests({ state }: Look, before: Look | undefined): boolean {
  return !isUnderWay(state) && (state !== 'staged' || before?.state === 'staged');
}
