import { Command } from 'commander';
import { type Action, EXIT } from '../../../cli/exit-codes.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { run } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { syncOperations } from '../operations.ts';
import { type DecidingFlags, decidingQuery, type PlanningFlags, withDeciding, withPlan } from './sync-flags.ts';
import { askedOwner, openRunningSyncs, syncWork } from './sync-work.ts';

type Flags = RunningFlags & DecidingFlags & PlanningFlags;

/** `rollcall expire`: plans the removal of members whose memberships are over, and carries it out with `--apply`. */
export function expireCommand(action: Action) {
  return withRunning(withPlan(withDeciding(new Command('expire')))).action(action(expire));
}

async function expire(io: Io, flags: Flags) {
  const at = await openRunningSyncs(io, flags);
  const { running, shown } = at;
  const { imports } = running;
  const [first] = (await shown.syncs.client.call(syncOperations.ending, { limit: '1' })).memberships;
  if (first === undefined || Date.parse(first.until) > Date.now()) {
    say(io, 'No membership is over.');
    return EXIT.ok;
  }
  const input = Object.fromEntries(await decidingQuery(flags, imports.server !== undefined));
  return (
    (await askedOwner(at, syncOperations.expire, input)) ??
    run(
      running,
      syncWork(running, {
        begin: async ({ client }) => {
          await imports.saySendsTo(io);
          return client.call(syncOperations.expire, input);
        },
        shown,
        isNew: true,
      }),
    )
  );
}
