import leven from 'leven';
import { IntakeError, listed, shown } from '../intake-error.ts';

/** The name that is most like this one, if one is. */
export function nearest(name: string, names: readonly string[]): string | undefined {
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

/** @param flag what asks for the column */
export function unknownColumn(column: string, flag: string, names: readonly string[]): IntakeError {
  const like = nearest(column, names);
  return new IntakeError({
    code: 'UNKNOWN_COLUMN',
    what: `${flag} names the column ${shown(column)}, which the input does not have; the columns are ${listed(names)}`,
    remedy:
      like === undefined
        ? 'Name one of them, exactly as it is written'
        : `Write ${shown(like)}, or another one, exactly as it is written`,
  });
}
