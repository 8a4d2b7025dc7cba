import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Command } from 'commander';
import { checkTarget } from '../../../cli/check-target.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type SandboxFlags,
  type SendingFlags,
  type ServerFlags,
  type WorkersFlags,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { refuseExisting } from '../../../cli/flags/output-flags.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { openImports } from '../../../cli/target/open-imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { Config } from '../../../platform/config.ts';
import { type DataDir, dataDir } from '../../../platform/data-dir.ts';
import { EXPORT_FORMATS, type ExportFormat, listsOf, outputFiles } from '../export-files.ts';
import type { ExportOptions } from '../export-options.ts';
import { openExportReader, UnknownExport } from '../export-store.ts';
import { type ExportFlags, groupsOf, withExport } from './export-flags.ts';
import { exportHere } from './export-here.ts';
import { exportThere } from './export-there.ts';
import { type OutputPlace, outputPlace } from './output-place.ts';

interface Flags extends CommonFlags, ExportFlags, SandboxFlags, SendingFlags, ServerFlags, WorkersFlags {
  /** An id; true: the latest that can be continued. */
  readonly resume?: string | true;
}

/** `rollcall export`: writes who is in which group now, as a file that `import` and `sync` read back. */
export function exportCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = withExport(new Command('export')).option(
    '--resume [id]',
    'continue an export that was interrupted (default: the latest)',
  );
  withServer(withRunning(command));
  return command.action((flags: Flags) => end(exportGroups(io, flags)));
}

async function exportGroups(io: Io, flags: Flags): Promise<ExitCode> {
  const { config, imports } = await openImports(flags);
  const { server } = imports;
  if (server !== undefined) {
    if (flags.resume !== undefined) refuseChoices(flags);
    const output = await checkedOutput(config, flags, flags);
    const groups = await groupsOf(flags);
    const format = formatOf(flags);
    return exportThere({ io, imports, server, format, groups, flags, output });
  }
  const dir = dataDir(config.dataDir);
  const resumed = flags.resume === undefined ? undefined : await exportToResume(dir, flags);
  const format = formatOf(flags);
  const groups = await groupsOf(flags);
  if (resumed !== undefined) {
    const { id, options } = resumed;
    checkTarget(typedCommand(config, 'export', '--resume', id), id, options.sandbox, flags.sandbox === true);
  }
  const output = await checkedOutput(config, resumed?.options ?? flags, flags);
  return exportHere({ io, config, imports, format, groups, flags, output, resumed: resumed?.id });
}

function formatOf({ format, output = '' }: Flags): ExportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/**
 * Returns the place of the output; undefined for standard output.
 * @param lists what the export has: of one that is continued, not what the flags say
 * @throws UsageError, SourceError
 */
async function checkedOutput(
  config: Config,
  { users = false, groupsOnly = false }: Pick<Flags, 'users' | 'groupsOnly'> | ExportOptions,
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

/** @throws UsageError, UnknownExport */
async function exportToResume(
  dir: DataDir,
  flags: Flags,
): Promise<{ readonly id: string; readonly options: ExportOptions }> {
  refuseChoices(flags);
  const { resume } = flags;
  const names = await readdir(join(dir.root, 'exports')).catch((): string[] => []);
  const id = resume === true ? names.toSorted().at(-1) : resume;
  if (id === undefined) throw new UsageError(`there is no export to continue in ${dir.root}`);
  if (typeof id !== 'string' || !names.includes(id)) throw new UnknownExport(String(id));
  const reader = openExportReader(dir.export(id), id);
  try {
    return { id, options: reader.record().options };
  } finally {
    reader.close();
  }
}
