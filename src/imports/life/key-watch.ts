import type { ImportState } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { repeatedly } from '../../platform/repeatedly.ts';
import type { ImportRecord } from '../catalog.ts';
import type { RegionWorker } from '../send/region.ts';
import type { WorkingRegion } from '../send/worker-process.ts';
import type { Coordinator } from './coordinator.ts';

/**
 * Keys change while rollcall runs. A client reads the new key by itself when the service refuses the old one. This watch is
 * for regions that were stopped before the new key was set: they are checked from time to time, and continue when their key
 * has changed. The service may also take the old key again: it is asked once a minute.
 */

/** Intervals in ms between two looks at the settings, which cost a few ms, and between two questions to the service. */
const EVERY = { lookMs: 5_000, askMs: 60_000 };
/** The longest interval in ms between questions for a region that is refused again after each answer. */
const MAX_ASK_MS = 3_600_000;

type Every = typeof EVERY;

interface StoppableRegion extends Pick<WorkingRegion, 'region' | 'queue'> {
  readonly worker: Pick<RegionWorker, 'renewKey' | 'keyFingerprint' | 'takesCalls'>;
}

/**
 * Says when a stopped region may go on because the service answers. A plan may let questions pass and no additions: each time
 * that it is refused again, the next question comes twice as late.
 */
function questions(askMs: number) {
  const due = new Map<Region, { at: number; everyMs: number }>();
  return {
    isBack: async (region: Region, takesCalls: () => Promise<boolean>) => {
      const { at, everyMs } = due.get(region) ?? { at: Date.now() + askMs, everyMs: askMs };
      due.set(region, { at, everyMs });
      if (Date.now() < at) return false;
      const isBack = await takesCalls();
      const next = isBack ? Math.min(2 * everyMs, MAX_ASK_MS) : everyMs;
      due.set(region, { at: Date.now() + next, everyMs: next });
      return isBack;
    },
    goesOn: (region: Region) => {
      if (Date.now() >= (due.get(region)?.at ?? Number.POSITIVE_INFINITY)) due.delete(region);
    },
  };
}

/** For a process of workers: resumes a stopped region whose key has changed or is taken again, for all its workers. */
export function watchWorkersKeys(
  regions: readonly StoppableRegion[],
  say: (text: string) => void,
  onError: (error: Error) => void,
  { lookMs, askMs }: Every = EVERY,
) {
  const stopped = new Set<Region>();
  const asked = questions(askMs);
  return repeatedly(lookMs, onError, async () => {
    for (const { region, queue, worker } of regions) {
      if (!(await queue.isPaused())) {
        asked.goesOn(region);
        if (stopped.delete(region)) say(`Region ${region} continues`);
        continue;
      }
      const isRenewed = worker.renewKey();
      if (isRenewed || (await asked.isBack(region, worker.takesCalls))) {
        stopped.delete(region);
        await queue.resume();
        say(
          isRenewed
            ? `The key of region ${region} has changed: it continues with key ${worker.keyFingerprint()}`
            : `The service takes the key of region ${region} again: it continues`,
        );
        continue;
      }
      if (!stopped.has(region))
        say(
          `Region ${region} is stopped: the service refused its key or plan. It continues when the key is changed or taken again, or when an import is resumed`,
        );
      stopped.add(region);
    }
  });
}

type Watched = Pick<Coordinator, 'events' | 'regions' | 'resume'>;

/**
 * For a coordinator that keeps running: imports that a refused key has stopped continue when the key has changed or is taken
 * again, here or in the process of a worker, which resumes the region.
 */
export function watchKeys(
  coordinator: Watched,
  say: (text: string) => void,
  onError: (error: Error) => void,
  { lookMs, askMs }: Every = EVERY,
) {
  const under = new Map<string, ImportState>();
  const asked = questions(askMs);
  const follow = ({ id, state, code }: ImportRecord) => {
    if ((state === 'blocked' && code === 'SERVICE_REFUSED') || state === 'running') under.set(id, state);
    else under.delete(id);
  };
  /** Returns why imports continue; undefined: they do not. */
  const whyNow = async (stopped: ReadonlySet<Region>) => {
    const renewed = await coordinator.regions.renewKeys(stopped);
    if (renewed.length > 0)
      return `The key of region ${renewed.join(', ')} has changed: imports that it stopped continue`;
    for (const region of stopped) {
      if (await asked.isBack(region, () => coordinator.regions.takesCalls(region)))
        return `The service takes the key of region ${region} again: imports that it stopped continue`;
    }
    return stopped.size === 0 && [...under.values()].includes('blocked')
      ? 'No region is stopped any more: imports that were blocked continue'
      : undefined;
  };
  coordinator.events.on('state', follow);
  const watch = repeatedly(lookMs, onError, async () => {
    if (under.size === 0) return;
    const stopped = new Set<Region>();
    for (const { region, stopped: is } of await coordinator.regions.status()) {
      if (is) stopped.add(region);
      else asked.goesOn(region);
    }
    const why = await whyNow(stopped);
    if (why === undefined) return;
    say(why);
    for (const [id, state] of [...under]) {
      if (stopped.size > 0 || state === 'blocked') await coordinator.resume(id);
    }
  });
  return {
    stop: () => {
      coordinator.events.off('state', follow);
      return watch.stop();
    },
  };
}
