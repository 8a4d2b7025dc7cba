import type { RowWithOutcome } from './chosen-rows.ts';
import type { ReportInput } from './report-row.ts';
import { originalJson } from './row-json.ts';

export interface RowsOfPage {
  readonly rows: readonly RowWithOutcome[];
  /** Number of the row behind which the next page begins; absent when no further row follows. */
  readonly next?: number;
}

/**
 * A page of rows as the JSON text `{"rows":[…],"nextCursor":"7"}`. It has fewer rows than were found where those would
 * make it longer than `mostCharacters`, but always one: the next page begins behind the last one that is in it.
 */
export function rowsPageJson(input: ReportInput, { rows, next }: RowsOfPage, mostCharacters: number): string {
  const originalOf = originalJson(input);
  const texts: string[] = [];
  let length = 0;
  let cursor = next;
  for (const [index, { original: _, finishedAt, ...row }] of rows.entries()) {
    const found = rows[index] as RowWithOutcome;
    const view = JSON.stringify({
      ...row,
      finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    });
    const text = `${view.slice(0, -1)},"original":${originalOf(found)}}`;
    if (texts.length > 0 && length + text.length > mostCharacters) {
      cursor = rows[index - 1]?.row;
      break;
    }
    texts.push(text);
    length += text.length;
  }
  return `{"rows":[${texts.join(',')}],"nextCursor":${cursor === undefined ? 'null' : `"${cursor}"`}}`;
}
