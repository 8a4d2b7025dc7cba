import { serviceTarget } from '../../../app/chat-service.ts';
import { openImports } from '../../../cli/client/imports.ts';
import { changeCatalog, handledLocally, ownerElse } from '../../../cli/client/local-client.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import { type Io, print, printJson, say } from '../../../cli/screen/io.ts';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, hasCatalog } from '../../../platform/data-dir.ts';
import { defined } from '../../../platform/defined.ts';
import { scheduleOperations } from '../operations.ts';
import { changingHandlers, lookingHandlers } from '../routes/handlers.ts';
import { openScheduleCatalog, openScheduleCatalogReader } from '../schedule-catalog.ts';
import type { PlaceFlags } from './schedule-flags.ts';

/** Does operations on the schedules of a data directory: the process that owns it changes them, else this one. */
export function schedulesHere(config: Config, sandbox: boolean): Client {
  const dir = dataDir(config.dataDir);
  const at = { ...config, sendsTo: { sandbox, target: serviceTarget({ ...config, sandbox }) } };
  const client = (handlers: ReturnType<typeof lookingHandlers> | ReturnType<typeof changingHandlers>) =>
    handledLocally(scheduleOperations, handlers, { dir });
  return ownerElse(dir, async (operation, input, perform) => {
    const isThere = hasCatalog(dir);
    if (!isThere && operation === scheduleOperations.list) return { schedules: [] };
    if (!isThere && operation !== scheduleOperations.add)
      throw new RollcallError('UNKNOWN_SCHEDULE', { name: input['name'] ?? '' });
    if (operation.method !== 'GET') {
      return changeCatalog(dir, openScheduleCatalog, (catalog) =>
        perform(client(changingHandlers({ catalog, dir, at }, true))),
      );
    }
    using catalog = openScheduleCatalogReader(dir.catalog);
    return await perform(client(lookingHandlers(catalog)));
  });
}

/** The schedules that a command is about, where its imports are. How long their runs wait is no setting of this process. @throws as openImports */
async function openSchedules({ dataDir, server, profile, plainHttp, sandbox }: PlaceFlags) {
  const { config, imports } = await openImports(defined({ dataDir, server, profile, plainHttp, sandbox }));
  return { config, imports, client: imports.server ?? schedulesHere(config, sandbox === true) };
}

type Opened = Awaited<ReturnType<typeof openSchedules>>;

/** The answer of a command: for programs, for people who asked for it, and what else there is to say. */
interface Answer {
  readonly json: unknown;
  readonly prints?: string;
  readonly says?: readonly string[];
}
export type Work<Flags> = (opened: Opened, name: string, flags: Flags) => Promise<Answer>;

export async function answer<Flags extends PlaceFlags>(io: Io, flags: Flags, name: string, work: Work<Flags>) {
  const { json, prints, says = [] } = await work(await openSchedules(flags), name, flags);
  if (flags.json) printJson(io, json);
  // Remarks on what is listed are for people who see the list.
  if (!flags.json || prints === undefined) say(io, ...says);
  if (!flags.json && prints) print(io, `${prints}\n`);
}
