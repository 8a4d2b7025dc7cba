import { Command } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { syncOperations } from '../operations.ts';
import { type DecidingFlags, decidingQuery, type PlanningFlags, withDeciding, withPlan } from './sync-flags.ts';
import { doneHereOrThere, openRunningSyncs } from './sync-work.ts';

type Flags = RunningFlags & DecidingFlags & PlanningFlags;

/** `rollcall expire`: plans the removal of members whose memberships are over, and carries it out with `--apply`. */
export function expireCommand(action: Action) {
  return withRunning(withPlan(withDeciding(new Command('expire')))).action(action(expire));
}

async function expire(io: Io, flags: Flags) {
  const at = await openRunningSyncs(io, flags);
  const query = await decidingQuery(flags, at.running.imports.server !== undefined);
  return doneHereOrThere(at, syncOperations.expire, Object.fromEntries(query));
}
