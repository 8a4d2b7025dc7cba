import { nearest } from '../../../text/nearest.ts';
import { IntakeError, listed, shown } from '../intake-error.ts';

export const EXACTLY = 'exactly as it is written';

/** Returns the remedy for a column that does not exist. */
export function nameOneOf(column: string, names: readonly string[]): string {
  const like = nearest(column, names);
  return like === undefined ? 'Name one of them' : `Write ${shown(like)} or another one`;
}

/** @param reader what needs the column */
export function unknownColumn(column: string, reader: string, names: readonly string[]): IntakeError {
  return new IntakeError({
    code: 'UNKNOWN_COLUMN',
    what: `${reader} needs the column ${shown(column)}, which the input does not have; the columns are ${listed(names)}`,
    remedy: `${nameOneOf(column, names)}, ${EXACTLY}`,
    facts: { column },
  });
}
