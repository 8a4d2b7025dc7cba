/** The words of rollcall as types (docs/glossary.md), with those of the service. */
import { SCOPES, type Scope } from '../chat/service/lists.ts';
import type { Region } from '../chat/service/regions.ts';

export { foldId } from '../chat/service/limits.ts';
export { isScope, SCOPES, type Scope } from '../chat/service/lists.ts';
export { isRegion, REGIONS, type Region } from '../chat/service/regions.ts';

/** The action that a row asks for. All but `add` is for files of changes only: those of a sync, and with `--actions`. */
export const ACTIONS = ['add', 'change', 'remove', 'unban'] as const;
export type Action = (typeof ACTIONS)[number];

/** Meanings of a word in a scope column: a scope, or `none` for no membership. */
export const SCOPE_MEANINGS = [...SCOPES, 'none'] as const;
export type ScopeMeaning = (typeof SCOPE_MEANINGS)[number];
/** Meanings of a word in an action column: `none` leaves the row out. */
export const ACTION_MEANINGS = ['add', 'change', 'remove', 'ban', 'unban', 'none'] as const;

/** One membership that the input asks for. UID and GUID are kept as written and compare without regard to case. */
export interface Membership {
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** Ignored when the action removes the member. */
  readonly scope: Scope;
  /** UID of the acting user; empty when the service itself acts. */
  readonly onBehalfOf: string;
  /** The time at which the member joined, in seconds since 1970: only in an import that is sent in silence. Absent: now. */
  readonly joinedAt?: number;
  /** Absent: `add`, as in every ordinary import. */
  readonly action?: Action;
  /** The time at which it ends, in ms since 1970. Absent: it does not end. */
  readonly until?: number;
}

/** The fields of a membership that an input may have columns for. */
export const FIELDS = ['region', 'guid', 'uid', 'scope', 'onBehalfOf', 'joinedAt', 'until'] as const;
export type Field = (typeof FIELDS)[number];
