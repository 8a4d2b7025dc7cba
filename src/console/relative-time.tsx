/** A time as how long ago it was, with the exact one on hovering. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ago, exactTime } from './format.ts';

const EVERY_MS = 10_000;

/** One clock for all of them. It goes while one of them is shown. */
const now = signal(Date.now());
let shown = 0;
let clock: ReturnType<typeof setInterval> | undefined;

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

export function RelativeTime({ iso }: { iso: string | null }) {
  const at = useClock();
  if (iso === null) return '–';
  return (
    <time dateTime={iso} title={exactTime(iso)}>
      {ago(iso, Math.max(at, Date.now()))}
    </time>
  );
}
