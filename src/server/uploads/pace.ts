/** Bytes per second below which an upload is given up when there is no room for others. */
export const SLOWEST = 1_024;

/** Measures the speed of an upload. */
export interface Pace {
  readonly came: (bytes: number) => void;
  /** Bytes per second, in the last while. */
  rate(): number;
  /** Whether it has been slower than `SLOWEST` for a while; one that has only begun is not. */
  isSlow(): boolean;
}

/** @param windowMs over how long it is measured */
export function openPace(windowMs: number): Pace {
  let before = { at: performance.now(), bytes: 0 };
  let now = before;
  const begun = before.at;
  const roll = (at: number) => {
    if (at - now.at < windowMs) return;
    before = now;
    now = { at, bytes: 0 };
  };
  const rate = () => {
    const bytes = before === now ? now.bytes : before.bytes + now.bytes;
    return (bytes / Math.max(1, performance.now() - before.at)) * 1_000;
  };
  return {
    came: (bytes) => {
      roll(performance.now());
      now.bytes += bytes;
    },
    rate,
    isSlow: () => performance.now() - begun >= windowMs && rate() < SLOWEST,
  };
}
