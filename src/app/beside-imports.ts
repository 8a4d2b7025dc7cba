import type { Coordinator } from '../imports/life/coordinator.ts';
import type { Config } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';

/** A feature's work beside the imports of a process that owns a data directory, such as after their ends. */
export interface Beside {
  /** The user waits for what is left to do for this import, as if it had ended in this process. */
  expect(id: string): void;
  /** Returns lines for the user about unfinished work for imports that ended in this process. */
  lines(): readonly string[];
  /** Resolves when nothing is under way for them, or it has taken too long: the next process goes on. */
  leave(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type OpenBeside = (parts: {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly config: Config;
  readonly log: Logger;
}) => Beside | Promise<Beside>;
