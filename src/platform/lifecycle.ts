export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Time that calls under way get to answer, in ms. */
export const STOP_DEADLINE_MS = 10_000;

/** Shutdown: what was started last stops first, all of it even if something fails, once, and within one deadline. */
export function createLifecycle() {
  const stops: ((deadlineMs: number) => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;
  return {
    /** Registers what stops at the end, in the order of starting. */
    onStop: (stop: (deadlineMs: number) => Promise<void> | void) => void stops.push(stop),
    /** Stops everything; a second call returns the first one's promise. */
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

/** Time after the deadline in which a shared queue must learn that this process stops, in ms. */
const LEAVE_MS = 2_000;

/**
 * Stops everything at the end of a command, and heeds no signals any more. A queue that is down does not answer, and stopping would
 * wait for it: after the deadline the process ends with `code`, after `lastWords`. Nothing is lost: the queue notices that the
 * process has stopped. @param lastWords undefined where there is no queue that may be down
 */
export async function stopAll(
  lifecycle: Lifecycle,
  signal: Pick<FirstSignal, 'ignore'>,
  code: number,
  lastWords?: () => void,
) {
  const leave = () => {
    lastWords?.();
    process.exit(code);
  };
  const timer = lastWords && setTimeout(leave, STOP_DEADLINE_MS + LEAVE_MS);
  try {
    await lifecycle.stop();
  } finally {
    clearTimeout(timer);
    signal.ignore();
  }
}

/** One Ctrl-C may come several times, from terminal, npm and launcher: within this time, in ms, it counts once. */
export const SAME_SIGNAL_MS = 250;

interface FirstSignal {
  /** Resolves with the first SIGINT or SIGTERM. */
  readonly arrived: Promise<void>;
  /** Aborted with it. */
  readonly signal: AbortSignal;
  /** Listens no more. */
  ignore(): void;
}

/**
 * Waits for SIGINT or SIGTERM; a second one ends the process at once, with the exit code of that moment, after `lastWords`.
 * @param clock in ms
 */
export function firstSignal(
  code: number | (() => number),
  lastWords: () => void = () => {},
  clock: () => number = () => performance.now(),
): FirstSignal {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const abort = new AbortController();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let firstAt: number | undefined;
  const onSignal = () => {
    const now = clock();
    if (firstAt === undefined) {
      firstAt = now;
      resolve();
      abort.abort();
    } else if (now - firstAt > SAME_SIGNAL_MS) {
      lastWords();
      process.exit(typeof code === 'number' ? code : code());
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    arrived,
    signal: abort.signal,
    ignore: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
