import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../app/chat-service.ts';
import { tagsOf } from '../../imports/catalog.ts';
import { newImportId } from '../../imports/import-id.ts';
import { importOptions, readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { startRetention, sweepUnbegun } from '../../imports/life/removal.ts';
import { type StageFile, stageInThread } from '../../imports/stage/staging.ts';
import { kindOf } from '../../membership/import-kind.ts';
import type { Region } from '../../membership/membership.ts';
import { banOptionsOf } from '../../options/ban-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { defined } from '../../platform/defined.ts';
import type { Logger } from '../../platform/log.ts';
import type { SyncRunner } from './run/runner-port.ts';
import type { SyncImports } from './run/sync-imports.ts';
import { createSyncRunner } from './run/sync-runner.ts';
import { openSyncCatalog } from './sync-catalog.ts';

/**
 * Wires syncs to the coordinator whose imports carry them out. To be stopped before it.
 * @param keepMs how long finished syncs are kept; undefined: until they are deleted
 * @param stage reads files into ledgers; default: each in a thread of its own
 */
export function composeSyncs(
  coordinator: Coordinator,
  dir: DataDir,
  service: Pick<Service, 'apps'>,
  log: Logger,
  {
    keepMs,
    stage = stageInThread,
  }: { readonly keepMs?: number | undefined; readonly stage?: StageFile | undefined } = {},
): SyncRunner {
  const catalog = openSyncCatalog(dir.catalog);
  sweepUnbegun(join(dir.root, 'syncs'), (id) => catalog.find(id) !== undefined);
  const retention =
    keepMs === undefined
      ? undefined
      : startRetention({
          keepMs,
          finishedBefore: catalog.outdated,
          remove: async (id) => {
            // The files first: after a crash the sync is still listed, and removed the next time.
            await rm(dir.sync(id), { recursive: true, force: true });
            catalog.remove(id);
          },
          onError: (error) => log.warn({ err: error }, 'an old sync cannot be removed'),
        });
  const syncs = createSyncRunner({
    catalog,
    imports: importsOf(coordinator, dir),
    folder: dir.sync,
    newId: newSyncId,
    ...coordinator.sendsTo,
    regions: new Set(Object.keys(service.apps) as Region[]),
    pages: (...which) => coordinator.pages(...which),
    whenOver: coordinator.whenOver,
    stage,
    onStopped: async () => {
      await retention?.stop();
      catalog.close();
    },
  });
  syncs.events.on('state', ({ id, state, reason }) =>
    log[state === 'held' || state === 'failed' ? 'warn' : 'info']({ sync: id, state, reason }, 'sync'),
  );
  return syncs;
}

/** Marked as a sync, because the import that carries it out has the same id. */
export function newSyncId(kind: 'sync' | 'undo'): string {
  return `${kind}-${newImportId()}`;
}

/** None of an import that has been deleted meanwhile. */
function tagsIfThere(coordinator: Coordinator, id: string): readonly string[] {
  const record = coordinator.lookUp(id);
  return record === undefined ? [] : tagsOf(record);
}

function importsOf(coordinator: Coordinator, dir: DataDir): SyncImports {
  return {
    find: (id) => {
      const record = coordinator.lookUp(id);
      if (record === undefined) return undefined;
      const { state, file } = record;
      const { sandbox, target } = readOptions(record);
      return { state, file, ledger: dir.ledger(id), sandbox, target };
    },
    // An undo restores what was there: it asks for nothing of its own.
    after: (id) =>
      coordinator
        .others(id)
        .filter((other) => kindOf(other) !== 'undo')
        .map(({ ledger }) => ledger),
    begin: async ({
      id,
      file,
      source,
      options: { sandbox, flags, create, giveUpAfterMs, reportTo },
      createdBy,
      undoOf,
    }) => {
      // Every row says its region; the default is for those that do not.
      const options = importOptions.parse({
        ...{ format: 'csv', region: 'us', edits: true, sandbox },
        // The plan does not say who was banned in groups that it only adds to, and who was banned since.
        ...banOptionsOf(flags),
        ...defined({ create, giveUpAfterMs, reportTo }),
      });
      const tags = undoOf === null ? [] : tagsIfThere(coordinator, undoOf);
      await coordinator.create({ id, file, source, options, createdBy, tags });
    },
    resume: async (id) => void (await coordinator.resume(id)),
    cancel: async (id) => void (await coordinator.cancel(id)),
    onState: (listener) => {
      const onState = ({ id, state }: { readonly id: string; readonly state: Parameters<typeof listener>[1] }) =>
        listener(id, state);
      coordinator.events.on('state', onState);
      return () => void coordinator.events.off('state', onState);
    },
  };
}
