import type { ImportOptions } from '../import-options.ts';
import type { Creating } from '../record/creating.ts';
import type { RowFilter } from '../report/row-filter.ts';

/** A feature's part in the life of imports; each is loaded when it is needed (src/app/features.ts). */
export interface LifeFeature {
  /** Predictions about imports before they are sent. */
  readonly foreseen?: () => Promise<Foreseen>;
  /** Finds the rows that a retry would send although they were sent in another way. */
  readonly retrying?: () => Promise<Retrying>;
}

/** An import that was read and not sent. */
export interface UnsentImport {
  readonly id: string;
  readonly folder: string;
  /** With which it would be sent. */
  readonly options: ImportOptions;
}

/** The work that sending takes in a region. */
export interface WorkLeft {
  readonly rows: number;
  readonly groups: number;
  readonly messages: number;
  readonly calls: number;
}

export interface Foreseen {
  /** Users and groups that the service does not know; undefined where nobody has asked it. */
  missing(folder: string): Promise<Parameters<Creating['over']>[1] | undefined>;
  /** Gives rows that would fail an outcome, so that they are not sent; returns how many. Doing it once more changes nothing. */
  leaveOut(unsent: UnsentImport): number;
  /** Returns the work of sending all rows except those that would fail. */
  workLeft(unsent: UnsentImport): readonly WorkLeft[];
}

export interface Retrying {
  /**
   * Writes the rows of a retry to `path`, without those that were sent otherwise: false where none is left, undefined
   * where none was sent otherwise.
   */
  rest(of: Omit<UnsentImport, 'id'>, path: string, filter: RowFilter): Promise<boolean | undefined>;
}
