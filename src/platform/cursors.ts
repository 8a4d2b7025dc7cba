import type { z } from 'zod';
import { RollcallError } from '../errors/rollcall-error.ts';

/** A cursor that is a number inside. @throws BAD_CURSOR */
export function numberCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new RollcallError('BAD_CURSOR', { cursor });
}

/** A page of rows, of which one more than asked for tells whether there is a next page. @param cursorOf the place of its last row */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursorOf: (last: Row) => string) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** A cursor that holds more than a number, as it is given out. */
export function cursorText(content: unknown) {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** The content of a cursor made by `cursorText`. @throws BAD_CURSOR */
export function cursorContent<Content>(shape: z.ZodType<Content>, cursor: string | undefined): Content | undefined {
  if (cursor === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new RollcallError('BAD_CURSOR', { cursor });
  }
}
