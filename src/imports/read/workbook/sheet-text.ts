import type { IntakeNote } from '../intake-note.ts';

/** One sheet of a workbook as CSV text: its rows with their numbers, comma and quote. */
export interface SheetText {
  readonly kind: 'xlsx' | 'ods';
  readonly sheet: string;
  /** The names of the other sheets. */
  readonly others: readonly string[];
  /** Rows above its table. */
  readonly above: number;
  blocks(): AsyncGenerator<Buffer>;
  /**
   * Returns remarks on the sheet; complete when it has been read.
   * @param isId whether ids are read from the column of this number
   */
  notes(isId: (column: number) => boolean): IntakeNote[];
  close(): void;
}
