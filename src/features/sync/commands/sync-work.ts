import { aimOf } from '../../../app/open-service.ts';
import { isAlone } from '../../../cli/client/imports.ts';
import { currentUser } from '../../../cli/client/local-client.ts';
import { sendFile } from '../../../cli/client/send-file.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import { givenFile, importOptionsOf } from '../../../cli/import-file.ts';
import { ownImports } from '../../../cli/owner.ts';
import { type Doing, type Here, type Running, run, sayNothingBegan, type Work } from '../../../cli/run.ts';
import { followImport, followSteps } from '../../../cli/screen/follow.ts';
import { fileStateOf } from '../../../imports/read/byte-source.ts';
import { isFinal, isUnderWay } from '../../../membership/import-state.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import type { Config } from '../../../platform/config.ts';
import { type Handled, handled } from '../../../server/perform.ts';
import type { SyncView } from '../api.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { decisionOf, reserveSync, syncReadingOf } from '../kept-sync.ts';
import { syncOperations } from '../operations.ts';
import { syncFileOperations, syncHandlers, syncMaking } from '../routes/sync-handlers.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import { findKept, syncsOf } from './sync-client.ts';
import { choicesOf, decidingQuery, type SyncFileFlags } from './sync-flags.ts';
import { concludeSync, planningLine, printPlan, type Shown, type ShownFlags } from './sync-outcome.ts';

/** Runs the sync that an import carries out, if it does: the sync must know of the import's end. */
export function runSyncOf({ dir }: Config, io: Running['io'], id: string, here: Here) {
  if (findKept(dir, id) !== undefined) composeSyncs({ ...here, stage: io.reading?.stage });
}

export interface SyncWork extends Pick<Work, 'begin' | 'beginLines'> {
  /** Opens what else this process does, with its syncs. */
  readonly opens?: (here: Here, syncs: SyncRunner) => Promise<Handled>;
  /** Shows its plan when it is made. */
  readonly isNew: boolean;
}

/** A sync that a command begins or continues, and follows until nothing more happens to it by itself. */
export function syncWork(
  running: Running,
  { markdown, planCsv }: ShownFlags,
  { begin, beginLines, isNew, opens }: SyncWork,
): Work {
  const { config, io, imports, json } = running;
  const shown: Shown = { ...running, syncs: syncsOf(config, imports), markdown, planCsv };
  const show = (id: string) => `  ${imports.command('sync', 'show', id)}`;
  let own: SyncRunner | undefined;
  let carrying: string | null = null;
  let isCancelled = false;
  return {
    open: async (here) => {
      own = composeSyncs({ ...here, stage: io.reading?.stage });
      const parts = { dir: here.dir, syncs: own };
      const all = [handled(syncOperations, syncHandlers(parts)), handled(syncFileOperations, syncMaking(parts))];
      if (opens) all.push(await opens(here, own));
      return ownImports(here, all);
    },
    begins: 'the sync to begin',
    beginLines,
    begin,
    named: (id) => `Sync ${id}`,
    follow: async (doing, id) => {
      const { imports, signal } = doing;
      const planned = await settled(running, doing, id, isBeingPlanned);
      ({ importId: carrying } = planned);
      if (isNew && !json && !markdown) await printPlan(shown.syncs, io, planned);
      if (planned.state === 'applying' && carrying !== null) {
        await followImport(io, imports, carrying, { signal, sentBefore: 0 });
        // The sync ends just after its import.
        const { state } = await imports.one(carrying);
        if (isFinal(state)) await settled(running, doing, id, ({ state }) => isSyncUnderWay(state));
      }
      if (!signal.aborted || !(await isRunning(doing, id))) return 'over';
      // Otherwise a server that continues unfinished work would carry it out later.
      if (own !== undefined && own.find(id).importId === null) {
        own.cancel(id, currentUser());
        isCancelled = true;
      }
      return 'left';
    },
    howToContinue: (id) => ['See how far it came:', show(id)],
    howToFollow: (id, where) => {
      const cancel = carrying === null ? [] : [`  ${imports.command('cancel', carrying)}`];
      const or = carrying === null ? '' : ', or cancel it,';
      return [`Sync ${id} continues ${where}. See how far it is${or} with:`, show(id), ...cancel];
    },
    conclude: async ({ id }) => {
      const code = await concludeSync(shown, id);
      return isCancelled ? EXIT.interrupted : code;
    },
  };
}

/** Begins the sync of a file: sent to a server, or planned by this process. */
export async function planOf(
  running: Running,
  file: string,
  flags: SyncFileFlags,
): Promise<Pick<SyncWork, 'begin' | 'beginLines'>> {
  const { config, io, imports } = running;
  const { server } = imports;
  if (server !== undefined) {
    return {
      begin: async ({ signal }) =>
        sendFile(running, {
          signal,
          server,
          file,
          flags,
          operation: syncOperations.create,
          more: await decidingQuery(flags, true),
          mustBeWhole: true,
          howToSee: imports.command('sync', 'list'),
        }),
    };
  }
  const decision = decisionOf(await choicesOf(flags));
  const check = (path: string) => fileStateOf(path, path);
  const chosen = importOptionsOf(config, flags);
  const { lines, obtain } = await givenFile(running, file, flags, { chosen, check, mustBeWhole: true });
  const { dir } = config;
  return {
    beginLines: lines,
    begin: async ({ client, signal }) => {
      const id = await reserveSync(dir);
      const found = await obtain(dir.sync(id), signal);
      if (found === undefined) return sayNothingBegan(io);
      const { name, from: source, options, lookups } = found;
      const reading = syncReadingOf(options, lookups);
      const wanted = { id, file: name, source, reading, create: options.create, ...decision };
      // Runs are compared by their source.
      return client.call(syncFileOperations.create, { ...wanted, ...aimOf(config, options) });
    },
  };
}

/** Whether it is being planned, or looked at again before its import begins. */
function isBeingPlanned({ state, importId }: SyncView) {
  return state === 'planning' || (state === 'applying' && importId === null);
}

/** Whether it is under way: it is planned, or an import carries it out. */
async function isRunning({ client, imports }: Doing, id: string) {
  const { state, importId } = await client.call(syncOperations.one, { id });
  if (!isSyncUnderWay(state)) return false;
  return importId === null || isUnderWay((await imports.one(importId)).state);
}

function settled({ io }: Running, { client, imports, signal }: Doing, id: string, goesOn: (sync: SyncView) => boolean) {
  return followSteps({
    id,
    io,
    imports,
    signal,
    goesOn,
    look: () => client.call(syncOperations.one, { id }),
    linesOf: ({ planning }) => (planning ? [planningLine(planning)] : []),
    begins: 'the planning to begin',
  });
}

/** Has a sync planned or carried out, and follows it. @param check refuses what this process may not do */
export async function doneHereOrThere(
  running: Running,
  flags: ShownFlags,
  operation: (typeof syncOperations)['apply' | 'approve' | 'undo' | 'expire'],
  input: { readonly id?: string },
  check?: () => void,
) {
  const { io, imports } = running;
  if (await isAlone(imports)) check?.();
  const begin: SyncWork['begin'] = async ({ client }) => {
    await imports.saySendsTo(io);
    return client.call(operation, input);
  };
  const isNew = operation === syncOperations.undo || operation === syncOperations.expire;
  return run(running, syncWork(running, flags, { begin, isNew }));
}
