import type { ImportState } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import type { ImportRecord } from '../catalog.ts';
import type { RegionWorker } from '../send/region.ts';
import type { WorkingRegion } from '../send/worker-process.ts';
import type { Coordinator } from './coordinator.ts';

/**
 * Keys change while rollcall runs. A client reads the new key by itself when the service refuses the old one. This watch is
 * for regions that were stopped before the new key was set: they are checked from time to time, and continue when their key
 * has changed.
 */
type KeyWatch = Repeated;

/** Interval between two looks, in ms: a key is changed by a person, and reading the settings costs a few ms. */
const LOOK_MS = 5_000;

interface StoppableRegion extends Pick<WorkingRegion, 'region' | 'queue'> {
  readonly worker: Pick<RegionWorker, 'renewKey' | 'keyFingerprint'>;
}

/** For a process of workers: resumes a stopped region whose key has changed, for all its workers. */
export function watchWorkersKeys(
  regions: readonly StoppableRegion[],
  say: (text: string) => void,
  onError: (error: Error) => void,
  everyMs = LOOK_MS,
): KeyWatch {
  const stopped = new Set<Region>();
  return repeatedly(everyMs, onError, async () => {
    for (const { region, queue, worker } of regions) {
      if (!(await queue.isPaused())) {
        if (stopped.delete(region)) say(`Region ${region} continues`);
        continue;
      }
      if (!worker.renewKey()) {
        if (!stopped.has(region))
          say(
            `Region ${region} is stopped: the service refused its key or plan. It continues when the key is changed, or when an import is resumed`,
          );
        stopped.add(region);
        continue;
      }
      stopped.delete(region);
      await queue.resume();
      say(`The key of region ${region} has changed: it continues with key ${worker.keyFingerprint()}`);
    }
  });
}

type Watched = Pick<Coordinator, 'events' | 'regions' | 'renewKeys' | 'resume'>;

/**
 * For a coordinator that keeps running: imports that a refused key has stopped continue when the key has changed, here or in
 * the process of a worker, which resumes the region.
 */
export function watchKeys(
  coordinator: Watched,
  say: (text: string) => void,
  onError: (error: Error) => void,
  everyMs = LOOK_MS,
): KeyWatch {
  const under = new Map<string, ImportState>();
  const follow = ({ id, state, code }: ImportRecord): void => {
    if ((state === 'blocked' && code === 'SERVICE_REFUSED') || state === 'running') under.set(id, state);
    else under.delete(id);
  };
  const resumeAll = async (why: string, ids: readonly string[]): Promise<void> => {
    say(why);
    for (const id of ids) await coordinator.resume(id);
  };
  coordinator.events.on('state', follow);
  const watch = repeatedly(everyMs, onError, async () => {
    if (under.size === 0) return;
    const stopped = new Set((await coordinator.regions()).flatMap(({ region, stopped: is }) => (is ? [region] : [])));
    const renewed = await coordinator.renewKeys(stopped);
    if (renewed.length > 0) {
      return resumeAll(`The key of region ${renewed.join(', ')} has changed: imports that it stopped continue`, [
        ...under.keys(),
      ]);
    }
    const blocked = [...under].flatMap(([id, state]) => (state === 'blocked' ? [id] : []));
    if (stopped.size > 0 || blocked.length === 0) return;
    await resumeAll('No region is stopped any more: imports that were blocked continue', blocked);
  });
  return {
    stop: () => {
      coordinator.events.off('state', follow);
      return watch.stop();
    },
  };
}
