import type { Call } from './call.ts';
import type { FaultKind } from './faults.ts';
import { badRequest } from './refusal.ts';

/** Documented: 100 items per page where nothing is asked for, 1,000 at most. */
const DEFAULT_PER_PAGE = 100;
const MAX_PER_PAGE = 1000;

/** Cuts the page that the query asks for (`perPage`, `page`) out of a list, in the service's envelope. */
export function pageOf<T>(call: Call, items: readonly T[], show: (item: T) => object): object {
  const perPage = wholeNumber(call, 'perPage', DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = wholeNumber(call, 'page', 1, Number.MAX_SAFE_INTEGER);
  const from = call.fault === 'repeat-page' ? 0 : (page - 1) * perPage;
  const shown = spoilt(call.fault, items.slice(from, from + perPage)).map(show);
  if (call.behaviour.pagination === 'absent') return { data: shown };
  const isRight = call.behaviour.pagination === 'right';
  return {
    data: shown,
    meta: {
      pagination: {
        total: isRight ? items.length : 0,
        count: call.behaviour.pagination === 'sample' ? shown.length + 1 : shown.length,
        per_page: perPage,
        current_page: page,
        total_pages: isRight ? Math.max(1, Math.ceil(items.length / perPage)) : 1,
      },
    },
  };
}

function spoilt<T>(fault: FaultKind | undefined, page: readonly T[]): readonly T[] {
  if (fault === 'empty-page') return [];
  return fault === 'short-page' ? page.slice(0, page.length >> 1) : page;
}

function wholeNumber({ query }: Call, name: string, absent: number, max: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw badRequest({ [name]: [`${name} must be a whole number from 1 to ${max}.`] });
  return value;
}
