import { askedHere } from '../../../cli/audit.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { importWork } from '../../../cli/import-work.ts';
import type { Doing, Here, Running, Work } from '../../../cli/run.ts';
import { conclude } from '../../../cli/screen/conclude.ts';
import { followImport } from '../../../cli/screen/follow.ts';
import { createChecks } from '../checks.ts';
import { checkOperations } from '../operations.ts';
import { checkHandlers } from '../routes.ts';
import { concludeCheck } from './check-outcome.ts';
import { checkedOf } from './checked.ts';
import { makeCheck } from './make-check.ts';

interface Checking extends Pick<Work, 'begin' | 'begins' | 'beginLines'> {
  readonly json: boolean;
  /** Calls that may be made without asking. */
  readonly maxCalls: number;
}

/** An import that is read where it is not yet, and then checked; nothing is sent. */
export function checkWork(running: Running, checking: Checking): Work {
  const { config, io, imports } = running;
  const { json, maxCalls } = checking;
  let isRead = false;
  let fault: unknown;
  const open = ({ coordinator, dir, service: { apps, anybodyActs }, onStop }: Here) => {
    const checks = createChecks({ dir, coordinator, apps, pace: config, anybodyActs });
    onStop(() => checks.stop());
    const onError = (error: unknown) => {
      fault = error;
    };
    const handlers = checkHandlers({ coordinator, dir, checks, onError });
    return handledLocally(checkOperations, handlers, askedHere(dir, coordinator.sendsTo));
  };
  const follow = async ({ client, imports, signal, here }: Doing, id: string) => {
    // Killed while it was read, perhaps.
    if (here?.coordinator.find(id).state === 'staging') here.coordinator.stage(id);
    if ((await imports.one(id)).state === 'staging') {
      if ((await followImport(io, imports, id, { signal })) === 'left') return 'left';
    }
    if ((await imports.one(id)).state === 'rejected') return 'over';
    isRead = true;
    const { callsPerMinute } = config;
    try {
      const known = here && { callsPerMinute };
      const { underWay } = await makeCheck({ io, client, imports, id, maxCalls, signal, ...known });
      if (underWay) return 'left';
    } catch (error) {
      if (signal.aborted) return 'left';
      throw error;
    }
    if (fault !== undefined) throw fault;
    return 'over';
  };
  const check = (id: string) => `  ${imports.command('check', id)}`;
  const { named: _, ...work } = importWork(running, checking);
  return {
    ...work,
    open,
    follow,
    howToContinue: (id) => ['Continue with:', check(id)],
    howToFollow: (id, { url }) =>
      isRead
        ? [`The check continues at ${url}. Follow it with:`, check(id)]
        : ['The server reads the file and sends nothing. Check it with:', check(id)],
    conclude: async ({ id }) => {
      if (!isRead) return conclude(imports, io, id, json);
      const { sandbox } = await imports.find(id);
      return concludeCheck({ io, imports, id, json, sandbox, checked: await checkedOf(config, imports, id) });
    },
  };
}
