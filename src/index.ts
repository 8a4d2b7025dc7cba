import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ImportSummary, summaryIn } from './api/import-summary.ts';
import { importOperations } from './api/imports.ts';
import { ROW_SCHEMAS, rowOperations } from './api/rows.ts';
import { openApp } from './app/app.ts';
import { openService } from './app/open-service.ts';
import { localImports } from './cli/client/imports.ts';
import type { Client } from './cli/client/operation-client.ts';
import { recipeFor } from './cli/input-files.ts';
import { openOwner, ownImports } from './cli/owner.ts';
import { badUsage, RollcallError } from './errors/rollcall-error.ts';
import { type ImportOptions, importOptions } from './imports/import-options.ts';
import { checkInput } from './imports/read/byte-source.ts';
import type { Outcome } from './membership/outcome.ts';
import { mapLookups } from './options/lookups.ts';
import { type BanChoices, withBansOf } from './options/sending-options.ts';
import { type Config, readConfig } from './platform/config.ts';
import { createLifecycle } from './platform/lifecycle.ts';
import { isObject } from './platform/stored-json.ts';
import { fileOperations } from './server/import-handlers.ts';
import { wrongOption } from './text/wrong-option.ts';

/** The programmatic API: `import { runImport } from 'rollcall'`. It does what `rollcall import` and `report` do. */

export type { ImportState } from './membership/import-state.ts';
export type { ImportSummary, Outcome };
export { RollcallError };

/** Settings of the command line; missing ones are looked up as there, in the environment and the configuration file. */
export interface Settings {
  /** The data directory of imports. Default: ROLLCALL_DATA_DIR, else `.rollcall`. */
  readonly dataDir?: string | undefined;
  /** The queue: `redis://…`. Default: ROLLCALL_QUEUE, else the memory of this process. */
  readonly queue?: string | undefined;
  /** Calls a minute and region, exactly. Default: ROLLCALL_CALLS_PER_MINUTE, else 80 % of what the service allows. */
  readonly callsPerMinute?: number | undefined;
  /** Most concurrent calls in each region. Default: ROLLCALL_CONCURRENCY, else 300. */
  readonly concurrency?: number | undefined;
  /** Most concurrent calls that change one group. Default: ROLLCALL_PER_GROUP, else 20. */
  readonly perGroup?: number | undefined;
  /** The variables `ROLLCALL_…` that hold host, app ids and keys. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Options that the API names differently, and internal ones. */
type NotChosen =
  | 'sandbox'
  | 'edits'
  | 'corrected'
  | 'leftOut'
  | 'retryOnly'
  | 'exportOf'
  | 'identities'
  | 'groups'
  | 'bans';

/**
 * Options for reading and sending an import. Each has the default of `rollcall import`, and most the name of a flag;
 * where flags belong together, they are one object: `create` (`--create-users`, `--max-create` …), `shape` (`--split`,
 * `--wide` …), `bounds`, `maxErrors`.
 */
export interface ImportChoices extends Settings, Partial<Omit<ImportOptions, NotChosen>>, BanChoices {
  /** A file by which users are looked up, such as one with the UID for each e-mail address. */
  readonly identities?: string;
  /** A file by which groups are looked up, such as one with the GUIDs for each code. */
  readonly groups?: string;
  /** Send to a sandbox in this process instead of the service; it knows every group and user. */
  readonly sandbox?: boolean;
  /** With a queue: also send from this process, not only from `rollcall worker`. */
  readonly withWorkers?: boolean;
  /** Stops the import as `stop` does. */
  readonly signal?: AbortSignal;
}

/** An import that this process runs. */
export interface ImportRun {
  readonly id: string;
  /**
   * Resolves when nothing more happens by itself: `completed`, `paused`, `blocked`, `aborted`, `rejected` and so on, which
   * the summary's `state` says; after `stop` it is the state in which `resumeImport` finds it. Failed rows are in the summary
   * and reject nothing; only what keeps rollcall from going on does, such as a full disk.
   */
  readonly finished: Promise<ImportSummary>;
  /** The summary each time that it has changed, at most four times a second; the last one is that of `finished`. */
  progress(): AsyncIterable<ImportSummary>;
  /** Lets calls in flight finish and sends no more; `resumeImport` continues. */
  pause(): Promise<void>;
  /** Ends the import; rows that were not sent are `unprocessed`. */
  cancel(): Promise<void>;
  /** Stops as Ctrl-C does: calls in flight may finish, and `resumeImport` continues. */
  stop(): Promise<ImportSummary>;
}

/** A row of a report, as `rollcall report --format ndjson` gives it. Texts are empty where there is nothing to say. */
const reportedRow = z.strictObject({
  ...ROW_SCHEMAS,
  _value: ROW_SCHEMAS._value.optional(),
  /** The row as the file had it, by column. */
  input: z.custom<Readonly<Record<string, unknown>>>(isObject),
});
export interface ReportedRow extends Readonly<z.infer<typeof reportedRow>> {}

/** Interval between two looks of `progress`, in ms. */
const LOOK_MS = 250;

/**
 * Reads a membership file and sends it, as `rollcall import` does. This process owns the data directory until the import
 * rests: a second import there is refused with the code DATA_DIR_IN_USE.
 * @throws RollcallError for a wrong setting or choice, a file that does not exist, or a data directory in use
 */
export async function runImport(file: string, choices: ImportChoices = {}): Promise<ImportRun> {
  const config = configOf(choices);
  await checkInput(file);
  const options = await optionsOfChoices(config, file, choices);
  const lookups = mapLookups(choices, (name) => ({ path: resolve(name), name }));
  return run(config, choices, (client) =>
    client.call(fileOperations.create, { file, source: resolve(file), options, lookups }),
  );
}

/** The options that `rollcall import` would make of the same choices. @throws BAD_USAGE, and what a recipe refuses */
async function optionsOfChoices(config: Config, file: string, choices: ImportChoices) {
  const { dataDir, queue, callsPerMinute, concurrency, perGroup, env, withWorkers, signal, ...chosen } = choices;
  const { sandbox, recipe, identities, groups, shape, ...rest } = chosen;
  const lookups = mapLookups({ identities, groups }, () => ({}));
  const given = {
    region: config.defaultRegion,
    ...withBansOf(rest),
    ...((shape ?? identities ?? groups) !== undefined && { shape: { ...lookups, ...shape } }),
    sandbox: sandbox === true,
  };
  const read = importOptions.safeParse(given);
  if (read.success) return (await recipeFor(config, recipe, read.data))(file);
  const { field, isUnknown, text } = wrongOption(read.error, given);
  throw badUsage(isUnknown ? `there is no choice ${JSON.stringify(field)}: the type ImportChoices lists them` : text);
}

/** Continues an import as `rollcall resume` does. @throws RollcallError, also when there is no such import */
export function resumeImport(
  id: string,
  choices: Settings & Pick<ImportChoices, 'sandbox' | 'withWorkers' | 'signal'> = {},
): Promise<ImportRun> {
  return run(configOf(choices), choices, (client) => client.call(importOperations.resume, { id }));
}

/** Reads an import's results so far, whichever process runs it. @throws RollcallError when there is no such import */
export async function readSummary(id: string, settings: Settings = {}): Promise<ImportSummary> {
  const imports = localImports(configOf(settings));
  return summaryIn(await imports.find(id));
}

/**
 * The rows of an import in the order of its file, all or those with some outcomes, one at a time.
 * @throws RollcallError when there is no such import, or it has no rows
 */
export async function* readReport(
  id: string,
  { outcomes, ...settings }: Settings & { readonly outcomes?: readonly Outcome[] } = {},
): AsyncGenerator<ReportedRow> {
  const imports = localImports(configOf(settings));
  const { id: known } = await imports.find(id);
  if (outcomes?.length === 0) return;
  const status = outcomes && { status: [...outcomes].join(',') };
  let rest = '';
  for await (const piece of await imports.client.download(rowOperations.report, {
    id: known,
    format: 'ndjson',
    ...status,
  })) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield reportedRow.parse(JSON.parse(line));
  }
}

