import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type GroupFacts, groupFacts, type UserFacts, userFacts } from '../../chat/replies.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { SURVEY_SCHEMA } from '../../imports/schemas.ts';
import { Survey, type SurveyRecord } from '../../imports/survey/survey.ts';
import type { Region } from '../../membership/membership.ts';
import { openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { type ExportOptions, type ExportTotals, exportOptions } from './api.ts';

const STATEMENTS = new URL('export-store.sql', import.meta.url);

/** The file of an export, in its folder. */
export function exportFile(folder: string): string {
  return join(folder, 'export.sqlite');
}

/** An export as it is stored. */
type ExportRecord = Omit<SurveyRecord<'completed' | 'incomplete'>, 'options'> & { readonly options: ExportOptions };

export interface ExportedMember {
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** The scope in the service's words, `ban` for a banned user. */
  readonly scope: string;
  /** Empty where the service does not say it. */
  readonly name: string;
  /** Seconds since 1970. */
  readonly joinedAt: number | null;
  readonly group: GroupFacts | null;
}

/** An export's file, open for anyone to read. */
export interface ExportReader {
  record(): ExportRecord;
  totals(): ExportTotals;
  /** In the order of region, GUID and UID, one at a time. */
  members(): IteratorObject<ExportedMember>;
  groups(): IteratorObject<GroupFacts & { readonly region: Region }>;
  users(): IteratorObject<UserFacts & { readonly region: Region }>;
  close(): void;
}

/** An export's file, open for writing. */
export interface ExportStore extends ExportReader {
  readonly survey: Survey<'completed' | 'incomplete'>;
}

export function createExportStore(folder: string, options: ExportOptions): ExportStore {
  const store = openStore(folder);
  store.survey.begin(options);
  for (const region of options.regions) store.survey.addGroups(region, options.groups ?? []);
  return store;
}

/** @throws UNKNOWN_EXPORT */
export function openExportStore(folder: string, id: string): ExportStore {
  if (!existsSync(exportFile(folder))) throw new RollcallError('UNKNOWN_EXPORT', { id });
  return openStore(folder);
}

/** @throws UNKNOWN_EXPORT */
export function openExportReader(folder: string, id: string): ExportReader {
  if (!existsSync(exportFile(folder))) throw new RollcallError('UNKNOWN_EXPORT', { id });
  return readerOf(new Survey(openForReading(exportFile(folder), SURVEY_SCHEMA), { keepsAll: true }));
}

function openStore(folder: string): ExportStore {
  const survey = new Survey<'completed' | 'incomplete'>(openForWriting(exportFile(folder), SURVEY_SCHEMA, 'soon'), {
    keepsAll: true,
  });
  return { ...readerOf(survey), survey };
}

function readerOf(survey: ExportStore['survey']): ExportReader {
  const sql = statementsOf(survey.database, STATEMENTS);
  const rows = (name: string) => Iterator.from(sql(name).iterate());
  const record = () => {
    const { options, ...stored } = survey.record();
    return { ...stored, options: exportOptions.parse(JSON.parse(options ?? '{}')) };
  };
  return {
    record,
    totals: () => {
      const groups = new Map(
        sql('count_groups')
          .all({ factsOnly: record().options.groupsOnly ? 1 : 0 })
          .map(({ state, n }) => [state, Number(n)]),
      );
      const members = sql('count_members').get();
      const banned = Number(members?.['banned']);
      return {
        groups: groups.get('found') ?? 0,
        pending: groups.get('pending') ?? 0,
        members: Number(members?.['members']) - banned,
        banned,
        users: Number(sql('count_users').get()?.['n']),
        unknownScopes: Number(members?.['odd']),
        missing: sql<ExportTotals['missing'][number]>('missing_everywhere').all(),
        failed: sql<ExportTotals['failed'][number]>('failed').all(),
      };
    },
    members: () => {
      // Members of one group come one after another.
      let text: unknown;
      let group: GroupFacts | null = null;
      return rows('members').map((row) => {
        if (row['facts'] !== text) {
          text = row['facts'];
          group = text === null ? null : groupFacts.parse(JSON.parse(String(text)));
        }
        return {
          region: row['region'] as Region,
          guid: String(row['guid']),
          uid: String(row['uid']),
          scope: String(row['scope']),
          name: String(row['name']),
          joinedAt: row['joined_at'] as number | null,
          group,
        };
      });
    },
    groups: () =>
      rows('groups').map((row) => ({
        region: row['region'] as Region,
        ...groupFacts.parse(JSON.parse(String(row['facts']))),
      })),
    users: () =>
      rows('users').map((row) => ({
        region: row['region'] as Region,
        ...userFacts.parse(JSON.parse(String(row['facts']))),
      })),
    close: () => survey.close(),
  };
}
