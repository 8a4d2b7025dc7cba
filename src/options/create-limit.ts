import type { CreateBound, CreateOptions, MaxCreate } from './create-options.ts';

/** Most users and groups that an import creates, unless more are allowed. Without zod, which no thread with a ledger loads. */
export const DEFAULT_MAX_CREATE = { users: { count: 100 }, groups: { count: 10 } } as const satisfies MaxCreate;

/** Most that may be created out of `known`, the users or groups that the input names. */
export function createLimit(bound: CreateBound, known: () => number) {
  return 'count' in bound ? bound.count : Math.floor((known() * bound.percent) / 100);
}

/** More users or groups are missing than may be created. */
export interface OverLimit {
  readonly kind: 'user' | 'group';
  readonly missing: number;
  readonly limit: number;
}

/** Limits that this many missing users and groups would exceed. @param known counts those that the input names */
export function overLimits(
  { users, groups, reactivate, max }: CreateOptions,
  missing: Readonly<Record<'users' | 'groups', number>>,
  known: (name: 'users' | 'groups') => number,
): OverLimit[] {
  return (['user', 'group'] as const).flatMap((kind) => {
    const name = `${kind}s` as const;
    if (missing[name] === 0 || !(kind === 'group' ? groups : users || reactivate)) return [];
    const limit = createLimit(max[name] ?? DEFAULT_MAX_CREATE[name], () => known(name));
    return missing[name] > limit ? [{ kind, missing: missing[name], limit }] : [];
  });
}
