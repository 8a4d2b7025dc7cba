import { z } from 'zod';
import { noteHere } from '../../../cli/audit.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { askOwner, type ControlHandler, readAnswer } from '../../../imports/life/control.ts';
import { SYNC_STATES, type SyncState } from '../../../membership/sync-state.ts';
import { type DataDir, dataDir } from '../../../platform/data-dir.ts';
import type { SyncRunner } from '../run/runner-port.ts';

/** Stored plans are decided about by the server that uses the data directory, if one runs, else by the command. */

type Verb = 'apply' | 'approve' | 'reject';

const decision = z.object({ who: z.string(), reason: z.string().default('') });
const decided = z.object({ state: z.enum(SYNC_STATES) });

/** How a server answers its commands. */
export function syncControl(syncs: SyncRunner): ControlHandler {
  return (method, [first, id = '', verb], body) => {
    if (method !== 'POST' || first !== 'syncs') return undefined;
    const decide = (act: (who: string, reason: string) => unknown) => {
      const { who, reason } = decision.parse(body);
      return Promise.resolve().then(() => act(who, reason));
    };
    if (verb === 'apply') return decide((who) => syncs.apply(id, who));
    if (verb === 'approve' || verb === 'reject') return decide((who, reason) => syncs[verb](id, who, reason));
    return undefined;
  };
}

/** Has the owner of the data directory do it, and notes it; undefined when there is none. @throws ControlRefused */
export async function askToDecide(
  root: string,
  id: string,
  verb: Verb,
  given: { readonly reason?: string | undefined; readonly note: string },
): Promise<SyncState | undefined> {
  const dir: DataDir = dataDir(root);
  const asked = { who: currentUser(), reason: given.reason };
  const answer = readAnswer(decided, await askOwner(dir, 'POST', `/syncs/${encodeURIComponent(id)}/${verb}`, asked));
  if (answer !== undefined) noteHere(dir, `sync.${verb}`, id, given.note);
  return answer?.state;
}
