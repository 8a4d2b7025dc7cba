import { z } from 'zod';
import { type HistoryEntry, historyPage, historyQuery } from '../api/rows.ts';
import { ORDER_OF_INPUT } from '../imports/report/row-search.ts';
import type { Api, ServerContext } from './context.ts';
import { cursorContent, cursorText } from './paging.ts';
import { refusals } from './problem-schema.ts';
import type { Reading } from './reading.ts';

/** Most imports that one request looks into, so that an answer with few hits comes too. */
const MOST_IMPORTS = 100;

/** `GET /v1/members/:uid/history`: what every import did to this UID. */
export function memberRoutes(app: Api, { reading }: ServerContext): void {
  app.get(
    '/v1/members/:uid/history',
    {
      config: { role: 'viewer' },
      schema: {
        tags: ['members'],
        summary: 'What every import did to a UID, newest import first',
        description: 'A page may hold fewer entries than `limit`, or none, and have a next one.',
        params: z.object({ uid: z.string() }),
        querystring: historyQuery,
        response: {
          200: historyPage,
          ...refusals('BAD_OPTION', 'BAD_CURSOR'),
        },
      },
    },
    async ({ params: { uid }, query: { limit, cursor } }) => {
      const [before, after] = cursorContent(placeInCursor, cursor) ?? [null, 0];
      const { entries, next } = await history(reading, uid, limit, { before: before ?? undefined, after });
      return { uid, entries, nextCursor: next === undefined ? null : cursorText([next.before ?? null, next.after]) };
    },
  );
}

/** The import to look into next, as a cursor of the list of imports, and the row after which to continue in it. */
interface Place {
  readonly before: string | undefined;
  readonly after: number;
}

const placeInCursor = z.tuple([z.string().nullable(), z.int().nonnegative()]);

async function history(
  reading: Reading,
  uid: string,
  limit: number,
  start: Place,
): Promise<{ entries: HistoryEntry[]; next: Place | undefined }> {
  const entries: HistoryEntry[] = [];
  let place: Place = start;
  for (let looked = 0; looked < MOST_IMPORTS; looked += 1) {
    const { imports, next } = reading.page({ limit: 1, ...(place.before !== undefined && { before: place.before }) });
    const [record] = imports;
    if (record === undefined) return { entries, next: undefined };
    if (reading.hasRows(record.id)) {
      const page = await reading
        .rowsOf(record.id)
        .rowsPage({ uid }, limit - entries.length, ORDER_OF_INPUT, { row: place.after, key: place.after });
      for (const { line, region, guid, scope, status, code, message, finishedAt } of page.rows) {
        const at = new Date(finishedAt ?? record.createdAt).toISOString();
        const { id: importId, file, state } = record;
        entries.push({ importId, file, state, line, at, region, guid, scope, status, code, message });
      }
      const last = page.places.at(-1);
      if (page.more && last !== undefined) return { entries, next: { before: place.before, after: last.row } };
    }
    if (next === undefined) return { entries, next: undefined };
    place = { before: next, after: 0 };
    if (entries.length === limit) break;
  }
  return { entries, next: place };
}
