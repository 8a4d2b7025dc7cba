import { SCOPES } from './membership.ts';

/** Meanings of a word in a scope column: a scope, or `none` for no membership. */
export const SCOPE_MEANINGS = [...SCOPES, 'none'] as const;
/** Meanings of a word in an action column: `none` leaves the row out. */
export const ACTION_MEANINGS = ['add', 'change', 'remove', 'ban', 'unban', 'none'] as const;
