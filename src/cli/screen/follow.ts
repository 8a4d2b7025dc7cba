import { setTimeout as sleep } from 'node:timers/promises';
import { isUnderWay } from '../../membership/import-state.ts';
import { messagesSentence } from '../../membership/outcome-words.ts';
import type { Imports, Look } from '../client/import-place.ts';
import { ServerAway } from '../client/server-errors.ts';
import { type Io, say } from './io.ts';
import { showProgress } from './show-progress.ts';

const LOOK_MS = 250;

/** Output while an import or sync is followed. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** In ms; not given: as long as it takes. */
  readonly timeoutMs?: number;
  /** Whether it begins now: then say what other users will see of it. */
  readonly begins?: true;
}

/**
 * Shows an import that another process runs until nothing more happens to it by itself (`rests`), no process runs it
 * (`abandoned`), the signal comes (`left`), or the time is up (`late`).
 * @throws ServerAway when its server does not answer for too long
 */
export async function followImport(
  io: Io,
  imports: Imports,
  id: string,
  { signal, timeoutMs = Number.POSITIVE_INFINITY, begins }: FollowOptions,
): Promise<'rests' | 'abandoned' | 'left' | 'late'> {
  let last: Look | undefined;
  let away: ServerAway | undefined;
  const progress = showProgress(io, {
    counters: () => last?.counters,
    staging: () => last?.staging,
    regions: async () => last?.regions ?? [],
    trouble: () => away && `${imports.server?.url} does not answer; trying again`,
  });
  let announces = begins === true;
  const until = performance.now() + timeoutMs;
  let answeredAt = performance.now();
  try {
    while (!signal.aborted) {
      const before = last;
      try {
        last = await imports.look(id);
        away = undefined;
      } catch (error) {
        if (!(error instanceof ServerAway)) throw error;
        away = error;
      }
      if (announces && last?.writes !== undefined && last.state !== 'staged') {
        say(io, messagesSentence(last.writes));
        announces = false;
      }
      if (away === undefined && last !== undefined && rests(last, before)) return 'rests';
      const now = performance.now();
      if (away === undefined && last?.regions !== undefined) answeredAt = now;
      // A process that has just started gets a moment before it must answer.
      else if (now - answeredAt > imports.patienceMs) {
        if (away !== undefined) throw away;
        return 'abandoned';
      }
      if (now >= until) return 'late';
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return 'left';
  } finally {
    progress.stop();
  }
}

/** An import passes through `staged` on its way to `running`: only one that is seen there twice has stopped there. */
function rests({ state }: Look, before: Look | undefined): boolean {
  return !isUnderWay(state) && (state !== 'staged' || before?.state === 'staged');
}
