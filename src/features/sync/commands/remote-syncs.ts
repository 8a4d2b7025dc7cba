import { readingQuery, sendFile } from '../../../cli/client/send-file.ts';
import type { Server, Upload } from '../../../cli/client/server-client.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { Expected } from '../../../cli/fetched-file.ts';
import { followImport, followSteps } from '../../../cli/screen/follow.ts';
import { say } from '../../../cli/screen/io.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import { isFinal, isUnderWay } from '../../../membership/import-state.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { decidingQuery } from './sync-flags.ts';
import { concludeSync, planningLine, type Shown, showPlan } from './sync-outcome.ts';
import type { SyncRuns, Syncs } from './target-syncs.ts';

interface Options extends Shown {
  readonly server: Server;
}

/** Syncs that a server plans and carries out: begun there, and followed to their end. */
export function remoteSyncRuns(options: Options): SyncRuns {
  const { io, syncs, server } = options;
  const { imports } = syncs;
  return {
    plan: async (file, flags) => {
      const query = await readingQuery(file, flags);
      for (const [name, value] of await decidingQuery(flags)) query.append(name, value);
      const make = async (upload: Upload, expected: Expected) => {
        for (const [name, value] of Object.entries(expected)) query.set(name, `${value}`);
        return (await server.upload(syncOperations.create, query, upload)).id;
      };
      const sent = await sendFile({
        io,
        imports,
        server,
        file,
        flags,
        make,
        mustBeWhole: true,
        howToSee: imports.command('sync', 'list'),
      });
      return 'code' in sent ? sent.code : follow(options, sent.id, true);
    },
    undo: async (id, flags) => {
      const query = await decidingQuery(flags);
      await imports.saySendsTo(io);
      const texts = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
      const { id: made } = await server.call(syncOperations.undo, { ...texts, id });
      return follow(options, made, true);
    },
    carryOut: async (id, reason) => {
      await imports.saySendsTo(io);
      if (reason === undefined) await server.call(syncOperations.apply, { id });
      else await server.call(syncOperations.approve, { id, reason });
      return follow(options, id);
    },
    reject: async (id, reason) => void (await server.call(syncOperations.reject, { id, reason })),
  };
}

/**
 * Follows a sync until nothing more happens to it by itself; ends as if it had run in this process. Ctrl-C only stops
 * watching. @param isNew whether its plan is still to be shown
 */
async function follow(options: Options, id: string, isNew = false): Promise<ExitCode> {
  const { io, syncs, server } = options;
  const { imports } = syncs;
  const signal = firstSignal(EXIT.stillRunning);
  say(io, `Sync ${id} runs on the server at ${server.url}; Ctrl-C leaves it running.`);
  try {
    const planned = await settled(options, id, signal.signal, ({ state, importId }) => {
      return state === 'planning' || (state === 'applying' && importId === null);
    });
    if (isNew && planned.totals !== null) await showPlan(options, id);
    if (planned.state === 'applying' && planned.importId !== null) {
      await followImport(io, imports, planned.importId, { signal: signal.signal, begins: true });
      const rested = await imports.find(planned.importId);
      // The sync ends just after its import.
      if (isFinal(rested.state)) await settled(options, id, signal.signal, ({ state }) => isSyncUnderWay(state));
    }
    const isCarriedOut = planned.importId !== null;
    if (signal.signal.aborted && (await isRunning(syncs, id))) {
      say(
        io,
        '',
        `Sync ${id} continues at ${server.url}. See how far it is${isCarriedOut ? ', or cancel it,' : ''} with:`,
      );
      say(io, `  ${imports.command('sync', 'show', id)}`);
      if (isCarriedOut) say(io, `  ${imports.command('cancel', id)}`);
      return EXIT.stillRunning;
    }
  } finally {
    signal.ignore();
  }
  return concludeSync(options, id);
}

/** Whether the server still works on a sync: it plans it, or an import carries it out. */
async function isRunning({ find, imports }: Syncs, id: string): Promise<boolean> {
  const { state, importId } = await find(id);
  if (!isSyncUnderWay(state)) return false;
  return importId === null || isUnderWay((await imports.find(importId)).state);
}

function settled(
  { io, server, syncs: { imports } }: Options,
  id: string,
  signal: AbortSignal,
  goesOn: (sync: SyncView) => boolean,
): Promise<SyncView> {
  return followSteps({
    io,
    imports,
    signal,
    goesOn,
    look: async () => {
      const sync = await server.call(syncOperations.one, { id });
      // A sync names its import just before that begins.
      const isThere = sync.importId === null || (await hasBegun(imports, sync.importId));
      return isThere ? sync : { ...sync, importId: null };
    },
    linesOf: ({ planning }) => (planning ? [planningLine(planning)] : []),
    begins: 'the planning to begin',
  });
}

async function hasBegun(imports: Syncs['imports'], id: string): Promise<boolean> {
  try {
    await imports.find(id);
    return true;
  } catch (error) {
    if (error instanceof RollcallError && error.code === 'UNKNOWN_IMPORT') return false;
    throw error;
  }
}
