import { Command } from 'commander';
import { entriesOf } from '../../../cli/client/operation-client.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type CommonFlags, type RunningFlags, withJson, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { withOptions } from '../../../cli/flags/option-flags.ts';
import { openRunning } from '../../../cli/run.ts';
import { type Io, printJson, printTable, say } from '../../../cli/screen/io.ts';
import { ENDING } from '../../../options/deciding-options.ts';
import { type Given, textsOf } from '../../../options/option.ts';
import { syncOperations } from '../operations.ts';
import { openSyncs } from './sync-client.ts';
import { type DecidingFlags, decidingQuery, type PlanningFlags, withDeciding, withPlan } from './sync-flags.ts';
import { doneHereOrThere } from './sync-work.ts';

type Flags = CommonFlags & Given<typeof ENDING>;

const MAX_OF_PAGE = 1_000;

/** `rollcall expiring`: memberships that end, the first to end first. */
export function expiringCommand(action: Action) {
  return withServer(withJson(withOptions(new Command('expiring'), ENDING))).action(action(expiring));
}

async function expiring(io: Io, flags: Flags) {
  const { imports, syncs } = await openSyncs(flags);
  const found = await entriesOf(async (size, cursor) => {
    const input = { ...Object.fromEntries(textsOf(ENDING, flags)), limit: `${size}`, cursor };
    const page = await syncs.client.call(syncOperations.ending, input);
    return { ...page, entries: page.memberships };
  }, MAX_OF_PAGE);
  if (flags.json) printJson(io, found);
  else if (found.length === 0) say(io, `No membership ends ${imports.place()}.`);
  else {
    const rows = found.map(({ until, region, guid, uid, by }) => [until, region, guid, uid, by]);
    printTable(io, ['until', 'region', 'group', 'user', 'by'], rows);
  }
}

/** `rollcall expire`: plans the removal of members whose memberships are over, and carries it out with `--apply`. */
export function expireCommand(action: Action) {
  return withRunning(withPlan(withDeciding(new Command('expire')))).action(action(expire));
}

async function expire(io: Io, flags: RunningFlags & DecidingFlags & PlanningFlags) {
  const running = await openRunning(io, flags);
  const query = await decidingQuery(flags, running.imports.server !== undefined);
  return doneHereOrThere(running, flags, syncOperations.expire, Object.fromEntries(query));
}