function configOf({ env, ...settings }: Settings) {
  return readConfig(settings, env);
}

async function run(
  config: Config,
  { sandbox, withWorkers, signal, dryRun }: ImportChoices,
  begin: (client: Client) => Promise<{ readonly id: string }>,
) {
  signal?.throwIfAborted();
  const lifecycle = createLifecycle();
  try {
    const app = await openApp(lifecycle, {
      config,
      openService: () => openService(config, { sandbox, withWorkers, dryRun }),
      show: () => {},
      signal,
    });
    const { coordinator, dir } = app;
    const failed = app.failed.then((error) => Promise.reject(error));
    failed.catch(() => {});
    const owner = await openOwner(app, lifecycle.onStop);
    const { id } = await begin(ownImports(owner));
    const summary = () => readSummary(id, { dataDir: dir.root });
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal?.addEventListener('abort', stop, { once: true });
    const over = coordinator.settled(id).then(() => app.othersOver((other) => coordinator.settled(other)));
    const finished = Promise.race([over, failed, stopped.promise])
      .finally(() => {
        signal?.removeEventListener('abort', stop);
        return lifecycle.stop();
      })
      .then(summary);
    // A caller that only follows its progress learns of a failure there.
    finished.catch(() => {});
    return {
      id,
      finished,
      progress: () => follow(summary, finished),
      pause: async () => void (await coordinator.pause(id)),
      cancel: async () => void (await coordinator.cancel(id)),
      stop: () => {
        stop();
        return finished;
      },
    };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function* follow(summary: () => Promise<ImportSummary>, finished: Promise<ImportSummary>) {
  let shown = '';
  for (;;) {
    const end = await Promise.race([finished, sleep(LOOK_MS, undefined, { ref: false })]);
    const now = end ?? (await summary());
    const text = JSON.stringify(now);
    if (text !== shown || end !== undefined) yield now;
    shown = text;
    if (end !== undefined) return;
  }
}
