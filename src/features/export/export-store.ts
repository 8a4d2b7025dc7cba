import { join } from 'node:path';
import { groupFacts, userFacts } from '../../chat/replies.ts';
import { SURVEY_SCHEMA } from '../../imports/schemas.ts';
import { Survey } from '../../imports/survey/survey.ts';
import type { Region } from '../../membership/membership.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { type ExportOptions, type ExportTotals, exportOptions } from './operations.ts';

const STATEMENTS = new URL('export-store.sql', import.meta.url);

/** The file of an export, in its folder. */
export function exportFile(folder: string): string {
  return join(folder, 'export.sqlite');
}

/** An export's file, open for anyone to read. */
export type ExportReader = ReturnType<typeof readerOf>;

/** An export's file, open for writing. */
export type ExportStore = ReturnType<typeof openExportStore>;

export function createExportStore(folder: string, options: ExportOptions): ExportStore {
  const store = openExportStore(folder);
  store.survey.begin(options);
  const { database, sql } = store.survey;
  inTransaction(database, () => {
    for (const region of options.regions) {
      for (const guid of options.groups ?? []) sql('add_group').run({ region, guid });
    }
  });
  return store;
}

export function openExportStore(folder: string) {
  const database = openForWriting(exportFile(folder), SURVEY_SCHEMA, 'soon');
  const survey: ExportSurvey = new Survey(database, { keepsAll: true });
  return { ...readerOf(survey), survey };
}

export function openExportReader(folder: string): ExportReader {
  return readerOf(new Survey(openForReading(exportFile(folder), SURVEY_SCHEMA)));
}

type ExportSurvey = Survey<'completed' | 'incomplete'>;

interface MemberRow {
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** Its scope in the service's words, `ban` for a banned user. */
  readonly scope: string;
  /** Empty where the service does not say it. */
  readonly name: string;
  /** Seconds since 1970. */
  readonly joinedAt: number | null;
  readonly groupName: string | null;
  readonly groupType: string | null;
  readonly groupOwner: string | null;
}

type Entries = Pick<ExportTotals, 'members' | 'banned' | 'users' | 'unknownScopes'>;
type FactsRow = Pick<MemberRow, 'region'> & { readonly facts: string };

/** Lists come in the order of region, then GUID and UID, one row at a time. */
function readerOf(survey: ExportSurvey) {
  const sql = statementsOf(survey.database, STATEMENTS);
  const rows = <Row>(name: string) => Iterator.from(sql<Row>(name).iterate());
  const record = () => {
    const { options, ...stored } = survey.record();
    return { ...stored, options: exportOptions.parse(JSON.parse(options ?? '{}')) };
  };
  return {
    record,
    totals: (): ExportTotals => {
      const groups = new Map(
        sql('count_groups')
          .all({ factsOnly: record().options.groupsOnly ? 1 : 0 })
          .map(({ state, n }) => [state, Number(n)]),
      );
      const entries = sql<Entries>('count_entries').get() as Entries;
      return {
        groups: groups.get('found') ?? 0,
        pending: groups.get('pending') ?? 0,
        ...entries,
        missing: sql<ExportTotals['missing'][number]>('missing_everywhere').all(),
        failed: sql<ExportTotals['failed'][number]>('failed').all(),
      };
    },
    members: () => rows<MemberRow>('members'),
    groups: () =>
      rows<FactsRow>('groups').map(({ region, facts }) => ({ region, ...groupFacts.parse(JSON.parse(facts)) })),
    users: () =>
      rows<FactsRow>('users').map(({ region, facts }) => ({ region, ...userFacts.parse(JSON.parse(facts)) })),
    close: () => survey.close(),
  };
}
