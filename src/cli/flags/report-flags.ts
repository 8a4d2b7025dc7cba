import type { Command } from 'commander';
import type { ImportOptions } from '../../imports/import-options.ts';
import { REPORTING, type ReportingChoices } from '../../options/sending-options.ts';
import type { Config } from '../../platform/config.ts';
import { withOptions } from './option-flags.ts';
import { type PlaceFlags, sourceSettingsOf } from './source-flags.ts';

export interface ReportFlags extends ReportingChoices {}

/** `--report-to`; with the flags of addresses beside it. */
export function withReportTo(command: Command): Command {
  return withOptions(command, REPORTING);
}

/**
 * Returns the destination of the reports, valid in every folder: from the flag, or the setting.
 * @throws SourceError where nothing can be written, without asking anyone
 */
export async function reportTargetOf(
  { reportTo: usual, namedSources }: Config,
  flags: ReportFlags & PlaceFlags & { readonly sandbox?: true },
): Promise<Pick<ImportOptions, 'reportTo'>> {
  const text = flags.reportTo?.place ?? (flags.sandbox ? undefined : usual);
  if (text === undefined) return {};
  const { placeToWrite } = await import('../../sources/write.ts');
  const given = flags.reportTo === undefined ? {} : await sourceSettingsOf(flags);
  return { reportTo: await placeToWrite(text, process.cwd(), given, namedSources) };
}
