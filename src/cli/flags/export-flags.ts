import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../../errors/message-of.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../exports/export-files.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { UsageError } from '../errors.ts';

/** Flags of `rollcall export`: what is taken out, and where it is written. */
export interface ExportFlags {
  readonly groups?: readonly string[];
  readonly groupsFile?: string;
  readonly region?: readonly Region[];
  readonly users?: true;
  readonly groupsOnly?: true;
  readonly format?: ExportFormat;
  readonly output?: string;
}

export function withExport(command: Command): Command {
  return command
    .option('--groups <guid,...>', 'only these groups (default: all)', list('GUIDs'))
    .addOption(
      new Option('--groups-file <file>', 'only the groups in this file, one GUID per line').conflicts('groups'),
    )
    .option('--region <region,...>', 'only these regions (default: all that have an app)', regionList)
    .option('--users', 'write the users with their fields too; needs --output')
    .addOption(new Option('--groups-only', 'write the groups with their fields, without members').conflicts('users'))
    .addOption(
      new Option('--format <format>', 'format of the output (default: what --output ends in, else csv)').choices(
        EXPORT_FORMATS,
      ),
    )
    .option('--output <file>', 'write to a file instead of standard output; groups and users get files beside it');
}

/** The groups that the flags name; undefined: all. @throws UsageError */
export async function groupsOf({ groups, groupsFile }: ExportFlags): Promise<string[] | undefined> {
  if (groupsFile === undefined) return groups === undefined ? undefined : [...new Set(groups)];
  const text = await readFile(groupsFile, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${groupsFile} cannot be read: ${messageOf(error)}`);
  });
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const wrong = lines.findIndex((line) => /[\s,;"]/.test(line.trim()));
  if (wrong !== -1) {
    throw new UsageError(
      `line ${wrong + 1} of ${groupsFile} is ${JSON.stringify(lines[wrong]?.slice(0, 80))}; allowed is one GUID per line`,
    );
  }
  const found = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (found.length === 0) throw new UsageError(`${groupsFile} names no group; write one GUID per line`);
  return [...new Set(found)];
}

function list(what: string): (text: string, earlier?: readonly string[]) => readonly string[] {
  return (text, earlier = []) => {
    const found = text.split(',').map((part) => part.trim());
    if (found.includes('')) throw new InvalidArgumentError(`Expected ${what} with commas between them.`);
    return [...earlier, ...found];
  };
}

function regionList(text: string): readonly Region[] {
  return text.split(',').map((part) => {
    const region = REGIONS.find((one) => one === part.trim());
    if (region === undefined) {
      throw new InvalidArgumentError(`${JSON.stringify(part)} is not a region; allowed are ${REGIONS.join(', ')}.`);
    }
    return region;
  });
}
