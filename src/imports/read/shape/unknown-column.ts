import leven from 'leven';
import { IntakeError, listed, shown } from '../intake-error.ts';

/** The name that is most like this one, if one is. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  const wanted = plain(name);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of names) {
    const distance = leven(wanted, plain(candidate));
    if (
      distance <= Math.max(1, Math.floor(wanted.length / 3)) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

/** What to write in place of a column that is not there. */
export function nameOneOf(column: string, names: readonly string[]): string {
  const like = nearest(column, names);
  const exactly = 'exactly as it is written';
  return like === undefined ? `Name one of them, ${exactly}` : `Write ${shown(like)}, or another one, ${exactly}`;
}

/** @param reader what needs the column */
export function unknownColumn(column: string, reader: string, names: readonly string[]): IntakeError {
  return new IntakeError({
    code: 'UNKNOWN_COLUMN',
    what: `${reader} needs the column ${shown(column)}, which the input does not have; the columns are ${listed(names)}`,
    remedy: nameOneOf(column, names),
    facts: { column },
  });
}
