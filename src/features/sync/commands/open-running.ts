import { serviceOpener } from '../../../app/open-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { RunningFlags, ServerFlags } from '../../../cli/flags/flags.ts';
import type { Running } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import type { syncOperations } from '../operations.ts';
import { openSyncs } from './sync-client.ts';
import { documentOf, type Shown } from './sync-outcome.ts';

/** The place of a command that has a sync planned or carried out, and the way in which it shows it. */
interface RunningSyncs {
  readonly running: Running;
  readonly shown: Shown;
}

/** @throws as openImports */
export async function openRunning(
  io: Io,
  flags: RunningFlags & ServerFlags & Pick<Shown, 'markdown' | 'planCsv'>,
): Promise<RunningSyncs> {
  const { config, imports, syncs } = await openSyncs(flags);
  const running = { config, io, imports, openService: async () => serviceOpener(config, flags)() };
  const shown = { io, syncs, json: flags.json === true, markdown: flags.markdown, planCsv: flags.planCsv };
  return { running, shown };
}

/** Has the server that owns the data directory do it, and says how to follow it; undefined where none does. @throws RollcallError as it refuses */
export async function askedOwner(
  { running: { config, io, imports }, shown: { syncs, json } }: RunningSyncs,
  operation: (typeof syncOperations)['apply' | 'approve' | 'undo'],
  input: { readonly id: string },
): Promise<ExitCode | undefined> {
  if (imports.server !== undefined) return undefined;
  const asked = await askOwner(dataDir(config.dataDir), operation, input, currentUser());
  if (asked === undefined) return undefined;
  const { id, state } = asked;
  if (json) io.out.write(`${JSON.stringify(await documentOf(syncs, await syncs.find(id)))}\n`);
  const does = state === 'planning' ? 'plans' : 'carries out';
  say(io, `The server that uses the data directory ${does} sync ${id}. See how far it is with:`);
  say(io, `  ${imports.command('sync', 'show', id)}`);
  return EXIT.ok;
}
