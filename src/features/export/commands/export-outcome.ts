import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/imports.ts';
import { counted, printable } from '../../../text/wording.ts';
import type { ExportTotals } from '../api.ts';
import type { WrittenFile } from '../export-files.ts';
import type { ExportReader } from '../export-store.ts';

/** `--json` of `rollcall export`. Times are ISO 8601. */
interface ExportDocument {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly calls: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly totals: ExportTotals;
  readonly files: readonly WrittenFile[];
}

/** A finished export, here or on a server. */
export interface ExportFindings extends Omit<ExportDocument, 'files'> {
  readonly groupsOnly: boolean;
  readonly users: boolean;
}

/** The result of an export on this machine. */
export function exportFindings(id: string, reader: ExportReader): ExportFindings {
  const { state, reason, calls, createdAt, finishedAt, options } = reader.record();
  return {
    id,
    state,
    reason,
    calls,
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
    totals: reader.totals(),
    groupsOnly: options.groupsOnly,
    users: options.users,
  };
}

export function exportDocument(found: ExportFindings, files: readonly WrittenFile[]): ExportDocument {
  const { id, state, reason, calls, createdAt, finishedAt, totals } = found;
  return { id, state, reason, calls, createdAt, finishedAt, totals, files };
}

/** Groups that are named one by one; more are counted. */
const NAMED = 10;

/** Says what an export has, what it lacks, and how it is read back. */
export function sayExport(
  io: Io,
  imports: Pick<Imports, 'command'>,
  found: ExportFindings,
  files: readonly WrittenFile[],
): void {
  const { totals, calls, groupsOnly, users } = found;
  say(io, '', ...totalLines(totals, groupsOnly, users, calls), ...problemLines(totals));
  if (files.length === 0) return;
  say(io, '', ...files.map(({ list, path }) => `  ${list.padEnd(7)}  ${path}`));
  const members = files.find(({ list }) => list === 'members');
  if (members === undefined) return;
  say(io, '', 'To bring the groups back to this state later, look at the plan first:');
  say(io, `  ${imports.command('sync', members.path)} --mode mirror --missing remove --allow-demotion`);
}

function totalLines(totals: ExportTotals, groupsOnly: boolean, users: boolean, calls: number): string[] {
  const { groups, members, banned } = totals;
  const parts = groupsOnly
    ? [counted(groups + totals.pending, 'group')]
    : [counted(groups, 'group'), counted(members, 'member'), counted(banned, 'banned user')];
  return [
    `Exported ${[...parts, ...(users ? [counted(totals.users, 'user')] : [])].join(', ')} in ${counted(calls, 'call')}.`,
  ];
}

function problemLines({ failed, missing, unknownScopes }: ExportTotals): string[] {
  const unread = failed.map(({ region, guid, code, message }) => `  ${guid} (${region}): ${code}: ${message}`);
  const unknown = missing.map(({ guid, code }) => `  ${guid}: ${code}`);
  const some = (lines: readonly string[]) => [
    ...lines.slice(0, NAMED).map(printable),
    ...(lines.length > NAMED ? [`  and ${lines.length - NAMED} more`] : []),
  ];
  return [
    ...(unread.length === 0 ? [] : [`Could not be read, so not in the files: ${counted(unread.length, 'group')}`]),
    ...some(unread),
    ...(unknown.length === 0
      ? []
      : [`Not found, or deleted while the export ran: ${counted(unknown.length, 'group')}`]),
    ...some(unknown),
    ...(unknownScopes === 0
      ? []
      : [
          `With a scope that rollcall does not know, so that no import can read the row: ${counted(unknownScopes, 'member')}`,
        ]),
  ];
}
