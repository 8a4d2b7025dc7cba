import type { ImportRecord } from '../ledger/catalog.ts';
import type { Region } from '../membership/membership.ts';
import type { Coordinator } from './coordinator.ts';
import type { RegionWorker } from './region-worker.ts';
import type { WorkingRegion } from './worker-process.ts';

/**
 * Keys are changed while rollcall runs. A client takes a new one up by itself when the service refuses the old one. What
 * is left is a region that was stopped before the new key was there: it is looked at from time to time, and when its key
 * has changed, it goes on.
 */
export interface KeyWatch {
  stop(): Promise<void>;
}

/** How often, in ms: a key is changed by a person, and reading the settings costs a few ms. */
const LOOK_MS = 5_000;

interface StoppableRegion extends Pick<WorkingRegion, 'region' | 'queue'> {
  readonly worker: Pick<RegionWorker, 'renewKey' | 'keyFingerprint'>;
}

/** Of workers in a process of their own: a stopped region whose key has changed is opened again, for all its workers. */
export function watchWorkersKeys(
  regions: readonly StoppableRegion[],
  say: (text: string) => void,
  onError: (error: Error) => void,
  everyMs = LOOK_MS,
): KeyWatch {
  return repeatedly(everyMs, onError, async () => {
    for (const { region, queue, worker } of regions) {
      if (!(await queue.isPaused()) || !worker.renewKey()) continue;
      await queue.resume();
      say(`The key of region ${region} has changed: it goes on with key ${worker.keyFingerprint()}`);
    }
  });
}

type Watched = Pick<Coordinator, 'events' | 'regions' | 'renewKeys' | 'resume'>;

/** Of a coordinator that stays: imports that a refused key has stopped go on when it has changed, here or in a worker. */
export function watchKeys(
  coordinator: Watched,
  say: (text: string) => void,
  onError: (error: Error) => void,
  everyMs = LOOK_MS,
): KeyWatch {
  const waiting = new Set<string>();
  let stopped = new Set<Region>();
  const follow = ({ id, state }: ImportRecord): void => {
    // Something begins or is resumed: its regions go on for this reason, and not for a new key.
    if (state === 'running') stopped = new Set();
    if (state === 'blocked' || state === 'running') waiting.add(id);
    else waiting.delete(id);
  };
  coordinator.events.on('state', follow);
  const watch = repeatedly(everyMs, onError, async () => {
    if (waiting.size === 0) return;
    const now = new Set((await coordinator.regions()).flatMap(({ region, stopped: is }) => (is ? [region] : [])));
    const renewed = now.size === 0 ? [] : await coordinator.renewKeys(now);
    const openedElsewhere = [...stopped].filter((region) => !now.has(region));
    stopped = now;
    const changed = [...renewed, ...openedElsewhere];
    if (changed.length === 0) return;
    say(`The key of region ${changed.join(', ')} has changed: imports that it stopped go on`);
    stopped = new Set();
    for (const id of [...waiting]) await coordinator.resume(id);
  });
  return {
    stop: () => {
      coordinator.events.off('state', follow);
      return watch.stop();
    },
  };
}

/** One after the other, whatever comes of each. */
function repeatedly(everyMs: number, onError: (error: Error) => void, look: () => Promise<void>): KeyWatch {
  let underWay = Promise.resolve();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    timer = setTimeout(() => {
      underWay = look()
        .catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))))
        .finally(() => {
          if (!stopping) later();
        });
    }, everyMs).unref();
  };
  later();
  return {
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
