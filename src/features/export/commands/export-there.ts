import { UsageError } from '../../../cli/errors.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { untilSettled } from '../../../cli/target/settled.ts';
import { firstSignal } from '../../../platform/lifecycle.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ExportView } from '../api.ts';
import type { ExportFormat } from '../export-files.ts';
import { exportOperations } from '../operations.ts';
import { type ExportFlags, resumeCommand } from './export-flags.ts';
import { concludeExport } from './export-outcome.ts';
import type { OutputPlace } from './output-place.ts';

/** Exports that a server reads: begun there, followed to their end, downloaded, and then deleted there. */

interface ThereOptions {
  readonly io: Io;
  readonly imports: Imports;
  readonly server: Server;
  readonly format: ExportFormat;
  readonly groups: readonly string[] | undefined;
  /** Undefined for standard output. */
  readonly output: OutputPlace | undefined;
  readonly flags: ExportFlags & { readonly resume?: string | true };
}

export async function exportThere(options: ThereOptions): Promise<ExitCode> {
  const { io, imports, server } = options;
  const begun = await begin(options);
  const { id } = begun;
  // Both can be continued: one that is not read to its end, and one whose files are not written yet.
  const howToContinue = `  ${resumeCommand(imports.command('export'), id, options.flags)}`;
  const signal = firstSignal(EXIT.stillRunning);
  const look = () => server.call(exportOperations.one, { id });
  const view = await untilSettled({
    ...{ io, server, signal: signal.signal, look },
    goesOn: ({ underWay }) => underWay,
    linesOf: progressLines,
    begins: 'the export to begin',
  }).finally(signal.ignore);
  if (view.underWay) {
    say(io, '', `The export continues at ${server.url}. Follow it with:`, howToContinue);
    return EXIT.stillRunning;
  }
  return concludeExport({ ...options, client: server, howToContinue }, view);
}

/** Starts an export or continues one; if it has been read already, only downloads it. */
async function begin({ server, groups, flags }: ThereOptions): Promise<ExportView> {
  const { resume, region, users, groupsOnly } = flags;
  if (resume === undefined) {
    const asked = { groups: groups && [...groups], regions: region && [...region], users, groupsOnly };
    return server.call(exportOperations.begin, asked);
  }
  let id = resume;
  if (id === true) {
    const { exports } = await server.call(exportOperations.list, {});
    const latest = exports.find(({ state }) => state !== 'unreadable');
    if (latest === undefined) throw new UsageError(`there is no export to continue at ${server.url}`);
    id = latest.id;
  }
  const view = await server.call(exportOperations.one, { id });
  return view.underWay || view.state === 'completed' ? view : server.call(exportOperations.resume, { id });
}

function progressLines({ progress }: ExportView): string[] {
  if (progress === null) return [];
  const { step, done, of } = progress;
  if (step === 'members') return [`reading members  ${grouped(done)} of ${counted(of ?? done, 'group')}`];
  return [`listing ${step}  ${counted(done, step === 'groups' ? 'group' : 'user')}`];
}
