import { extname, join } from 'node:path';
import { groupFacts, userFacts } from '../../chat/replies.ts';
import { SURVEY_SCHEMA } from '../../imports/schemas.ts';
import { type Survey, surveyOf } from '../../imports/survey/survey.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { writeTable } from '../../platform/table.ts';
import {
  type ExportDocument,
  type ExportFormat,
  type ExportList,
  type ExportOptions,
  type ExportTotals,
  exportOptions,
} from './operations.ts';

const STATEMENTS = new URL('export-store.sql', import.meta.url);

export function exportFile(folder: string): string {
  return join(folder, 'export.sqlite');
}

export type ExportReader = ReturnType<typeof readerOf>;

export type ExportStore = ReturnType<typeof openExportStore>;

export function createExportStore(folder: string, options: ExportOptions): ExportStore {
  const store = openExportStore(folder);
  const { database, sql, begin } = store.survey;
  inTransaction(database, () => {
    begin(options);
    for (const region of options.regions) {
      for (const guid of options.groups ?? []) sql('add_group').run({ region, guid });
    }
  });
  return store;
}

export function openExportStore(folder: string) {
  const database = openForWriting(exportFile(folder), SURVEY_SCHEMA, 'soon');
  const survey: ExportSurvey = surveyOf(database, { keepsAll: true });
  return { ...readerOf(survey), survey };
}

export function openExportReader(folder: string): ExportReader {
  return readerOf(surveyOf(openForReading(exportFile(folder), SURVEY_SCHEMA)));
}

type ExportSurvey = Survey<'completed' | 'incomplete'>;

type Counts = Omit<ExportTotals, 'missing' | 'failed'>;

function readerOf(survey: ExportSurvey) {
  const sql = statementsOf(survey.database, STATEMENTS);
  const record = () => {
    const { options, ...stored } = survey.record();
    return { ...stored, options: exportOptions.parse(JSON.parse(options ?? '{}')) };
  };
  return {
    record,
    totals: (): ExportTotals => ({
      ...(sql('count').get({ factsOnly: record().options.groupsOnly ? 1 : 0 }) as Counts),
      missing: sql<ExportTotals['missing'][number]>('missing_everywhere').all(),
      failed: sql<ExportTotals['failed'][number]>('failed').all(),
    }),
    /** In the order of region, then GUID and UID, one row at a time. */
    rows: (list: ExportList): IteratorObject<object> => {
      const known = list === 'groups' ? groupFacts : userFacts;
      return Iterator.from(sql<{ facts?: string }>(list).iterate()).map(({ facts, ...row }) =>
        facts === undefined ? row : { ...row, ...known.parse(JSON.parse(facts)) },
      );
    },
    close: () => survey.close(),
    [Symbol.dispose]: () => survey.close(),
  };
}

/** Columns, with the field of a row that each has. */
const COLUMNS: Readonly<Record<ExportList, Readonly<Record<string, string>>>> = {
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
  const cells = reader.rows(list).map((row) =>
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

/** The file of each list: of the main one at `path`, of the others beside it (`members.csv`, `members-groups.csv`). */
export function outputFiles(lists: readonly ExportList[], path: string): ExportDocument['files'] {
  const ending = extname(path);
  const base = path.slice(0, path.length - ending.length);
  return lists.map((list, at) => ({ list, path: at === 0 ? path : `${base}-${list}${ending}` }));
}
