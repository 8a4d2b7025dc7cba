import type { CreateBound, MaxCreate } from './create-options.ts';

/** Most users and groups that an import creates, unless more are allowed. Without zod, which no thread with a ledger loads. */
export const DEFAULT_MAX_CREATE = { users: { count: 100 }, groups: { count: 10 } } as const satisfies MaxCreate;

/** Most that may be created out of `known`, the users or groups that the input names. */
export function createLimit(bound: CreateBound, known: () => number) {
  return 'count' in bound ? bound.count : Math.floor((known() * bound.percent) / 100);
}
