import { extname } from 'node:path';
import { writeTable } from '../../platform/table.ts';
import type { ExportFormat, ExportList, ExportOptions } from './api.ts';
import type { ExportReader } from './export-store.ts';

type Value = string | number | null | readonly string[] | Readonly<Record<string, unknown>>;
type Column<Row> = readonly [name: string, value: (row: Row) => Value];
type RowOf<List extends ExportList> = ReturnType<ExportReader[List]> extends IteratorObject<infer Row> ? Row : never;

const COLUMNS: { readonly [List in ExportList]: readonly Column<RowOf<List>>[] } = {
  members: [
    ['uid', ({ uid }) => uid],
    ['guid', ({ guid }) => guid],
    ['scope', ({ scope }) => scope],
    ['region', ({ region }) => region],
    ['name', ({ name }) => name],
    ['group_name', ({ group }) => group?.name ?? null],
    ['group_type', ({ group }) => group?.type ?? null],
    ['group_owner', ({ group }) => group?.owner ?? null],
    ['joined_at', ({ joinedAt }) => isoTime(joinedAt)],
  ],
  groups: [
    ['guid', ({ guid }) => guid],
    ['region', ({ region }) => region],
    ['group_name', ({ name }) => name],
    ['group_type', ({ type }) => type],
    ['group_owner', ({ owner }) => owner],
    ['group_description', ({ description }) => description],
    ['group_icon', ({ icon }) => icon],
    ['group_tags', ({ tags }) => tags],
    ['group_metadata', ({ metadata }) => metadata],
    ['members', ({ membersCount }) => membersCount],
    ['created_at', ({ createdAt }) => isoTime(createdAt)],
  ],
  users: [
    ['uid', ({ uid }) => uid],
    ['region', ({ region }) => region],
    ['name', ({ name }) => name],
    ['role', ({ role }) => role],
    ['avatar', ({ avatar }) => avatar],
    ['link', ({ link }) => link],
    ['status_message', ({ statusMessage }) => statusMessage],
    ['tags', ({ tags }) => tags],
    ['metadata', ({ metadata }) => metadata],
    ['created_at', ({ createdAt }) => isoTime(createdAt)],
    ['deactivated_at', ({ deactivatedAt }) => isoTime(deactivatedAt)],
  ],
};

/** The list as text with a line for each row. */
export function exportText(reader: ExportReader, list: ExportList, format: ExportFormat): Generator<string> {
  const names = COLUMNS[list].map(([name]) => name);
  return writeTable(names, rowsOf(reader, list), format);
}

function* rowsOf(reader: ExportReader, list: ExportList): Generator<Value[]> {
  switch (list) {
    case 'members':
      for (const row of reader.members()) yield COLUMNS.members.map(([, value]) => value(row));
      return;
    case 'groups':
      for (const row of reader.groups()) yield COLUMNS.groups.map(([, value]) => value(row));
      return;
    case 'users':
      for (const row of reader.users()) yield COLUMNS.users.map(([, value]) => value(row));
  }
}

/** Last second that a Date can be. */
const LAST_SECOND = 8_640_000_000_000;

/** Seconds since 1970 as ISO 8601. */
function isoTime(seconds: number | null): string | null {
  if (seconds === null || Math.abs(seconds) > LAST_SECOND) return null;
  return new Date(seconds * 1000).toISOString();
}

/** The lists that an export has, the main one first. */
export function listsOf({ users, groupsOnly }: Partial<Pick<ExportOptions, 'users' | 'groupsOnly'>>): ExportList[] {
  if (groupsOnly) return ['groups'];
  return ['members', 'groups', ...(users ? (['users'] as const) : [])];
}

/** A file that an export writes. */
export interface WrittenFile {
  readonly list: ExportList;
  /** Or its address. */
  readonly path: string;
}

/** The file of each list: of the main one at `path`, of the others beside it (`members.csv`, `members-groups.csv`). */
export function outputFiles([main, ...others]: readonly ExportList[], path: string): WrittenFile[] {
  const ending = extname(path);
  const base = ending === '' ? path : path.slice(0, -ending.length);
  return [
    ...(main === undefined ? [] : [{ list: main, path }]),
    ...others.map((list) => ({ list, path: `${base}-${list}${ending}` })),
  ];
}
