import type { Creating } from '../record/creating.ts';
import type { RowFilter } from '../report/found-rows.ts';
import type { FindLeftOut, UnsentImport } from '../stage/leave-out.ts';

/** A feature's part in the life of imports; each is loaded when it is needed (src/app/features.ts). */
export interface LifeFeature {
  /** Predictions about imports before they are sent. */
  readonly foreseen?: () => Promise<Foreseen>;
  /** Rows that people edit, which are sent in another way. */
  readonly repairing?: () => Promise<Repairing>;
}

export interface Foreseen {
  /** Users and groups that the service does not know; undefined where nobody has asked it. */
  missing(folder: string): Promise<Parameters<Creating['over']>[1] | undefined>;
  /** Rows that would fail. */
  readonly failing: FindLeftOut;
}

export interface Repairing {
  /** Runs what begins the sending of an import, while none of its rows is edited. */
  whileNoneEdits<Result>(id: string, begin: () => Promise<Result>): Promise<Result>;
  /** Rows that people have edited: they are not sent as the file had them. */
  readonly edited: FindLeftOut;
  /**
   * Writes the rows of a retry to `path`, without those that were sent otherwise: false where none is left, undefined
   * where none was sent otherwise.
   */
  rest(of: Omit<UnsentImport, 'id'>, path: string, filter: RowFilter): Promise<boolean | undefined>;
}
