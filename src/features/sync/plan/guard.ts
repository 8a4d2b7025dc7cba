import type { Region } from '../../../membership/membership.ts';
import type { PlanGroup } from '../api-plan.ts';
import type { Limits } from '../guard-limits.ts';
import type { PlanFlags } from '../plan-flags.ts';
import type { PlanCreating, PlanFacts } from './plan-reading.ts';
import type { PreviousRun } from './previous-run.ts';

/** What the guards look at. */
export interface GuardFacts {
  readonly mode: PlanFlags['mode'];
  readonly source: Pick<PlanFacts, 'rows' | 'invalid' | 'fields'>;
  readonly groups: readonly PlanGroup[];
  /** Absent where nothing may be created. */
  readonly creating?: PlanCreating | undefined;
  /** Absent where this is the first run. */
  readonly previous?: PreviousRun | undefined;
}

/** What was found; the guard's name and remedy are put to it. */
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
  /** What it watches for, in a sentence. */
  readonly meaning: string;
  readonly modes: ReadonlySet<PlanFlags['mode']>;
  /** What to do when it objects. */
  readonly remedy: string;
  readonly check: (facts: GuardFacts, limits: Limits) => readonly Objection[];
  /** Of an undo it looks only at groups in which others have done something since: else it only takes back its own. */
  readonly sparesOwn?: true;
}
