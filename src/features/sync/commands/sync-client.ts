import { type Imports, openImports } from '../../../cli/client/imports.ts';
import { changeCatalog, ownerElse } from '../../../cli/client/local-client.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { Config } from '../../../platform/config.ts';
import { type DataDir, readCatalog } from '../../../platform/data-dir.ts';
import { handled } from '../../../server/perform.ts';
import { syncOperations } from '../operations.ts';
import { planFiles } from '../plan/plan-files.ts';
import { planPieces } from '../plan/plan-tables.ts';
import { deciding, syncReadingHandlers } from '../routes/sync-handlers.ts';
import { openSyncCatalog, openSyncCatalogReader } from '../sync-catalog.ts';
import { wholeSync } from '../sync-views.ts';

/** The syncs that commands are about: those of a data directory, or of a server. */
export type Syncs = ReturnType<typeof syncsOf>;

/** The syncs that a command is about, where its imports are. @throws as openImports */
export async function openSyncs(flags: Parameters<typeof openImports>[0]) {
  const { config, imports } = await openImports(flags);
  return syncsOf(config, imports);
}

export function syncsOf(config: Config, imports: Imports) {
  const { server } = imports;
  const client = server ?? localSyncs(config.dir);
  return {
    client,
    imports,
    find: async (id: string) => {
      const view = await client.call(syncOperations.one, { id });
      return {
        ...view,
        // A server knows by itself whether it sends to a sandbox.
        sandbox: server === undefined && view.sandbox,
        before:
          view.before && (server === undefined ? planFiles(config.dir.sync(id)).before : `${server.url}${view.before}`),
        unknownGroups: view.create?.groups === true ? 0 : view.unknownGroups,
      };
    },
  };
}

/** The syncs of a data directory, no matter which process runs them: that process decides about a plan, or else this one rejects it. */
function localSyncs(dir: DataDir) {
  const find = (id: string) => {
    const found = findKept(dir, id);
    if (found === undefined) throw new RollcallError('UNKNOWN_SYNC', { id });
    return found;
  };
  const handlers = syncReadingHandlers({
    dir,
    find,
    page: (wanted) =>
      readCatalog(dir, openSyncCatalogReader, (catalog) => catalog?.page(wanted) ?? { syncs: [], nextCursor: null }),
    pieces: async function* (download) {
      yield* planPieces(download);
    },
  });
  return ownerElse(dir, async (operation, input, perform) => {
    if (operation.method === 'GET' || operation === syncOperations.bringBack)
      return perform(handled(syncOperations, handlers));
    find(input['id'] ?? '');
    return changeCatalog(dir, openSyncCatalog, ({ reject }) =>
      perform(handled(syncOperations, { reject: deciding(reject, (sync) => wholeSync(dir, sync)) })),
    );
  });
}

export function findKept(dir: DataDir, id: string) {
  return readCatalog(dir, openSyncCatalogReader, (catalog) => catalog?.find(id));
}
