import type { Region } from '../../../membership/membership.ts';
import type { PlanGroup } from '../api-plan.ts';
import type { Limits } from '../guard-limits.ts';
import type { PlanFlags } from '../plan-flags.ts';
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
  readonly check: (facts: GuardFacts, limits: Limits) => readonly Objection[];
  /** For an undo, only groups that others have changed since are checked: in the rest it only takes back its own. */
  readonly sparesOwn?: true;
}
