import { type App, openApp } from '../app/app.ts';
import type { Service } from '../app/chat-service.ts';
import { type Aimed, aimText } from '../imports/target.ts';
import type { Config } from '../platform/config.ts';
import { createLifecycle, firstSignal, type Lifecycle, leaveWithoutQueue } from '../platform/lifecycle.ts';
import { EXIT } from './exit-codes.ts';
import { type Io, say } from './screen/io.ts';
import { type Progress, showSteps } from './screen/show-progress.ts';
import { failureWords } from './unexpected.ts';

/** The process that coordinates for one command. */
export interface CoordinateOptions {
  readonly config: Config;
  readonly io: Io;
  /** Opens the service that calls go to: before the coordinator; closed after it. */
  readonly openService: () => Promise<Service & { close(): Promise<void> }>;
  /** The command that continues, shown after an interrupt. */
  readonly howToContinue: () => readonly string[];
}

/**
 * Default time that imports wait for a service that does not answer, in ms: someone waits at the terminal, or a script.
 */
const GIVE_UP_AFTER_MS = 3_600_000;

/** A coordinator in this process, while a command runs. */
export interface Coordinating extends Omit<App, 'serveOwner' | 'failed'> {
  /** Registers what is started beside the coordinator and must stop before it. */
  readonly onStop: Lifecycle['onStop'];
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Resolves as `beginning` does. If that takes long, it shows what delays `forWhat`, such as "the import to begin".
   * @param lines progress of what comes first
   */
  begun<Begun>(beginning: Promise<Begun>, forWhat: string, lines?: () => readonly string[]): Promise<Begun>;
  /** Resolves when `done` does, when something fails, or with the first Ctrl-C; the progress is stopped then. */
  until(done: Promise<unknown>, progress: Progress): Promise<void>;
}

/** Runs a coordinator in this process while `work` lasts. Returns the error that it failed with, after printing it; undefined: no error. */
export async function coordinate(
  { config, io, openService, howToContinue }: CoordinateOptions,
  work: (coordinating: Coordinating) => Promise<void>,
): Promise<Error | undefined> {
  const lifecycle = createLifecycle();
  let failure: Error | undefined;
  const signal = firstSignal(EXIT.interrupted, () => say(io, 'Stopped at once.', ...howToContinue()));
  try {
    const app = await openApp(lifecycle, {
      config: { ...config, giveUpAfter: config.giveUpAfter ?? GIVE_UP_AFTER_MS },
      openService,
      show: (sentence) => say(io, sentence),
      reading: io.reading,
      signal: signal.signal,
    });
    saySendsTo(io, app.coordinator.sendsTo);
    // Loaded when another command asks, which is seldom.
    await app.serveOwner(async (request) => {
      const { importOwner, ownerAnswers } = await import('./owner.ts');
      return ownerAnswers(app, importOwner(app))(request);
    });
    void app.failed.then((error) => {
      failure = error;
    });
    await work({
      ...app,
      onStop: lifecycle.onStop,
      signal: signal.signal,
      begun: async (beginning, begins, lines = () => []) => {
        const progress = showSteps(io, lines, { begins, regions: () => app.coordinator.regions.status() });
        return beginning.finally(progress.stop);
      },
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
    const leave = () => say(io, 'The queue does not answer; stopped anyway.', ...howToContinue());
    const stay = config.queue === undefined ? () => {} : leaveWithoutQueue(EXIT.interrupted, leave);
    await lifecycle.stop();
    stay();
    signal.ignore();
  }
  if (failure !== undefined) {
    say(io, '', `rollcall cannot continue: ${failureWords(failure)}`, 'When it is fixed:', ...howToContinue().slice(1));
  }
  return failure;
}

/** Says before anything is sent where this process sends. With `--sandbox`, that was said. */
function saySendsTo(io: Io, sendsTo: Aimed): void {
  const text = sendsTo.sandbox ? '' : aimText(sendsTo);
  if (text !== '') say(io, `Service: ${text}.`);
}
