import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
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
import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import { openImports } from '../../../cli/target/open-imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { newImportId } from '../../../imports/import-id.ts';
import type { Region } from '../../../membership/membership.ts';
import { type DataDir, dataDir } from '../../../platform/data-dir.ts';
import { UnknownExport } from '../export-errors.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportBytes,
  listsOf,
  outputFiles,
  type WrittenFile,
  writeExport,
} from '../export-files.ts';
import type { ExportOptions } from '../export-options.ts';
import { createExportStore, type ExportReader, openExportReader, openExportStore } from '../export-store.ts';
import { type ExportFlags, groupsOf, resumeCommand, withExport } from './export-flags.ts';
import { runExportHere } from './export-here.ts';
import { exportDocument, exportFindings, sayExport } from './export-outcome.ts';
import { exportThere } from './export-there.ts';

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
    refuseOptions(flags);
    const groups = await groupsOf(flags);
    const format = formatOf(flags);
    return exportThere({ io, imports, server, format, groups, flags, json: flags.json === true });
  }
  const dir = dataDir(config.dataDir);
  const resumed = flags.resume === undefined ? undefined : await exportToResume(dir, flags);
  const format = formatOf(flags);
  const groups = await groupsOf(flags);
  const id = resumed?.id ?? `export-${newImportId()}`;
  if (resumed !== undefined) {
    checkTarget(typedCommand(config, 'export', '--resume', id), id, resumed.options.sandbox, flags.sandbox === true);
  }
  checkOutput(resumed?.options ?? flags, flags);
  const folder = dir.export(id);
  const openStore = async (regions: readonly Region[]) => {
    if (resumed !== undefined) return openExportStore(folder, id);
    const { users = false, groupsOnly = false, sandbox = false } = flags;
    const chosen = regionsOf(flags, regions);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return createExportStore(folder, {
      regions: [...chosen],
      users,
      groupsOnly,
      sandbox,
      ...(groups !== undefined && { groups }),
    });
  };
  const failed = await runExportHere({
    config,
    io,
    id,
    openService: serviceOpener(config, flags),
    openStore,
    begun: () => noteHere(dir, 'export.create', id),
  });
  if (failed !== undefined) return failed;
  const reader = openExportReader(folder, id);
  try {
    return await conclude(io, imports, { id, reader, folder, format, flags, json: flags.json === true });
  } finally {
    reader.close();
  }
}

interface Outcome {
  readonly id: string;
  readonly reader: ExportReader;
  readonly folder: string;
  readonly format: ExportFormat;
  readonly flags: ExportFlags;
  readonly json: boolean;
}

/** Writes what was read, and says what it is. An export that can be continued keeps its folder; otherwise it is removed. */
async function conclude(io: Io, imports: Imports, outcome: Outcome): Promise<ExitCode> {
  const { id, reader, folder, flags, json } = outcome;
  const { state, options, reason } = reader.record();
  const howToContinue = `  ${resumeCommand(imports.command('export'), id, flags)}${options.sandbox ? ' --sandbox' : ''}`;
  if (state === 'running' || state === 'stopped') {
    const why = state === 'running' ? 'Interrupted: nothing was written.' : `Stopped: ${reason}.`;
    say(io, '', why, 'What has been read is kept. Continue with:', howToContinue);
    return state === 'running' ? EXIT.interrupted : EXIT.stopped;
  }
  const files = await write(io, outcome);
  const found = exportFindings(id, reader);
  if (json) io.out.write(`${JSON.stringify(exportDocument(found, files))}\n`);
  else sayExport(io, imports, found, files);
  reader.close();
  await rm(folder, { recursive: true, force: true });
  return state === 'completed' ? EXIT.ok : EXIT.rowsFailed;
}

async function write(io: Io, { reader, flags: { output }, format, id }: Outcome): Promise<WrittenFile[]> {
  try {
    if (output !== undefined) return await writeExport(reader, resolve(output), format);
    const [main = 'members'] = listsOf(reader.record().options);
    // Standard output stays open: it is not ours to close.
    await pipeline(exportBytes(reader, main, format), io.out, { end: false });
    return [];
  } catch (error) {
    if (output === undefined || !(error instanceof Error && 'syscall' in error)) throw error;
    throw new UsageError(
      `the export cannot be written: ${error.message}; name another file: rollcall export --resume ${id} --output <file>`,
    );
  }
}

function formatOf({ format, output = '' }: Flags): ExportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  return format ?? EXPORT_FORMATS.find((one) => one === ending) ?? 'csv';
}

/** What can be known before a server is asked. @throws UsageError */
function refuseOptions(flags: Flags): void {
  if (flags.resume !== undefined) refuseChoices(flags);
  checkOutput(flags, flags);
}

/** @param lists what the export has: of one that is continued, not what the flags say */
function checkOutput(
  { users = false, groupsOnly = false }: Pick<Flags, 'users' | 'groupsOnly'> | ExportOptions,
  flags: Flags,
): void {
  const { output, json } = flags;
  const needed = users ? '--users' : json ? '--json' : undefined;
  if (output === undefined && needed !== undefined) {
    throw new UsageError(`${needed} needs --output: standard output has room for one list`);
  }
  const files = output === undefined ? [] : outputFiles(listsOf({ users, groupsOnly }), output);
  refuseExisting(
    files.map(({ path }) => path),
    flags,
  );
}

/** @throws UsageError for a region without an app */
function regionsOf({ region }: Flags, having: readonly Region[]): readonly Region[] {
  const without = region?.filter((one) => !having.includes(one)) ?? [];
  if (without.length === 0) return region ?? having;
  throw new UsageError(`region ${without.join(', ')} has no app; those with an app: ${having.join(', ')}`);
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
