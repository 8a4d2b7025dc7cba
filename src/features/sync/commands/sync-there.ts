import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { CreateFlags } from '../../../cli/flags/create-flags.ts';
import type { ExpectRowsFlags, ReadingFlags } from '../../../cli/flags/reading-flags.ts';
import type { RecipeFlags } from '../../../cli/flags/recipe-flags.ts';
import type { ShapeFlags } from '../../../cli/flags/shape-flags.ts';
import type { SourceFlags } from '../../../cli/flags/source-flags.ts';
import { followImport } from '../../../cli/screen/follow.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { readingQuery, sendFile } from '../../../cli/target/send-file.ts';
import type { Server, Upload } from '../../../cli/target/server-client.ts';
import { untilSettled } from '../../../cli/target/settled.ts';
import { isFinal, isUnderWay } from '../../../membership/import-state.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { textsOf } from '../../../options/option.ts';
import { REPORTING, type ReportingChoices } from '../../../options/sending-options.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { planningLine } from './planning-line.ts';
import { decidingQuery, type ModeFlags, type PlanFlags } from './sync-flags.ts';
import { concludeSync, printPlan, writePlan } from './sync-outcome.ts';
import type { Syncs } from './sync-target.ts';

/** Syncs that a server plans and carries out: begun there, and followed to their end. */

export interface SyncThereOptions {
  readonly io: Io;
  readonly syncs: Syncs;
  readonly server: Server;
  readonly json: boolean;
  /** Whether plan and result are printed as Markdown, in place of text. */
  readonly markdown?: boolean | undefined;
  /** The path at which the plan is written as CSV; undefined: it is not written. */
  readonly planCsv?: string | undefined;
}

type Flags = SourceFlags &
  ReadingFlags &
  ExpectRowsFlags &
  CreateFlags &
  RecipeFlags &
  ShapeFlags &
  ReportingChoices &
  ModeFlags &
  PlanFlags;

/** Sends a file to a server, which plans a sync of it, and follows the sync. */
export async function syncThere(options: SyncThereOptions, file: string, flags: Flags): Promise<ExitCode> {
  const { syncs, server } = options;
  const query = readingQuery(file, flags);
  for (const [name, value] of await decidingQuery(flags)) query.append(name, value);
  for (const [name, value] of textsOf(REPORTING, flags)) query.append(name, value);
  const make = async (upload: Upload) => (await server.upload(syncOperations.create, query, upload)).id;
  const sent = await sendFile({ ...options, file, flags, make, howToSee: syncs.imports.command('sync', 'list') });
  return 'code' in sent ? sent.code : followSyncThere(options, sent.id, true);
}

/**
 * Follows a sync until nothing more happens to it by itself; ends as if it had run in this process. Ctrl-C only stops
 * watching. @param isNew whether its plan is still to be shown
 */
export async function followSyncThere(options: SyncThereOptions, id: string, isNew = false): Promise<ExitCode> {
  const { io, syncs, server, json, markdown, planCsv } = options;
  const { imports } = syncs;
  const signal = firstSignal(EXIT.stillRunning);
  say(io, `Sync ${id} runs on the server at ${server.url}; Ctrl-C leaves it running.`);
  try {
    const planned = await settled(options, id, signal.signal, ({ state, importId }) => {
      return state === 'planning' || (state === 'applying' && importId === null);
    });
    if (isNew && !json && !markdown && planned.totals !== null) await printPlan(syncs, io, id);
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
  if (planCsv !== undefined) await writePlan(syncs, id, planCsv);
  return concludeSync(syncs, io, id, json, markdown);
}

/** Whether the server still works on a sync: it plans it, or an import carries it out. */
async function isRunning({ find, imports }: Syncs, id: string): Promise<boolean> {
  const { state, importId } = await find(id);
  if (!isSyncUnderWay(state)) return false;
  return importId === null || isUnderWay((await imports.find(importId)).state);
}

function settled(
  { io, server }: SyncThereOptions,
  id: string,
  signal: AbortSignal,
  goesOn: (sync: SyncView) => boolean,
): Promise<SyncView> {
  return untilSettled({
    ...{ io, server, signal, goesOn },
    look: () => server.call(syncOperations.one, { id }),
    linesOf: ({ planning }) => (planning ? [planningLine(planning)] : []),
    begins: 'the planning to begin',
  });
}
