import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { currentUser, noteCommand } from '../../../cli/audit.ts';
import { sendFile } from '../../../cli/client/send-file.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { expectedRows, type Fetched, requireCount } from '../../../cli/fetched-file.ts';
import { importOptionsOf, readingQuery } from '../../../cli/flags/import-flags.ts';
import { inputFiles } from '../../../cli/input-files.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import { type Here, type Running, sayNothingBegan } from '../../../cli/run.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { fileStateOf } from '../../../imports/read/file-state.ts';
import { keptOf } from '../../../options/option.ts';
import { SURVEYING } from '../../../options/sending-options.ts';
import { inShort } from '../../../text/wording.ts';
import { newSyncId, syncReadingOf } from '../kept-sync.ts';
import { syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import { decidingQuery, type SyncFileFlags, syncFlagsOf } from './sync-flags.ts';
import type { SyncWork } from './sync-work.ts';

type Begin = Pick<SyncWork, 'begin' | 'beginLines'>;

/** Begins the sync of a file: sent to a server, or planned by this process. */
export function planOf(running: Running, file: string, flags: SyncFileFlags): Begin | Promise<Begin> {
  const { server } = running.imports;
  return server === undefined ? planHere(running, file, flags) : planThere(running, server, file, flags);
}

function planThere(running: Running, server: Server, file: string, flags: SyncFileFlags): Begin {
  return {
    begin: async ({ signal }) => {
      const query = await readingQuery(file, flags);
      for (const [name, value] of await decidingQuery(flags, true)) query.append(name, value);
      return sendFile({
        ...running,
        signal,
        server,
        file,
        flags,
        make: async (upload, expected) => {
          for (const [name, value] of Object.entries(expected)) query.set(name, `${value}`);
          return (await server.upload(syncOperations.create, query, upload)).id;
        },
        mustBeWhole: true,
        howToSee: running.imports.command('sync', 'list'),
      });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function planHere(running: Running, file: string, flags: SyncFileFlags): Promise<Begin> {
  const { config, io } = running;
  const { limit: limits = {}, apply = false } = flags;
  const decision = { ...(await syncFlagsOf(flags)), limits, apply, ...keptOf(SURVEYING, flags) };
  const { fetched, lines, obtain } = await inputFiles(running, file, flags);
  if (fetched === undefined) await fileStateOf(file, file);
  const given = importOptionsOf(config, flags);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, given, file) : given;
  /** The options for reading a file that was fetched. */
  const optionsOf = (input: string, found: Fetched) => {
    const whole: ImportOptions = { ...given, ...expectedRows(given, found) };
    if (file === '-') requireCount(whole);
    return optionsWithRecipe(config, flags.recipe, whole, input, found.name);
  };
  const create = async (here: Here, syncs: SyncRunner) => {
    const { dir, signal } = here;
    const id = newSyncId('sync');
    const folder = dir.sync(id);
    const { input } = planFiles(folder);
    try {
      const found = await obtain(input, signal);
      if (found === undefined) return undefined;
      const options = fetched === undefined ? ofPath : await optionsOf(input, found);
      const name = file === '-' ? file : found.name;
      await syncs.create({
        id,
        file: name,
        // Runs are compared by their source.
        source: fetched?.name ?? resolve(file),
        reading: syncReadingOf(options, found.lookups),
        create: options.create,
        ...decision,
        who: currentUser(),
      });
      const asked = inShort({ file: name, create: options.create, ...decision });
      noteCommand<typeof syncOperations>(here, 'sync.create', id, asked);
      return id;
    } catch (error) {
      if (fetched !== undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
  };
  return {
    beginLines: lines,
    begin: async ({ here }, syncs) => {
      const id = here && syncs && (await create(here, syncs));
      return id === undefined ? { code: sayNothingBegan(io) } : { id };
    },
  };
}
