import type { Aimed } from '../../../imports/target.ts';
import type { UndoFlags } from '../plan-flags.ts';
import type { SyncInput, SyncOptions } from '../sync-options.ts';

/** Requests to the sync runner. */

interface Wanted extends Partial<Pick<SyncOptions, 'limits'>>, Pick<SyncOptions, 'apply'> {
  /** The person who asks for it. */
  readonly who: string;
}

export interface CreateSync extends Wanted, Omit<SyncOptions, 'limits' | 'apply' | 'reading' | keyof Aimed> {
  /** The file as the user named it. */
  readonly file: string;
  /** The path to read; it is copied when planning begins. */
  readonly source: string;
  readonly reading: SyncInput;
  /** Runs of one schedule are compared with each other, whatever their files. */
  readonly scheduleId?: string;
  /** Given where the caller needs it beforehand. */
  readonly id?: string;
}

export interface CreateUndo extends Wanted {
  readonly flags: UndoFlags;
}
