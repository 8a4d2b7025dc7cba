import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { isFinal } from '../membership/import-state.ts';
import { dataDir } from '../pipeline/data-dir.ts';
import { type ImportOptions, readOptions } from '../pipeline/import-options.ts';
import { findImport, findingsOf } from './data.ts';
import { UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import {
  type CommonFlags,
  type SandboxFlags,
  type SendingFlags,
  type WorkersFlags,
  withDataDir,
  withJson,
  withMaxErrors,
  withPace,
  withSandbox,
  withWorkers,
} from './flags.ts';
import { serviceOpener } from './import.ts';
import { type Io, say } from './io.ts';
import { checkTarget } from './resume.ts';
import { runImport } from './run-import.ts';

type Flags = CommonFlags & SandboxFlags & SendingFlags & WorkersFlags;

/** `rollcall retry`: imports the retry file of an import that is over: what failed, was not confirmed or not sent. */
export function retryCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('retry')
    .description('send what failed, was not confirmed or was not sent again, as an import of its own')
    .argument('[id]', 'import (default: the latest)');
  withSandbox(withMaxErrors(withPace(withWorkers(withDataDir(withJson(command))))));
  return command.action((id: string | undefined, flags: Flags) => end(retry(io, id, flags)));
}

async function retry(io: Io, given: string | undefined, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const record = findImport(config.dataDir, given);
  if (!isFinal(record.state)) {
    throw new UsageError(
      `import ${record.id} is ${record.state}, not over; first: ${config.command} resume ${record.id}`,
    );
  }
  const { reports } = findingsOf(dataDir(config.dataDir), record).summary;
  const { retry: file } = reports;
  if (file === null) {
    say(io, `Import ${record.id} has nothing to send again: no row failed, is unconfirmed or unprocessed.`);
    return EXIT.ok;
  }
  const earlier = readOptions(record);
  checkTarget(`${config.command} retry ${record.id}`, record.id, earlier.sandbox, flags.sandbox === true);
  return runImport({
    config,
    io,
    json: flags.json === true,
    openService: serviceOpener(config, flags),
    begin: (coordinator) =>
      coordinator.create({ file, source: file, retryOf: record.id, options: retryOptions(earlier, file, flags) }),
  });
}

/** As the rows were read the first time; but the retry file has a format and an encoding of its own. */
function retryOptions(earlier: ImportOptions, file: string, { maxErrors }: Flags): ImportOptions {
  const { encoding: _, maxErrors: __, ...options } = earlier;
  return {
    ...options,
    dryRun: false,
    format: file.endsWith('.csv') ? 'csv' : 'ndjson',
    ...(maxErrors !== undefined && { maxErrors }),
  };
}
