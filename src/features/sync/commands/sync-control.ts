import { z } from 'zod';
import { noteHere } from '../../../cli/audit.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { askOwner, readAnswer } from '../../../imports/life/control-socket.ts';
import { SYNC_STATES, type SyncState } from '../../../membership/sync-state.ts';
import { type DataDir, dataDir } from '../../../platform/data-dir.ts';

/** Stored plans are decided about by the server that uses the data directory, if one runs, else by the command. */

type Verb = 'apply' | 'approve' | 'reject';

const decided = z.object({ state: z.enum(SYNC_STATES) });

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
