import { extname } from 'node:path';
import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { openImports } from '../../../cli/client/open-imports.ts';
import type { End, ExitCode } from '../../../cli/exit-codes.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { refuseExisting } from '../../../cli/flags/output-flags.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import type { Config } from '../../../platform/config.ts';
import { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from '../api.ts';
import { listsOf, outputFiles } from '../export-files.ts';
import { type ExportFlags, groupsOf, withExport } from './export-flags.ts';
import { openExports } from './exports.ts';
import { type OutputPlace, outputPlace } from './output-place.ts';

interface Flags extends RunningFlags, ExportFlags, ServerFlags {
  /** An id; true: the latest that can be continued. */
  readonly resume?: string | true;
}

/** `rollcall export`: writes who is in which group now, as a file that `import` and `sync` read back. */
export function exportCommand(io: Io, end: End): Command {
  const command = withExport(new Command('export')).option(
    '--resume [id]',
    'continue an export that was interrupted (default: the latest)',
  );
  withServer(withRunning(command));
  return command.action((flags: Flags) => end(exportGroups(io, flags)));
}

async function exportGroups(io: Io, flags: Flags): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const openService = async () => serviceOpener(config, flags)();
  const exports = openExports({ config, io, imports, openService, flags });
  const { resume } = flags;
  if (resume !== undefined) refuseChoices(flags);
  const resumed = resume === undefined ? undefined : await exports.toResume(resume);
  const format = formatOf(flags);
  const groups = await groupsOf(flags);
  const output = await checkedOutput(config, resumed ?? flags, flags);
  return exports.run({ format, groups, output, resumed });
}

function formatOf({ format, output = '' }: Flags): ExportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  if (format === undefined && ending === 'xlsx') {
    throw new UsageError('an export is CSV or NDJSON, and no workbook: let --output end in .csv or .ndjson');
  }
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/**
 * Returns the place of the output; undefined for standard output.
 * @param lists what the export has: of one that is continued, not what the flags say
 * @throws UsageError, SourceError
 */
async function checkedOutput(
  config: Config,
  {
    users = false,
    groupsOnly = false,
  }: Pick<Flags, 'users' | 'groupsOnly'> | Pick<ExportOptions, 'users' | 'groupsOnly'>,
  flags: Flags,
): Promise<OutputPlace | undefined> {
  const needed = users ? '--users' : flags.json ? '--json' : undefined;
  if (flags.output === undefined && needed !== undefined) {
    throw new UsageError(`${needed} needs --output: standard output has room for one list`);
  }
  const output = await outputPlace(config, flags);
  const files = output === undefined ? [] : outputFiles(listsOf({ users, groupsOnly }), output.path);
  if (output === undefined) refuseExisting([], flags);
  await output?.refuseExisting(files.map(({ path }) => path));
  return output;
}

/** @throws UsageError */
function refuseChoices({ groups, groupsFile, region, users, groupsOnly }: Flags): void {
  if ([groups, groupsFile, region, users, groupsOnly].some((flag) => flag !== undefined)) {
    throw new UsageError(
      'an export that is continued has its groups, regions and lists already; leave those flags out',
    );
  }
}
