import type { Logger } from 'pino';

interface OpenedLog {
  readonly log: Logger;
  readonly file: string | undefined;
}

let newest: OpenedLog | undefined;

/**
 * The log that was opened last, with its file, for an error that ends the process; undefined where none was opened. It is
 * kept apart from what opens it: a command that opens none does not load pino.
 */
export function newestLog(): OpenedLog | undefined {
  return newest;
}

export function noteNewestLog(opened: OpenedLog) {
  newest = opened;
}
