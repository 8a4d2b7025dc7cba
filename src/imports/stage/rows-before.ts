import { existsSync } from 'node:fs';
import { option, words } from '../../errors/named-options.ts';
import type { ExpectingChoices } from '../../options/sending-options.ts';
import { openForReading } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { intakeError, shownPath } from '../read/intake-error.ts';
import type { IntakeNote } from '../read/notes.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';

/** Rows of the input in the first of these ledgers that is there. */
export function inputRowsIn(ledgers: Iterable<string>): number | undefined {
  for (const path of ledgers) {
    if (!existsSync(path)) continue;
    using database = openForReading(path, IMPORT_SCHEMA);
    const rows = database.prepare('select rows_read as n from input').get()?.['n'];
    if (typeof rows === 'number') return rows;
  }
  return undefined;
}

/**
 * Checks the conditions that a file must meet before anything of it is sent.
 * @param before rows of the file of the last run, of which a share is taken; undefined: there was none
 * @throws IntakeError ROW_COUNT, TOO_FEW_ROWS
 * @returns what a person should know about it
 */
export function checkRows(
  name: string,
  rows: number,
  { expectRows, minRows }: ExpectingChoices,
  before: number | undefined,
): IntakeNote[] {
  if (expectRows !== undefined && rows !== expectRows) {
    throw intakeError(
      'ROW_COUNT',
      `${shownPath(name)} has ${counted(rows, 'row')}, and ${grouped(expectRows)} were expected`,
      words`See whether the file is complete, or correct ${option('expectRows')}`,
      { option: 'expectRows', file: name, rows, expected: expectRows },
    );
  }
  if (minRows === undefined) return [];
  if ('percent' in minRows && before === undefined) {
    const text = `There was no earlier run to compare with: ${shownPath(name)} has ${counted(rows, 'row')}, and any number was accepted`;
    return [{ code: 'NO_EARLIER_RUN', text }];
  }
  const least = 'rows' in minRows ? minRows.rows : Math.ceil(((before ?? 0) * minRows.percent) / 100);
  if (rows >= least) return [];
  const reason =
    'rows' in minRows
      ? `it must have at least ${grouped(least)}`
      : `the last run had ${grouped(before ?? 0)}, of which ${minRows.percent} % are ${grouped(least)}`;
  throw intakeError(
    'TOO_FEW_ROWS',
    `${shownPath(name)} has ${counted(rows, 'row')}, and ${reason}`,
    words`See whether the file is complete; if it is, give a smaller ${option('minRows')}`,
    { option: 'minRows', file: name, rows, least, ...(before !== undefined && { before }) },
  );
}
