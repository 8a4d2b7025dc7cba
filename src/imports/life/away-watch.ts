import { isQuestionRefused } from '../../../jobs/ask-service.ts';
import { asError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import { repeatedly } from '../../platform/repeatedly.ts';
import type { ImportRecord } from '../catalog.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import type { Coordinator } from './coordinator.ts';

type Watched = Pick<Coordinator, 'events' | 'pages' | 'regions' | 'resume'>;

/** The time between two looks at the regions, in ms. */
const LOOK_MS = 5_000;

/**
 * For a coordinator that keeps running: imports that have given up waiting for the service continue when it answers. Nothing
 * of theirs is in the queue, so one question for each region that is away takes their place: the circuit breaker lets it try.
 */
export function watchForReturn(coordinator: Watched, say: (text: string) => void, onError: (error: Error) => void) {
  const waiting = new Set<string>();
  const asking = new Map<Region, Promise<void>>();
  const stopping = new AbortController();

  const continueAll = (why: string) => {
    if (waiting.size === 0) return;
    say(why);
    for (const id of waiting) coordinator.resume(id).catch((error: unknown) => onError(asError(error)));
    waiting.clear();
  };
  const ask = async (region: Region): Promise<void> => {
    try {
      await coordinator.pages(region).listPage('groups', '', 1, { signal: stopping.signal });
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!isQuestionRefused(error)) throw error;
      if (error.code === SERVICE_AWAY) return ask(region);
      // A refusal is an answer as well.
    }
    continueAll(`Region ${region} answers again: imports that waited for it continue`);
  };
  const look = async () => {
    if (waiting.size === 0) return;
    const away = (await coordinator.regions.status()).filter(({ circuit }) => circuit.state !== 'closed');
    // It has answered since the import was blocked.
    if (away.length === 0) continueAll('The service answers again: imports that waited for it continue');
    for (const { region } of away) {
      if (asking.has(region)) continue;
      const asked = ask(region)
        .catch((error: unknown) => onError(asError(error)))
        .finally(() => asking.delete(region));
      asking.set(region, asked);
    }
  };
  const changed = ({ id, state, code }: ImportRecord) => {
    if (state === 'blocked' && code === SERVICE_AWAY) waiting.add(id);
    else waiting.delete(id);
  };
  coordinator.events.on('state', changed);
  const watch = repeatedly(LOOK_MS, onError, look);
  return {
    stop: async () => {
      coordinator.events.off('state', changed);
      stopping.abort();
      // The queue may not answer: a look that has asked it is not waited for.
      void watch.stop();
      await Promise.all(asking.values());
    },
  };
}
