import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { dispatchOnly, NO_SERVICE, type Service, serviceOf } from '../../app/compose.ts';
import { createOptionsOf } from '../../imports/create-texts.ts';
import { newImportId } from '../../imports/import-id.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { checkInput } from '../../imports/read/open-input.ts';
import { type Config, readConfig, USUAL_CALLS_PER_MINUTE } from '../../platform/config.ts';
import { dataDir } from '../../platform/data-dir.ts';
import { inShort } from '../../server/access/noting.ts';
import { noteHere } from '../audit.ts';
import { detach } from '../detach.ts';
import { UsageError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type CheckFlags, maxCallsOf, withCheckCost } from '../flags/check-flags.ts';
import { type CreateFlags, withCreate } from '../flags/create-flags.ts';
import { fileOptionsOf } from '../flags/file-flags.ts';
import {
  type CommonFlags,
  type ReadingFlags,
  type SandboxFlags,
  type SendingFlags,
  type ServerFlags,
  type WorkersFlags,
  withDataDir,
  withJson,
  withMaxErrors,
  withPace,
  withReading,
  withSandbox,
  withServer,
  withWorkers,
} from '../flags/flags.ts';
import { runCheckHere } from '../run-check.ts';
import { type RunOptions, runImport } from '../run-import.ts';
import { openSandboxService } from '../sandbox-service.ts';
import { type Io, say } from '../screen/io.ts';
import { TOGETHER_MS } from '../screen/standard-input.ts';
import { importThere } from '../target/import-there.ts';
import { openImports } from '../target/open-imports.ts';

export interface ImportFlags
  extends CheckFlags,
    CommonFlags,
    ServerFlags,
    ReadingFlags,
    CreateFlags,
    SandboxFlags,
    SendingFlags,
    WorkersFlags {
  readonly dryRun?: true;
  readonly check?: true;
  readonly detach?: true;
}

/** `rollcall import`: reads a file, sends its memberships, and accounts for every row. */
export function importCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('import').argument(
    '<file>',
    'CSV, JSON, NDJSON, Excel, YAML or LDIF, also compressed; a folder or ZIP of these; - reads standard input',
  );
  withCreate(withReading(command));
  command.option('--dry-run', 'read and check the file, and send nothing');
  command.addOption(
    new Option('--check', 'read the file, ask the service which rows would fail, and send nothing').conflicts('dryRun'),
  );
  withCheckCost(command);
  withPace(withMaxErrors(command));
  command.addOption(
    new Option('--detach', 'send in the background').conflicts(['sandbox', 'sandboxSeed', 'dryRun', 'check']),
  );
  withSandbox(withWorkers(withServer(withDataDir(withJson(command)))));
  return command.action((file: string, flags: ImportFlags) => end(importFile(io, file, flags)));
}

async function importFile(io: Io, file: string, flags: ImportFlags): Promise<ExitCode> {
  const { imports } = await openImports(flags);
  const { server } = imports;
  if (server === undefined) return importHere(io, file, flags);
  // A server would take the file and send it.
  if (flags.check) {
    throw new UsageError(
      '--check works in this process only: upload the file with --dry-run and begin a check with POST /v1/imports/<id>/check, or leave out --server and ROLLCALL_SERVER',
    );
  }
  return importThere({ io, imports, server, json: flags.json === true }, file, flags);
}

/** Imports a file in this process. */
export async function importHere(io: Io, file: string, flags: ImportFlags): Promise<ExitCode> {
  const config = readConfig(flags);
  const options = importOptionsOf(config, flags);
  // What can be known before anything is opened is said before anything is opened.
  if (file !== '-') await checkInput(file);
  const send = { config, io, json: flags.json === true, openService: serviceOpener(config, flags) };
  if (flags.check)
    return runCheckHere({ ...send, maxCalls: maxCallsOf(flags), begin: beginning(send, file, options, true) });
  if (flags.detach !== true) {
    return runImport({ ...send, begin: beginning(send, file, options, true) });
  }
  const { openService } = send;
  await openService().then((service) => service.close());
  return detach({ ...send, begin: beginning(send, file, options, false) }, flags);
}

function beginning(
  { config, io }: Pick<RunOptions, 'config' | 'io'>,
  file: string,
  options: ImportOptions,
  start: boolean,
): RunOptions['begin'] {
  return async (coordinator, signal) => {
    const id = newImportId();
    const source = file === '-' ? await keepStandardInput(config, io, id, signal) : resolve(file);
    if (source === undefined) return undefined;
    await coordinator.create({ id, file, source, options, start });
    noteHere(dataDir(config.dataDir), 'import.create', id, inShort({ file, ...options }));
    return id;
  };
}

/**
 * Standard input cannot be read again after a crash, so it is kept first. Undefined when a signal came meanwhile: the
 * same Ctrl-C ends whoever writes into the pipe, and half an input must not pass for a whole one.
 */
async function keepStandardInput(config: Config, io: Io, id: string, signal: AbortSignal): Promise<string | undefined> {
  const folder = dataDir(config.dataDir).folder(id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'input');
  if (process.stdin.isTTY) say(io, 'Reading from the keyboard; end with Ctrl-D on a line of its own.');
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal });
    await sleep(TOGETHER_MS, undefined, { signal });
    return path;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** What opens the service that an import with these flags goes to. */
export function serviceOpener(
  config: Config,
  flags: SandboxFlags & WorkersFlags & { readonly dryRun?: true },
): () => Promise<Service & { close(): Promise<void> }> {
  if (flags.sandbox)
    return () =>
      openSandboxService(flags, config.budgetShare === undefined ? config.callsPerMinute : USUAL_CALLS_PER_MINUTE);
  if (flags.dryRun) return async () => ({ ...NO_SERVICE, close: async () => {} });
  const service = config.queue !== undefined && !flags.withWorkers ? dispatchOnly(config) : serviceOf(config);
  return async () => ({ ...service, close: async () => {} });
}

export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  const create = createOptionsOf(flags);
  const { guid, scope, encoding, delimiter, bound, waitForQuiet, onBehalfOf, maxErrors } = flags;
  return {
    format: flags.format ?? 'auto',
    map: flags.map ?? {},
    region: flags.region ?? config.defaultRegion,
    dryRun: flags.dryRun === true || flags.check === true,
    sandbox: flags.sandbox === true,
    ...(guid !== undefined && { guid }),
    ...(scope !== undefined && { scope }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    ...(bound !== undefined && { bounds: bound }),
    ...(waitForQuiet !== undefined && { waitForQuietMs: waitForQuiet }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
    ...(maxErrors !== undefined && { maxErrors }),
    ...(create !== undefined && { create }),
    ...fileOptionsOf(flags),
  };
}
