import { extname } from 'node:path';
import { writeTable } from '../../platform/table.ts';
import type { ExportReader } from './export-store.ts';
import type { ExportFormat, ExportList, ExportOptions } from './operations.ts';

type RowOf<List extends ExportList> = ReturnType<ExportReader[List]> extends IteratorObject<infer Row> ? Row : never;

/** Columns, with the field of a row that each has. */
const COLUMNS: { readonly [List in ExportList]: Readonly<Record<string, keyof RowOf<List>>> } = {
  members: {
    uid: 'uid',
    guid: 'guid',
    scope: 'scope',
    region: 'region',
    name: 'name',
    group_name: 'groupName',
    group_type: 'groupType',
    group_owner: 'groupOwner',
    joined_at: 'joinedAt',
  },
  groups: {
    guid: 'guid',
    region: 'region',
    group_name: 'name',
    group_type: 'type',
    group_owner: 'owner',
    group_description: 'description',
    group_icon: 'icon',
    group_tags: 'tags',
    group_metadata: 'metadata',
    members: 'membersCount',
    created_at: 'createdAt',
  },
  users: {
    uid: 'uid',
    region: 'region',
    name: 'name',
    role: 'role',
    avatar: 'avatar',
    link: 'link',
    status_message: 'statusMessage',
    tags: 'tags',
    metadata: 'metadata',
    created_at: 'createdAt',
    deactivated_at: 'deactivatedAt',
  },
};

/** The list as text with a line for each row. */
export function exportText(reader: ExportReader, list: ExportList, format: ExportFormat): Generator<string> {
  const columns = Object.entries(COLUMNS[list]);
  const rows: IteratorObject<object> = reader[list]();
  const cells = rows.map((row) =>
    columns.map(([name, field]) => {
      const value: unknown = Reflect.get(row, field);
      return name.endsWith('_at') ? isoTime(value as number | null) : value;
    }),
  );
  return writeTable(Object.keys(COLUMNS[list]), cells, format);
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
