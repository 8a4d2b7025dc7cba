import { openThread } from '../../../platform/threads.ts';
import type { SyncFlags } from '../plan-flags.ts';
import { makePlan, makeUndoPlan } from './plan.ts';
import type { PlanLedger } from './plan-ledger.ts';

/** The basis of a plan: the staged file at `from`, or the ledger of the import to undo. */
export interface Decision {
  readonly kind: 'file' | 'undo';
  readonly from: string;
  /** Ledgers of later imports, for an undo. */
  readonly later?: readonly string[];
  readonly flags: SyncFlags;
  /** Whether it is noted who may not exist. */
  readonly newcomers?: boolean;
}

/** Maximum number of members and rows whose decision takes less time than starting a thread for it. */
const MAX_INLINE_PEOPLE = 20_000;

/** Makes the plan at `path`, which is open as `plan`, again. A big one is made in a thread: it would hold up the process. */
export async function decide(plan: PlanLedger, path: string, decision: Decision): Promise<void> {
  const people = plan.groups().reduce((sum, { members, wanted }) => sum + members + wanted, 0);
  if (people <= MAX_INLINE_PEOPLE) decideInline(plan, decision);
  else await decideInThread(path, decision);
}

export function decideInline(plan: PlanLedger, { kind, from, later, flags, newcomers }: Decision): void {
  if (kind === 'undo') makeUndoPlan(plan, from, flags, later);
  else makePlan(plan, from, flags, newcomers);
}

/** The thread that makes one big plan, at `path`. */
export type DecideThread = { decide: (task: { readonly path: string; readonly decision: Decision }) => void };

/** Rejects with what making the plan throws. */
export function decideInThread(path: string, decision: Decision): Promise<void> {
  return openThread<DecideThread>(import.meta.url, './decide-thread').askOnce('decide', { path, decision });
}
