import type { EventEmitter } from 'node:events';
import type { Waits } from '../../../imports/life/waits.ts';
import type { Aimed } from '../../../imports/target.ts';
import type { ImportState } from '../../../membership/import-state.ts';
import type { PlanningProgress } from '../plan/prepare.ts';
import type { UndoFlags } from '../plan-flags.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import type { SyncInput, SyncOptions } from '../sync-options.ts';

/** Plans syncs, one at a time, and has their plans carried out by imports. For the owner of the data directory. */
export interface SyncRunner {
  readonly events: EventEmitter<SyncEvents>;
  /** Begins to plan. Gives the sync's id. @throws LimitError */
  create(request: CreateSync): Promise<string>;
  /** Begins to plan how to undo a finished import. @throws SyncRefused, LimitError */
  undo(importId: string, request: CreateUndo): Promise<string>;
  /**
   * Carries out a stored plan, unless file or groups have moved too far since: then it becomes `stale`. Continues one
   * that was interrupted. @throws SyncRefused when it is held or meant for another service, SyncTransitionError
   */
  apply(id: string, who: string): Promise<SyncRecord>;
  /** Lets a held plan through, this once, on record, and applies it. @throws as apply */
  approve(id: string, who: string, reason: string): SyncRecord;
  reject(id: string, who: string, reason: string): SyncRecord;
  /** Ends planning. One looked at again is planned as before. An import of it must end first. @throws SyncRefused */
  cancel(id: string, who: string): SyncRecord;
  /** Ends the import of a sync that waits for a person, blocked or failed: a newer sync does what it left. */
  replace(id: string): Promise<void>;
  readonly whenOver: Waits['whenOver'];
  /** Returns the state of the import that carries a sync out. */
  importState(id: string): ImportState | undefined;
  find(id: string): SyncRecord;
  /** Resolves when nothing more happens by itself: finished, planned or held, or its import is paused or blocked. */
  settled(id: string): Promise<SyncRecord>;
  /** Continues every sync that a stop or crash interrupted: planning begins again, applying follows its import. */
  continueAll(): void;
  /** Stops planning; plans are made again later. Does not stop imports. */
  stop(): Promise<void>;
}

export interface SyncEvents {
  state: [record: SyncRecord];
  planning: [id: string, progress: PlanningProgress];
  /** The import that carries a sync out has moved. */
  import: [id: string, state: ImportState];
  /** The catalog cannot be written: nothing can continue. */
  failure: [error: Error];
}

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
