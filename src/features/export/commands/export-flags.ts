import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'csv-parse/sync';
import { addressFlagsOf, type PlaceFlags, withPlace } from '../../../cli/flags/file-flags.ts';
import { type OutputFlags, regionList, repeatable, withOptions, withOutput } from '../../../cli/flags/flags.ts';
import { messageOf } from '../../../errors/message-of.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { fieldByAlias } from '../../../imports/read/columns.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import type { Region } from '../../../membership/membership.ts';
import type { Given } from '../../../options/option.ts';
import { SURVEYING } from '../../../options/sending-options.ts';
import { shellWord } from '../../../text/terminal-text.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../operations.ts';

/** Flags of `rollcall export`: what is exported, and where it is written. */
export interface ExportFlags extends OutputFlags, PlaceFlags, Given<typeof SURVEYING> {
  readonly groups?: readonly string[];
  readonly groupsFile?: string;
  readonly region?: readonly Region[];
  readonly users?: true;
  readonly groupsOnly?: true;
  readonly format?: ExportFormat;
}

export function withExport(command: Command) {
  command
    .option('--groups <guid,...>', 'only these groups (default: all)', repeatable(list('GUIDs')))
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

/** The groups that the flags name; undefined: all. @throws BAD_USAGE */
export async function groupsOf({ groups, groupsFile }: ExportFlags): Promise<string[] | undefined> {
  if (groupsFile === undefined) return groups === undefined ? undefined : [...new Set(groups)];
  const text = await readFile(groupsFile, 'utf8').catch((error: unknown) => {
    refuseAddress(groupsFile);
    throw badUsage(`${groupsFile} cannot be read: ${messageOf(error)}`);
  });
  const column = guidColumn(groupsFile, text);
  const lines = column ?? text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const wrong = column === undefined ? lines.findIndex((line) => /[\s,;"]/.test(line.trim())) : -1;
  if (wrong !== -1) {
    throw badUsage(
      `line ${wrong + 1} of ${groupsFile} is ${JSON.stringify(lines[wrong]?.slice(0, 80))}; allowed is one GUID per line, or a CSV file with a column guid`,
    );
  }
  const found = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (found.length === 0) throw badUsage(`${groupsFile} names no group; write one GUID per line`);
  return [...new Set(found)];
}

/** The GUIDs of a CSV file with a header, such as an export or a membership file; undefined for any other file. @throws BAD_USAGE */
function guidColumn(file: string, text: string) {
  const header = /^[^\r\n]*/.exec(text.replace(/^\uFEFF/, ''))?.[0] ?? '';
  const delimiter = [',', ';', '\t'].find((one) => header.includes(one)) ?? ',';
  const named = (name: string) => fieldByAlias(name.trim().replace(/^"(.*)"$/, '$1')) === 'guid';
  if (!header.split(delimiter).some(named)) return undefined;
  try {
    const rows = parse(text, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true }) as string[][];
    const [names = [], ...others] = rows;
    const at = names.findIndex(named);
    return others.map((row) => row[at] ?? '');
  } catch (error) {
    throw badUsage(`${file} cannot be read as CSV: ${messageOf(error)}`);
  }
}

function list(what: string): (text: string, earlier?: readonly string[]) => readonly string[] {
  return (text, earlier = []) => {
    const found = text.split(',').map((part) => part.trim());
    if (found.includes('')) throw new InvalidArgumentError(`Expected ${what} with commas between them.`);
    return [...earlier, ...found];
  };
}
