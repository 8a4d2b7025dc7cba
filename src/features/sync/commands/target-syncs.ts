import type { SyncEntry } from '../../../api/sync-entry.ts';
import { askedHere } from '../../../cli/audit.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { type Client, entriesOf } from '../../../cli/client/operation-client.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, readCatalog } from '../../../platform/data-dir.ts';
import type { SyncView } from '../api.ts';
import type { Finding } from '../api-plan.ts';
import type { Sync } from '../kept-sync.ts';
import { syncOperations } from '../operations.ts';
import { planPieces } from '../plan/plan-download.ts';
import { planFiles } from '../plan/prepare.ts';
import { entryOf, wholeSync } from '../plan/sync-view.ts';
import { planHandlers } from '../routes/plan-handlers.ts';
import { syncReadingHandlers } from '../routes/sync-handlers.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';
import { UnknownSync } from '../sync-errors.ts';
import type { DecidingFlags, PlanningFlags, SyncFileFlags } from './sync-flags.ts';

/** Entries that a page of a list holds at most. */
const MAX_OF_PAGE = { syncs: 200, findings: 500 };

/** The syncs that commands are about: those of a data directory, or of a server. */
export interface Syncs {
  readonly client: Client;
  /** The imports there: those that carry the syncs out are among them. */
  readonly imports: Imports;
  /** Newest first. */
  list(limit: number): Promise<readonly SyncEntry[]>;
  /** Returns the sync for display. */
  find(id: string): Promise<SyncView>;
  /** Everything that the guards object to. */
  findings(sync: SyncView): Promise<Finding[]>;
}

/** Has syncs planned and carried out, by this process or a server, and shows them to their end. */
export interface SyncRuns {
  /** Plans a sync of a file, and carries it out where the flags say so. */
  plan(file: string, flags: SyncFileFlags): Promise<ExitCode>;
  /** Plans how to undo an import, likewise. */
  undo(id: string, flags: DecidingFlags & PlanningFlags): Promise<ExitCode>;
  /** Carries out a stored plan; with a reason, one that a guard holds. */
  carryOut(id: string, reason?: string): Promise<ExitCode>;
  reject(id: string, reason: string): Promise<void>;
}

export function syncsOf(config: Config, imports: Imports): Syncs {
  const { server } = imports;
  const client = server ?? localSyncs(config.dataDir);
  const whereBefore = (id: string, address: string) =>
    server === undefined ? planFiles(dataDir(config.dataDir).sync(id)).before : `${server.url}${address}`;
  const page = async (size: number, cursor?: string) => {
    const { syncs: entries, nextCursor } = await client.call(syncOperations.list, { limit: `${size}`, cursor });
    return { entries, nextCursor };
  };
  return {
    client,
    imports,
    list: (limit) => entriesOf(page, MAX_OF_PAGE.syncs, limit),
    find: async (id) => {
      const view = await client.call(syncOperations.one, { id });
      return {
        ...view,
        // A server knows by itself whether it sends to a sandbox.
        sandbox: server === undefined && view.sandbox,
        before: view.before && whereBefore(id, view.before),
        unknownGroups: view.create?.groups === true ? 0 : view.unknownGroups,
      };
    },
    findings: async ({ id, findings, guards }) => {
      // The view has the first; as long as these are all, nothing more is asked.
      if (guards.reduce((sum, { count }) => sum + count, 0) === findings.length) return findings;
      return (await Promise.all(guards.map(({ guard }) => findingsOf(client, id, guard)))).flat();
    },
  };
}

function findingsOf(client: Client, id: string, guard: Finding['guard']): Promise<Finding[]> {
  return entriesOf(async (size, cursor) => {
    const page = await client.call(syncOperations.findings, { id, guard, limit: `${size}`, cursor });
    return { ...page, entries: page.findings.map(({ members: _, ...finding }) => finding) };
  }, MAX_OF_PAGE.findings);
}

/** The syncs of a data directory, no matter which process runs them. */
function localSyncs(path: string): Client {
  const dir = dataDir(path);
  const find = (id: string) => findSync(path, id);
  const handlers = {
    ...syncReadingHandlers({
      find,
      page: (wanted) => readCatalog(path, openSyncCatalogReader, (catalog) => catalog?.page(wanted) ?? { syncs: [] }),
      entry: (sync) => entryOf(sync),
      whole: (sync) => wholeSync(dir, sync, null, Number.MAX_SAFE_INTEGER),
    }),
    ...planHandlers({
      find,
      dir,
      pieces: async function* (download) {
        yield* planPieces(download);
      },
    }),
  };
  return handledLocally(syncOperations, handlers, askedHere(dir, undefined));
}

/** A sync of a data directory. @throws UnknownSync */
export function findSync(path: string, id: string): Sync {
  const record = readCatalog(path, openSyncCatalogReader, (catalog) => catalog?.find(id));
  if (record === undefined) throw new UnknownSync(id);
  return record;
}
