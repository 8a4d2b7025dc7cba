import type { Call } from './call.ts';
import { badRequest } from './refusal.ts';

/** Documented: 100 items per page where nothing is asked for, 1,000 at most. */
const DEFAULT_PER_PAGE = 100;
const MAX_PER_PAGE = 1000;

/** Cuts the page that the query asks for (`perPage`, `page`) out of a list, in the service's envelope. */
export function pageOf<T>(call: Call, items: readonly T[], show: (item: T) => object): object {
  const perPage = wholeNumber(call, 'perPage', DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = wholeNumber(call, 'page', 1, Number.MAX_SAFE_INTEGER);
  const shown = items.slice((page - 1) * perPage, page * perPage).map(show);
  return {
    data: shown,
    meta: {
      pagination: {
        total: items.length,
        count: shown.length,
        per_page: perPage,
        current_page: page,
        total_pages: Math.max(1, Math.ceil(items.length / perPage)),
      },
    },
  };
}

function wholeNumber({ query }: Call, name: string, absent: number, max: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw badRequest({ [name]: [`${name} must be a whole number from 1 to ${max}.`] });
  return value;
}
