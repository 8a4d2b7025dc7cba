/** Shutdown: what was started last stops first, all of it even if something fails, once, and within one deadline. */
export interface Lifecycle {
  /** Registers what is to be stopped, in the order of starting. */
  onStop(stop: (deadlineMs: number) => Promise<void> | void): void;
  /** Stops everything; a second call returns the first one's promise. */
  stop(deadlineMs?: number): Promise<void>;
}

/** Time that calls under way get to answer, in ms. */
export const STOP_DEADLINE_MS = 10_000;

export function createLifecycle(): Lifecycle {
  const stops: ((deadlineMs: number) => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;
  return {
    onStop: (stop) => stops.push(stop),
    stop: (deadlineMs = STOP_DEADLINE_MS) => {
      stopping ??= (async () => {
        const until = performance.now() + deadlineMs;
        let firstError: unknown;
        for (const stop of stops.toReversed()) {
          try {
            await stop(Math.max(0, until - performance.now()));
          } catch (error) {
            firstError ??= error;
          }
        }
        if (firstError !== undefined) throw firstError;
      })();
      return stopping;
    },
  };
}

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process at once, with `code`. */
export function firstSignal(code: number): { readonly arrived: Promise<NodeJS.Signals>; ignore(): void } {
  const { promise: arrived, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let seen = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (seen) process.exit(code);
    seen = true;
    resolve(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    arrived,
    ignore: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
