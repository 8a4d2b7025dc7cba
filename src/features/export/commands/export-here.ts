import { type CoordinateOptions, coordinate } from '../../../cli/coordinate.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { showSteps } from '../../../cli/screen/progress.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { Region } from '../../../membership/membership.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ExportStore } from '../export-store.ts';
import { type ExportProgress, runExport } from '../run-export.ts';

interface RunExportOptions extends Omit<CoordinateOptions, 'howToContinue'> {
  readonly id: string;
  /** Makes or opens the export's file, once it is known which regions have an app. */
  readonly openStore: (regions: readonly Region[]) => Promise<ExportStore>;
  /** Called when reading begins. */
  readonly begun: () => void;
}

/** Reads an export in this process and shows its progress. Returns an exit code where there is no result to show. */
export async function runExportHere(options: RunExportOptions): Promise<ExitCode | undefined> {
  const { config, io, id } = options;
  let fault: unknown;
  const howToContinue = () => ['Continue with:', `  ${typedCommand(config, 'export', '--resume', id)}`];
  const failure = await coordinate({ ...options, howToContinue }, async (here) => {
    const { coordinator, service } = here;
    const store = await options.openStore(Object.keys(service.apps) as Region[]);
    options.begun();
    let last: ExportProgress | undefined;
    const reading = runExport({
      store,
      pages: coordinator.pages,
      signal: here.signal,
      onProgress: (progress) => {
        last = progress;
      },
    }).catch((error: unknown) => {
      if (!here.signal.aborted) fault = error;
    });
    here.onStop(async () => {
      await reading;
      store.close();
    });
    await here.until(
      reading,
      showSteps(io, () => (last === undefined ? [] : [progressLine(last)]), {
        begins: 'the export to begin',
        regions: coordinator.regions,
      }),
    );
  });
  if (failure !== undefined) return EXIT.fatal;
  if (fault !== undefined) throw fault;
  return undefined;
}

function progressLine(progress: ExportProgress): string {
  if (progress.step === 'members') {
    return `reading members  ${grouped(progress.done)} of ${counted(progress.groups, 'group')}`;
  }
  const noun = progress.step === 'groups' ? 'group' : 'user';
  return `listing ${progress.step} in ${progress.region}  ${counted(progress.entries, noun)}`;
}
