import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LineRange, readLines } from '../../api/row-filter.ts';
import { USER_MISSING } from '../../chat/service/codes.ts';
import { type RowFilter, rowFilterOf } from '../../imports/report/found-rows.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { outcomeList } from './flags.ts';

/** Flags that choose the rows of an import. */
export interface RowFilterFlags {
  readonly status?: ReadonlySet<Outcome>;
  readonly code?: string;
  readonly region?: Region;
  readonly guid?: string;
  readonly uid?: string;
  readonly text?: string;
  readonly line?: LineRange;
}

export function withRowFilter(command: Command): Command {
  return command
    .option('--status <outcomes>', 'only rows with these outcomes, such as failed,invalid', outcomeList)
    .option('--code <code>', `only rows with this code, such as ${USER_MISSING}`)
    .addOption(new Option('--region <region>', 'only rows of this region').choices(REGIONS))
    .option('--guid <guid>', 'only rows of this group')
    .option('--uid <uid>', 'only rows of this user')
    .option('--text <text>', 'only rows with this text in their UID, GUID or any column')
    .option('--line <n|n-m>', 'only these rows, as a spreadsheet counts', lineRange);
}

export function rowFilter({ status, code, region, guid, uid, text, line }: RowFilterFlags): RowFilter {
  return rowFilterOf({ status: status && [...status], code, region, guid, uid, text, line });
}

function lineRange(text: string): LineRange {
  const lines = readLines(text);
  if (lines !== undefined) return lines;
  throw new InvalidArgumentError(
    `${JSON.stringify(text)} is not a row of the file such as 120, or a range such as 120-150.`,
  );
}
