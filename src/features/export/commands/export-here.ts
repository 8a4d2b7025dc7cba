import { rm } from 'node:fs/promises';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { coordinate } from '../../../cli/coordinate.ts';
import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { showSteps } from '../../../cli/screen/progress.ts';
import { handledLocally } from '../../../cli/target/client.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { Region } from '../../../membership/membership.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { type ExportFormat, exportBytes } from '../export-files.ts';
import { openExportReader } from '../export-store.ts';
import { exportView } from '../export-view.ts';
import { exportOperations } from '../operations.ts';
import type { ExportProgress } from '../run-export.ts';
import { createExports } from '../running-exports.ts';
import { type ExportFlags, resumeCommand } from './export-flags.ts';
import { concludeExport } from './export-outcome.ts';
import type { OutputPlace } from './output-place.ts';

interface HereOptions {
  readonly io: Io;
  readonly config: Config;
  readonly imports: Imports;
  readonly format: ExportFormat;
  readonly groups: readonly string[] | undefined;
  /** Undefined for standard output. */
  readonly output: OutputPlace | undefined;
  readonly flags: ExportFlags & Parameters<typeof serviceOpener>[1];
  /** The export to continue. */
  readonly resumed: string | undefined;
}

/** Reads an export in this process, with its progress, and writes it. */
export async function exportHere(options: HereOptions): Promise<ExitCode> {
  const { config, io, imports, flags, groups, resumed } = options;
  const dir = dataDir(config.dataDir);
  let id = resumed;
  let fault: unknown;
  const howToContinue = () =>
    id === undefined ? [] : ['Continue with:', `  ${typedCommand(config, 'export', '--resume', id)}`];
  const openService = serviceOpener(config, flags);
  const failure = await coordinate({ config, io, openService, howToContinue }, async (here) => {
    const { coordinator, service } = here;
    const onError = (_: string, error: unknown) => {
      fault = error;
    };
    const exports = createExports({
      dir,
      pages: (...which) => coordinator.pages(...which),
      ...coordinator.sendsTo,
      onError,
    });
    here.onStop(() => exports.stop());
    const begin = () => {
      const { users = false, groupsOnly = false } = flags;
      const regions = [...regionsOf(flags, Object.keys(service.apps) as Region[])];
      return exports.begin({ regions, users, groupsOnly, ...(groups !== undefined && { groups: [...groups] }) });
    };
    if (resumed !== undefined) exports.resume(resumed);
    const begun = resumed ?? begin();
    id = begun;
    noteHere(dir, 'export.create', begun, '', coordinator.sendsTo);
    const progress = () => progressLines(exports.progress(begun));
    await here.until(
      exports.over(begun),
      showSteps(io, progress, { begins: 'the export to begin', regions: () => coordinator.regions() }),
    );
  });
  if (failure !== undefined || id === undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  const folder = dir.export(id);
  const reader = openExportReader(folder, id);
  try {
    const client = handledLocally(exportOperations, {
      download: async ({ list, format = 'csv' }) => exportBytes(reader, list, format),
      remove: async () => {
        reader.close();
        await rm(folder, { recursive: true, force: true });
      },
    });
    const sandbox = reader.record().options.sandbox ? ' --sandbox' : '';
    const continued = `  ${resumeCommand(imports.command('export'), id, flags)}${sandbox}`;
    const view = exportView(id, reader, false, undefined);
    return await concludeExport({ ...options, client, howToContinue: continued }, view);
  } finally {
    reader.close();
  }
}

/** @throws UsageError for a region without an app */
function regionsOf({ region }: ExportFlags, having: readonly Region[]): readonly Region[] {
  const without = region?.filter((one) => !having.includes(one)) ?? [];
  if (without.length === 0) return region ?? having;
  throw new UsageError(`region ${without.join(', ')} has no app; those with an app: ${having.join(', ')}`);
}

function progressLines(progress: ExportProgress | undefined): string[] {
  if (progress === undefined) return [];
  if (progress.step === 'members') {
    return [`reading members  ${grouped(progress.done)} of ${counted(progress.groups, 'group')}`];
  }
  const noun = progress.step === 'groups' ? 'group' : 'user';
  return [`listing ${progress.step} in ${progress.region}  ${counted(progress.entries, noun)}`];
}
