import type { RowWithOutcome } from './chosen-rows.ts';
import type { ReportInput } from './report-row.ts';
import { cursorText } from './row-cursor.ts';
import type { RowDetail } from './row-detail.ts';
import { originalJson } from './row-json.ts';
import type { RowOrder, RowsPage } from './row-search.ts';

/**
 * A page of rows as the JSON text `{"rows":[…],"total":9,"nextCursor":"7"}`. It has fewer rows than were found where those
 * would make it longer than `maxCharacters`, but always one: the next page begins behind the last one that is in it.
 * @param total null where it was not counted
 */
export function rowsPageJson(
  input: ReportInput,
  { rows, places, more }: RowsPage,
  order: RowOrder,
  total: number | null,
  maxCharacters: number,
): string {
  const textOf = rowText(input);
  const texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = textOf(row);
    if (texts.length > 0 && length + text.length > maxCharacters) break;
    texts.push(text);
    length += text.length;
  }
  const last = places[texts.length - 1];
  const hasNext = last !== undefined && (more || texts.length < rows.length);
  return `{"rows":[${texts.join(',')}],"total":${total},"nextCursor":${hasNext ? `"${cursorText(last, order)}"` : 'null'}}`;
}

/** One row as JSON text, with all that is known of it. */
export function rowDetailJson(input: ReportInput, { row, facts }: RowDetail): string {
  return `${JSON.stringify(facts).slice(0, -1)},"row":${rowText(input)(row)}}`;
}

function rowText(input: ReportInput): (row: RowWithOutcome) => string {
  const originalOf = originalJson(input);
  return (found) => {
    const { original: _, finishedAt, ...row } = found;
    const view = JSON.stringify({
      ...row,
      finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    });
    return `${view.slice(0, -1)},"original":${originalOf(found)}}`;
  };
}
