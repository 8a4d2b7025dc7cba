import { aimOf } from '../../../app/open-service.ts';
import { sendFile } from '../../../cli/client/send-file.ts';
import { givenFile, importOptionsOf } from '../../../cli/import-file.ts';
import { type Running, sayNothingBegan } from '../../../cli/run.ts';
import { reserve } from '../../../imports/import-id.ts';
import { fileStateOf } from '../../../imports/read/byte-source.ts';
import { decisionOf, newSyncId, syncReadingOf } from '../kept-sync.ts';
import { syncOperations } from '../operations.ts';
import { syncFileOperations } from '../routes/sync-handlers.ts';
import { choicesOf, decidingQuery, type SyncFileFlags } from './sync-flags.ts';
import type { SyncWork } from './sync-work.ts';

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
      const id = await reserve(() => newSyncId('sync'), dir.sync);
      const found = await obtain(dir.sync(id), signal);
      if (found === undefined) return sayNothingBegan(io);
      const { name, from: source, options, lookups } = found;
      const { create } = options;
      const reading = syncReadingOf(options, lookups);
      const wanted = { id, file: name, source, reading, ...(create && { create }), ...decision };
      // Runs are compared by their source.
      return client.call(syncFileOperations.create, { ...wanted, ...aimOf(config, options) });
    },
  };
}
