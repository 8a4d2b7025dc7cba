/**
 * A coordinator in a process of its own, to be killed: `node coordinator-process.ts <settings as JSON>`. Imports the file
 * into the sandbox, or goes on with the import that is there. Writes a line for every state; ends when the import is over.
 */
import { addMembers } from '../../jobs/add-members.ts';
import { composeCoordinator } from '../../src/app/app.ts';
import { clientOf, type Service } from '../../src/app/chat-service.ts';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { type ImportOptions, importOptions } from '../../src/imports/import-options.ts';
import { readConfig } from '../../src/platform/config.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { openLog } from '../../src/platform/log.ts';
import type { Backend } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';

export interface CoordinatorProcessSettings {
  readonly dataDir: string;
  readonly file: string;
  readonly host: string;
  readonly ca: string;
  readonly appId: string;
  readonly apiKey: string;
  readonly edits?: boolean;
  readonly create?: ImportOptions['create'];
  readonly bans?: ImportOptions['bans'];
  readonly silent?: true;
  /** It kills itself while its first batches are being put into the queue, when a worker that took one has its answer. */
  readonly diesQueueing?: true;
}

const settings: CoordinatorProcessSettings = JSON.parse(process.argv[2] ?? '{}');
const dir = dataDir(settings.dataDir);
const { host, ca, appId, apiKey } = settings;
// The budget of silent imports follows what the service says only where none is set.
const callsPerMinute = settings.silent ? undefined : 1_000_000;
const config = readConfig({ dataDir: dir.root, callsPerMinute, concurrency: 5 }, {}, dir.root);
const service: Service = { sends: true, sandbox: false, host, ca, apps: { us: { appId, apiKey } } };
const throwIt = (error: Error | string) => {
  throw error;
};
/** A queue into which batches come, while the call that puts them there does not return. */
const neverQueued = (backend: Backend): Backend => ({
  ...backend,
  openQueue: (...about) => {
    const queue = backend.openQueue(...about);
    return {
      ...queue,
      add: async (jobs) => {
        await queue.add(jobs);
        if (jobs.some(({ name }) => name === addMembers.name)) await new Promise(() => {});
      },
    };
  },
});
const dying: Partial<Parameters<typeof composeCoordinator>[0]> = {
  backend: async () => neverQueued(await openBackend()),
  client: (region) => {
    const chat = clientOf(service, region, config.concurrency);
    const dieAfter = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
      await answer;
      process.kill(process.pid, 'SIGKILL');
      return answer;
    };
    return { ...chat, addMembers: (...call) => dieAfter(chat.addMembers(...call)) };
  },
};
const coordinator = await composeCoordinator({
  config,
  service,
  log: openLog(dir.root),
  warn: throwIt,
  ...(settings.diesQueueing === true && dying),
});
coordinator.events.on('failure', throwIt);
coordinator.events.on('state', ({ state }) => process.stdout.write(`${state}\n`));

const catalog = openCatalogReader(dir.catalog);
const [existing] = catalog.list(1);
catalog.close();
const { file, edits, create, bans, silent } = settings;
const id =
  existing?.id ??
  (await coordinator.create({
    file,
    source: file,
    options: importOptions.parse({ region: 'us', edits, create, bans, silent }),
  }));
if (existing !== undefined) await coordinator.resume(id);
process.stdout.write('working\n');
await coordinator.settled(id);
await coordinator.stop(1_000);
