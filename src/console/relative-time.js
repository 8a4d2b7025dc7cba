/** A time as how long ago it was, with the exact one on hovering. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { h } from './element.js';
import { ago, exactTime } from './format.js';

const EVERY_MS = 10_000;

/** One clock for all of them. It goes while one of them is shown. */
const now = signal(Date.now());
let shown = 0;
/** @type {ReturnType<typeof setInterval> | undefined} */
let clock;

function useClock() {
  useEffect(() => {
    shown += 1;
    if (shown === 1) {
      now.value = Date.now();
      clock = setInterval(() => {
        now.value = Date.now();
      }, EVERY_MS);
    }
    return () => {
      shown -= 1;
      if (shown === 0) clearInterval(clock);
    };
  }, []);
  return now.value;
}

/** @param {{ iso: string | null }} properties */
export function RelativeTime({ iso }) {
  const at = useClock();
  if (iso === null) return '–';
  return h('time', { dateTime: iso, title: exactTime(iso) }, ago(iso, Math.max(at, Date.now())));
}
