import { isQuestionRefused } from '../../../jobs/ask-service.ts';
import { asError } from '../../errors/message-of.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import type { ImportRecord } from '../catalog.ts';
import { SERVICE_AWAY } from '../send/give-up.ts';
import type { Coordinator } from './coordinator.ts';

type Watched = Pick<Coordinator, 'events' | 'pages' | 'regions' | 'resume'>;

/** The wait after an error before the next look, in ms. */
const LOOK_AGAIN_MS = 5_000;

/**
 * For a coordinator that keeps running: imports that have given up waiting for the service continue when it answers. Nothing
 * of theirs is in the queue, so one question for each region that is away takes their place: the circuit breaker lets it try.
 */
export function watchForReturn(
  coordinator: Watched,
  say: (text: string) => void,
  onError: (error: Error) => void,
): { stop(): Promise<void> } {
  const waiting = new Set<string>();
  const asking = new Map<Region, Promise<void>>();
  const stopping = new AbortController();

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
  const continueAll = (why: string) => {
    if (waiting.size === 0) return;
    say(why);
    for (const id of waiting) coordinator.resume(id).catch((error: unknown) => onError(asError(error)));
    waiting.clear();
  };
  const look = async () => {
    const status = new Map((await coordinator.regions.status()).map(({ region, circuit }) => [region, circuit.state]));
    const away = REGIONS.filter((region) => (status.get(region) ?? 'closed') !== 'closed');
    // It has answered since the import was blocked.
    if (away.length === 0) continueAll('The service answers again: imports that waited for it continue');
    for (const region of away) {
      if (asking.has(region)) continue;
      const asked = ask(region)
        .catch((error: unknown) => {
          onError(asError(error));
          setTimeout(follow, LOOK_AGAIN_MS).unref();
        })
        .finally(() => asking.delete(region));
      asking.set(region, asked);
    }
  };
  const follow = () => {
    if (waiting.size > 0 && !stopping.signal.aborted) look().catch((error: unknown) => onError(asError(error)));
  };
  const changed = ({ id, state, code }: ImportRecord) => {
    if (state !== 'blocked' || code !== SERVICE_AWAY) waiting.delete(id);
    else {
      waiting.add(id);
      follow();
    }
  };
  coordinator.events.on('state', changed);
  return {
    stop: async () => {
      coordinator.events.off('state', changed);
      stopping.abort();
      await Promise.all(asking.values());
    },
  };
}
