import { IntakeError, shownPath } from '../read/intake-error.ts';

/** Maximum time without progress in reading, in minutes. */
const MAX_MINUTES = 10;

interface StandstillWatch {
  /** It has come forward. */
  moves(): void;
  stop(): void;
}

/**
 * Calls `stalled` when nothing has moved for ten minutes. They are counted one by one: a machine that slept for hours has not
 * let anything stand still.
 */
export function watchStandstill(stalled: () => void): StandstillWatch {
  let minutes = 0;
  const timer = setInterval(() => {
    minutes += 1;
    if (minutes < MAX_MINUTES) return;
    clearInterval(timer);
    stalled();
  }, 60_000).unref();
  return {
    moves: () => {
      minutes = 0;
    },
    stop: () => clearInterval(timer),
  };
}

export function readingStalled(name: string): IntakeError {
  return new IntakeError({
    code: 'READING_STALLED',
    what: `reading ${shownPath(name)} came to a standstill: neither a row nor a byte was read for ${MAX_MINUTES} minutes`,
    remedy: 'Import it again; if it stops again, save it as CSV, or split it into smaller files',
    facts: { file: name, minutes: MAX_MINUTES },
  });
}
