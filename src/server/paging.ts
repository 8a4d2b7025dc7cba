import { Problem } from './problem.ts';

/** A cursor that is a number inside. @throws Problem BAD_CURSOR */
export function numberCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badCursor(cursor);
}

export function badCursor(cursor: string): Problem {
  return new Problem('BAD_CURSOR', `The cursor ${JSON.stringify(cursor.slice(0, 60))} was not given by this address.`, {
    field: 'cursor',
  });
}
