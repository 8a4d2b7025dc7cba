import { type Command, Option } from 'commander';
import { addressFlagsOf, type PlaceFlags, withPlace } from '../../../cli/flags/file-flags.ts';
import { type OutputFlags, regionList, withOptions, withOutput } from '../../../cli/flags/flags.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { readIdFile } from '../../../imports/read/id-file.ts';
import type { Region } from '../../../membership/membership.ts';
import { idList } from '../../../options/deciding-options.ts';
import type { Given } from '../../../options/option.ts';
import { SURVEYING } from '../../../options/sending-options.ts';
import { shellWord } from '../../../text/terminal-text.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../operations.ts';

export interface ExportFlags extends OutputFlags, PlaceFlags, Given<typeof SURVEYING> {
  readonly groups?: readonly string[];
  readonly groupsFile?: string;
  readonly region?: readonly Region[];
  readonly users?: true;
  readonly groupsOnly?: true;
  readonly format?: ExportFormat;
}

export function withExport(command: Command) {
  withOptions(command, { groups: { ...idList('guid'), help: 'only these groups', preset: 'all' } });
  command
    .addOption(
      new Option(
        '--groups-file <file>',
        'only the groups in this file: one GUID per line, or a CSV file with a column guid',
      ).conflicts('groups'),
    )
    .option('--region <region,...>', 'only these regions (default: all that have an app)', regionList)
    .option('--users', 'write the users with their fields too; needs --output')
    .addOption(new Option('--groups-only', 'write the groups with their fields, without members').conflicts('users'))
    .addOption(
      new Option('--format <format>', 'format of the output (default: what --output ends in, else csv)').choices(
        EXPORT_FORMATS,
      ),
    );
  withOptions(command, SURVEYING);
  return withPlace(withOutput(command, ', or to an address; groups and users get files beside it'));
}

/** The command that continues an export, written as these flags say. */
export function resumeCommand(command: string, id: string, given: ExportFlags) {
  const { format, output, overwrite } = given;
  const named = Object.entries({ output, format }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  const flags = [...named, ...addressFlagsOf(given).flatMap(([flag, value]) => [flag, shellWord(value)])];
  return [command, '--resume', id, ...flags, ...(overwrite ? ['--overwrite'] : [])].join(' ');
}

/** All groups: undefined. @throws BAD_USAGE */
export async function groupsOf({ groups, groupsFile: path }: ExportFlags): Promise<string[] | undefined> {
  if (path === undefined) return groups && [...new Set(groups)];
  const remedy = 'write one GUID a line, or a CSV file with a column guid';
  const refused = (what: string) => badUsage(`${path} ${what}; ${remedy}`);
  return [...(await readIdFile({ path, name: path, field: 'guid', refused }))];
}
