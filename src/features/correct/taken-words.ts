import { counted, grouped } from '../../text/wording.ts';
import type { TakenEdits } from './operations.ts';

/** Refused edits that are named. */
const MAX_NAMED = 20;

/** Says what was taken of a corrected file, refused and unchanged: a sentence, and one for each row that a person has to look at. */
export function takenWords({ rows, cells, same, refused, refusedRows, wrong }: TakenEdits): [string, ...string[]] {
  const left = refusedRows === 0 ? '' : `; ${counted(refusedRows, 'row')} refused`;
  return [
    `${counted(cells, 'cell')} edited in ${counted(rows, 'row')}; ${counted(same, 'row')} as before${left}.`,
    ...refused
      .slice(0, MAX_NAMED)
      .map(({ line, column, reason }) => `Row ${grouped(line)}: ${column} is not taken: ${reason}.`),
    ...wrong.map(({ line, problems }) => {
      const reasons = problems.map(({ column, reason }) => (column === '' ? reason : `${column}: ${reason}`));
      return `Row ${grouped(line)} is still wrong: ${reasons.join('; ')}`;
    }),
  ];
}
