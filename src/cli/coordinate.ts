import { type App, openApp } from '../app/app.ts';
import type { Service } from '../app/compose.ts';
import type { Config } from '../platform/config.ts';
import { createLifecycle, firstSignal, type Lifecycle, leaveWithoutQueue } from '../platform/lifecycle.ts';
import { EXIT } from './exit-codes.ts';
import { type Io, say } from './screen/io.ts';
import type { Progress } from './screen/progress.ts';

export interface CoordinateOptions {
  readonly config: Config;
  readonly io: Io;
  /** What the calls go to; opened before the coordinator, closed after it. */
  readonly openService: () => Promise<Service & { close(): Promise<void> }>;
  /** What to type to go on, for whoever is interrupted. */
  readonly goOn: () => readonly string[];
}

/** A coordinator in this process, for as long as a command lasts. */
export interface Coordinating extends Omit<App, 'serveControl' | 'failed'> {
  /** What is begun beside the coordinator stops before it. */
  readonly onStop: Lifecycle['onStop'];
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves when `done` does, when something fails, or with the first Ctrl-C; the progress is stopped then. */
  until(done: Promise<unknown>, progress: Progress): Promise<void>;
}

/** Runs a coordinator in this process while `work` lasts. Gives what it failed with, after saying so; undefined is well. */
export async function coordinate(
  { config, io, openService, goOn }: CoordinateOptions,
  work: (coordinating: Coordinating) => Promise<void>,
): Promise<Error | undefined> {
  const life = createLifecycle();
  let failure: Error | undefined;
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.', ...goOn()));
  try {
    const app = await openApp(life, { config, openService, tell: (sentence) => say(io, sentence) });
    await app.serveControl();
    void app.failed.then((error) => {
      failure = error;
    });
    await work({
      ...app,
      onStop: life.onStop,
      signal: signal.signal,
      until: async (done, progress) => {
        const interrupted = await Promise.race([
          done.then(() => false),
          app.failed.then(() => false),
          signal.arrived.then(() => true),
        ]);
        progress.stop();
        if (interrupted) say(io, '', 'Stopping: calls in flight may finish. Press Ctrl-C again to stop at once.');
      },
    });
  } finally {
    const leave = () => say(io, 'The queue does not answer; stopped anyway.', ...goOn());
    const stay = config.queue === undefined ? () => {} : leaveWithoutQueue(EXIT.interrupted, leave);
    await life.stop();
    stay();
    signal.ignore();
  }
  if (failure !== undefined) {
    say(io, '', `rollcall cannot continue: ${failure.message}`, 'When it is fixed:', ...goOn().slice(1));
  }
  return failure;
}
