import type { RowOrder, RowPlace } from './row-search.ts';

/** The place behind which a page begins, as text. In the order of the input it is the row's number alone. */
export function cursorText({ row, key }: RowPlace, { by, descending }: RowOrder): string {
  if (by === 'row') return String(row);
  return Buffer.from(JSON.stringify([by, descending, row, key])).toString('base64url');
}

/** Undefined for a text that is not a cursor of this order. */
export function readCursor(text: string, { by, descending }: RowOrder): RowPlace | undefined {
  if (by === 'row') return /^\d{1,15}$/.test(text) ? { row: Number(text), key: Number(text) } : undefined;
  try {
    const [itsBy, itsDescending, row, key]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isOurs = itsBy === by && itsDescending === descending && Number.isSafeInteger(row);
    return isOurs && (typeof key === 'string' || typeof key === 'number') ? { row: Number(row), key } : undefined;
  } catch {
    return undefined;
  }
}
