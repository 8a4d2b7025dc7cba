import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { noteCommand } from '../../../cli/audit.ts';
import { sendFile } from '../../../cli/client/send-file.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { expectedRows, fileToFetch, requireCount, standardInput } from '../../../cli/fetched-file.ts';
import { importOptionsOf } from '../../../cli/flags/import-flags.ts';
import { lookupFiles } from '../../../cli/lookup-files.ts';
import { readingQuery } from '../../../cli/reading-query.ts';
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

function planThere({ config, io, imports }: Running, server: Server, file: string, flags: SyncFileFlags): Begin {
  return {
    begin: async ({ signal }) => {
      const query = await readingQuery(file, flags);
      for (const [name, value] of await decidingQuery(flags, true)) query.append(name, value);
      return sendFile({
        config,
        io,
        imports,
        signal,
        server,
        file,
        flags,
        make: async (upload, expected) => {
          for (const [name, value] of Object.entries(expected)) query.set(name, `${value}`);
          return (await server.upload(syncOperations.create, query, upload)).id;
        },
        mustBeWhole: true,
        howToSee: imports.command('sync', 'list'),
      });
    },
  };
}

/** Refuses before anything is opened whatever can be known then. */
async function planHere({ config, io }: Running, file: string, flags: SyncFileFlags): Promise<Begin> {
  const { limit: limits = {}, apply = false } = flags;
  const decision = { ...(await syncFlagsOf(flags)), limits, apply, ...keptOf(SURVEYING, flags) };
  const fetched = await (file === '-' ? standardInput(io) : fileToFetch(config, file, flags));
  if (fetched === undefined) await fileStateOf(file, file);
  const lookups = await lookupFiles(config, flags);
  const given = importOptionsOf(config, flags);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, given, file) : given;
  /** The file as it is had, and the options for reading it; undefined where the signal came first. */
  const had = async (input: string, signal: AbortSignal) => {
    if (fetched === undefined) return { name: file, options: ofPath };
    const found = await fetched.fetch(input, signal);
    if (found === undefined) return undefined;
    const whole: ImportOptions = { ...given, ...expectedRows(given, found) };
    if (file === '-') requireCount(whole);
    const options = await optionsWithRecipe(config, flags.recipe, whole, input, found.name);
    return { name: file === '-' ? file : found.name, options };
  };
  const create = async ({ dir, coordinator, signal }: Here, syncs: SyncRunner) => {
    const id = newSyncId('sync');
    const folder = dir.sync(id);
    try {
      const found = await had(planFiles(folder).input, signal);
      const known = found && (await lookups.obtain(folder, signal));
      if (found === undefined || known === undefined) return undefined;
      const { name, options } = found;
      await syncs.create({
        id,
        file: name,
        // Runs are compared by their source.
        source: fetched?.name ?? resolve(file),
        reading: syncReadingOf(options, known),
        create: options.create,
        ...decision,
        who: currentUser(),
      });
      const asked = inShort({ file: name, create: options.create, ...decision });
      noteCommand<typeof syncOperations>(dir, 'sync.create', id, asked, coordinator.sendsTo);
      return id;
    } catch (error) {
      if (fetched !== undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
  };
  return {
    beginLines: () => [...(fetched?.lines() ?? []), ...lookups.lines()],
    begin: async ({ here }, syncs) => {
      const id = here && syncs && (await create(here, syncs));
      return id === undefined ? { code: sayNothingBegan(io) } : { id };
    },
  };
}
