import type { z } from 'zod';
import type { HandlersOf, Operation } from '../../../api/operation.ts';
import { serviceTarget } from '../../../app/chat-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { askedHere } from '../../../cli/audit.ts';
import { changeCatalog } from '../../../cli/client/data-directory.ts';
import { handledLocally } from '../../../cli/client/local-client.ts';
import { openImports } from '../../../cli/client/open-imports.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { currentUser } from '../../../cli/current-user.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, hasCatalog } from '../../../platform/data-dir.ts';
import { openSyncCatalogReader } from '../../sync/sync-catalog.ts';
import { scheduleChanges } from '../change-schedule.ts';
import { givenAt } from '../compose-schedules.ts';
import { scheduleOperations } from '../operations.ts';
import { changingHandlers, lookingHandlers } from '../routes/handlers.ts';
import { openScheduleCatalog, openScheduleCatalogReader, ScheduleError } from '../schedule-catalog.ts';
import type { EditFlags } from './schedule-flags.ts';

type Answered = Operation & { readonly answer: z.ZodType };

/** Does operations on the schedules of a data directory: the process that owns it, else this one. */
export function schedulesHere(config: Config, sandbox: boolean): Client {
  const dir = dataDir(config.dataDir);
  const sendsTo = { sandbox, target: serviceTarget({ ...config, sandbox }) };
  const here = async (operation: Operation, input: { readonly name?: string }): Promise<unknown> => {
    if (!hasCatalog(dir) && operation === scheduleOperations.list) return { schedules: [] };
    if (!hasCatalog(dir) && operation !== scheduleOperations.add) throw ScheduleError.unknown(input.name ?? '');
    const perform = (handlers: HandlersOf<typeof scheduleOperations>) =>
      handledLocally(scheduleOperations, handlers, askedHere(dir, undefined)).call(operation as never, input as never);
    if (operation.method === 'GET') {
      const catalog = openScheduleCatalogReader(dir.catalog);
      try {
        return await withSyncs(dir.catalog, (syncCatalog) => perform(lookingHandlers({ catalog, syncCatalog })));
      } finally {
        catalog.close();
      }
    }
    return changeCatalog(dir, openScheduleCatalog, (catalog) => {
      const changes = scheduleChanges({ catalog, folder: dir.schedule, clock: Date.now });
      const at = givenAt(config, sendsTo);
      return withSyncs(dir.catalog, (syncCatalog) =>
        perform(changingHandlers({ catalog, syncCatalog, changes, at }, true)),
      );
    });
  };
  const call = async (operation: Answered, input: object) => {
    // Reading needs no owner, and an owner that only runs an import knows no schedules.
    if (operation.method === 'GET') return here(operation, input);
    // An answer may be nothing, too.
    const whole = { ...operation, answer: operation.answer.transform((answer) => ({ answer })) };
    const done = await askOwner(dir, whole, input, currentUser());
    return done === undefined ? here(operation, input) : done.answer;
  };
  return { call, download: call } as unknown as Client;
}

async function withSyncs<Result>(
  path: string,
  work: (syncs: ReturnType<typeof openSyncCatalogReader>) => Promise<Result>,
): Promise<Result> {
  const syncs = openSyncCatalogReader(path);
  try {
    return await work(syncs);
  } finally {
    syncs.close();
  }
}

/** The schedules that a command is about, where its imports are. @throws as openImports */
export async function openSchedules(
  given: Omit<Parameters<typeof openImports>[0], 'giveUpAfter'> & Pick<EditFlags, 'giveUpAfter'>,
) {
  // How long the runs of a schedule wait is no setting of this process.
  const { giveUpAfter: _, ...flags } = given;
  const { config, imports } = await openImports(flags);
  const client = imports.server ?? schedulesHere(config, 'sandbox' in flags && flags.sandbox === true);
  return { config, imports, client };
}
