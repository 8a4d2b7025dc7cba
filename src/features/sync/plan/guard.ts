import type { PlanFlags } from '../../../api/sync-entry.ts';
import type { Region } from '../../../membership/membership.ts';
import { grouped } from '../../../text/wording.ts';
import type { PlanGroup } from '../api-plan.ts';
import type { Limits } from '../guard-limits.ts';
import type { PlanCreating, PlanFacts } from './plan-reading.ts';
import type { PreviousRun } from './previous-run.ts';

/** Facts for the guards. */
export interface GuardFacts {
  readonly mode: PlanFlags['mode'];
  readonly source: Pick<PlanFacts, 'rows' | 'invalid' | 'fields'>;
  readonly groups: readonly PlanGroup[];
  /** Absent where nothing may be created. */
  readonly creating?: PlanCreating | undefined;
  /** Absent where this is the first run. */
  readonly previous?: PreviousRun | undefined;
}

/** An objection; the guard's name and remedy are added to it. */
export interface Objection {
  readonly region?: Region;
  readonly guid?: string;
  readonly value: number;
  readonly limit: number;
  /** A sentence without its full stop. */
  readonly what: string;
}

export interface Guard {
  readonly name: string;
  /** The danger that it guards against, in a sentence. */
  readonly meaning: string;
  readonly modes: ReadonlySet<PlanFlags['mode']>;
  /** The advice after an objection. */
  readonly remedy: string;
  /** @param first limits for what has no run before to be compared with */
  readonly check: (facts: GuardFacts, limits: Limits, first: Limits) => readonly Objection[];
  /** For an undo, only groups that others have changed since are checked: in the rest it only takes back its own. */
  readonly sparesOwn?: true;
}

export const ALL = new Set<PlanFlags['mode']>(['add', 'mirror', 'undo']);
export const WITH_FILE = new Set<PlanFlags['mode']>(['add', 'mirror']);
export const MIRROR = new Set<PlanFlags['mode']>(['mirror']);

export const LOOK = 'Look at the plan: approve it if it is right, fix the file if it is not';
export const GET_WHOLE_FILE = 'Make sure that the file is complete, and approve the plan if it is';

export function share(whole: number, percent: number): number {
  return percent === Number.POSITIVE_INFINITY ? percent : Math.floor((whole * percent) / 100);
}

export function percentOf(part: number, whole: number): string {
  return `${grouped(Number(((part / whole) * 100).toFixed(1)))} %`;
}

export function allowed(limit: number): string {
  if (limit === 0) return 'none is allowed';
  return limit === 1 ? '1 is allowed' : `${grouped(limit)} are allowed`;
}
