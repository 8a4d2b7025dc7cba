import type { CreateOptions } from '../../../options/create-options.ts';
import type { SyncFlags, UndoFlags } from '../plan-flags.ts';
import type { SyncInput } from '../sync-options.ts';

/** What is asked of the sync runner. */

interface Wanted {
  /** Limits of guards in place of their defaults. */
  readonly limits?: Readonly<Record<string, number>>;
  /** As of a sync. */
  readonly giveUpAfterMs?: number | undefined;
  /** Whether it is carried out at once, where no guard objects. */
  readonly apply: boolean;
  /** Who asks for it. */
  readonly who: string;
}

export interface CreateSync extends Wanted {
  /** As the user named it. */
  readonly file: string;
  /** The path to read; it is copied when planning begins. */
  readonly source: string;
  readonly reading: SyncInput;
  readonly flags: SyncFlags;
  /** What it may create; absent: nothing. */
  readonly create?: CreateOptions | undefined;
  /** Runs of one schedule are compared with each other, whatever their files. */
  readonly scheduleId?: string;
  /** Given where the caller needs it beforehand. */
  readonly id?: string;
}

export interface CreateUndo extends Wanted {
  readonly flags: UndoFlags;
}
