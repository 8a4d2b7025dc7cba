import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';
import type { Imports } from './import-place.ts';
import { ServerAway } from './server-errors.ts';

const LOOK_MS = 250;
/** Time that a server may be away while a command watches, in ms: it may be restarting. */
export const PATIENCE_MS = 120_000;

interface Settling<View> {
  readonly io: Io;
  /** Those of the server, or of this process. */
  readonly imports: Pick<Imports, 'server' | 'regions'>;
  /** Ends the looking, not what is looked at. */
  readonly signal: AbortSignal;
  readonly look: () => Promise<View>;
  readonly goesOn: (view: View) => boolean;
  readonly linesOf: (view: View) => readonly string[];
  /** The same as in showSteps. */
  readonly begins: string;
}

/** Looks, with progress, until `goesOn` is false or the signal comes. @throws ServerAway when the server does not answer for too long */
export async function untilSettled<View>(options: Settling<View>): Promise<View> {
  const { io, imports, signal, look, goesOn, linesOf, begins } = options;
  let view: View | undefined;
  let isAway = false;
  let answeredAt = performance.now();
  const linesNow = () => {
    if (isAway) return [`${imports.server?.url} does not answer; trying again`];
    return view === undefined ? [] : linesOf(view);
  };
  const progress = showSteps(io, linesNow, {
    begins,
    regions: async () => (await imports.regions()) ?? [],
  });
  try {
    for (;;) {
      try {
        view = await look();
        [isAway, answeredAt] = [false, performance.now()];
        if (signal.aborted || !goesOn(view)) return view;
      } catch (error) {
        isAway = error instanceof ServerAway;
        if (!isAway || signal.aborted || performance.now() - answeredAt > PATIENCE_MS) throw error;
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    progress.stop();
  }
}
