import type { DatabaseSync } from 'node:sqlite';
import { RollcallError } from '../../../errors/rollcall-error.ts';
import type { IntakeNote } from '../../../imports/read/notes.ts';
import { IMPORT_SCHEMA } from '../../../imports/schemas.ts';
import { surveyOf } from '../../../imports/survey/survey.ts';
import { LOOKUP_NAMES, LOOKUPS, type LookupName } from '../../../options/lookups.ts';
import { attachForReading, durably, inTransaction, openForWriting, statementsOf } from '../../../platform/sqlite.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { PLAN_SCHEMA, type PlanFacts, planReader, type StoredObjection } from './plan-reading.ts';

/** A plan's file, open for the planner. */
export type PlanLedger = ReturnType<typeof openPlanLedger>;

/** Opens the file of a plan at `path`, a new one where there is none. Throws LEDGER_MISSING, DAMAGED_LEDGER when it cannot be used. */
export function openPlanLedger(path: string) {
  const database = openForWriting(path, PLAN_SCHEMA, 'soon');
  const sql = statementsOf(database, new URL('plan-ledger.sql', import.meta.url));
  const reader = planReader(database);
  sql('open_done').run();
  /** The groups, their members, and users who may not exist. */
  const survey = surveyOf(database);
  /** Replaces notes with the same codes. */
  const addNotes = (added: readonly IntakeNote[]) => {
    const others = reader.facts().notes.filter(({ code }) => !added.some((one) => one.code === code));
    sql('set_notes').run({ notes: JSON.stringify([...others, ...added]) });
  };
  return {
    ...reader,
    database,
    sql,
    survey,
    addNotes,
    /** Once, at first: notes the groups of the staged file, or those in which the import may have done something. */
    begin: (basis: 'desired' | 'undone', path: string, source: Pick<PlanFacts, 'file' | 'hash' | 'size'>) =>
      withAttached(database, path, basis, () => {
        survey.begin();
        const isFile = basis === 'desired';
        sql(isFile ? 'set_source' : 'set_undone_source').run(source);
        sql(isFile ? 'set_groups' : 'set_undone_groups').run();
        if (!isFile) return;
        const noted = JSON.stringify(LOOKUP_NAMES.map((name) => LOOKUPS[name].unknownCode));
        addNotes([
          ...LOOKUP_NAMES.flatMap((name) =>
            notFoundNote(name, sql('not_found').get({ code: LOOKUPS[name].unknownCode })),
          ),
          ...invalidNote(sql<InvalidRow>('first_invalid').all({ noted })),
        ]);
      }),
    /** After groups were read: counts the members, and refuses groups with a scope that rollcall does not know. */
    settle: () => {
      for (const { id, uid, scope } of sql<{ id: number; uid: string; scope: string }>('unknown_scopes').all()) {
        survey.failGroup(id, 'failed', new RollcallError('UNKNOWN_SCOPE', { uid, scope }));
      }
      sql('count_members').run();
    },
    /** Replaces what the guards say. It is the last step: what people approve is on the disk. */
    recordObjections: (objections: readonly StoredObjection[]) =>
      durably(database, () =>
        inTransaction(database, () => {
          sql('forget_findings').run();
          for (const objection of objections) sql('add_finding').run({ ...objection });
        }),
      ),
  };
}

/** Does `work` in one transaction with another ledger attached, to read. @throws LEDGER_MISSING, DAMAGED_LEDGER */
export function withAttached<Result>(
  database: DatabaseSync,
  path: string,
  name: 'desired' | 'undone' | 'later' | 'newer',
  work: () => Result,
) {
  attachForReading(database, path, name, name === 'newer' ? PLAN_SCHEMA : IMPORT_SCHEMA);
  try {
    return inTransaction(database, work);
  } finally {
    database.exec(`detach ${name}`);
  }
}

interface InvalidRow {
  readonly line: number;
  readonly column: string;
  readonly reason: string;
  readonly all: number;
}

/** The first rows that cannot be used. */
function invalidNote(first: readonly InvalidRow[]) {
  const [{ all } = { all: 0 }] = first;
  if (all === 0) return [];
  const named = first.map(({ line, column, reason }) => `row ${line} (${column}: ${reason})`);
  const more = all - first.length;
  const rest = more === 0 ? '' : ` and ${grouped(more)} more, which \`rollcall import --dry-run\` of the file lists`;
  return [{ code: 'INVALID_ROWS', text: `Rows that cannot be used: ${named.join(', ')}${rest}` }];
}

/** Rows whose user or group is not in the file where it is looked up: nothing is planned for them. */
function notFoundNote(name: LookupName, found: Readonly<Record<string, unknown>> | undefined) {
  const [rows, keys] = [Number(found?.['rows']), Number(found?.['keys'])];
  if (rows === 0) return [];
  const { field, file, unknownCode, unknown } = LOOKUPS[name];
  const names = counted(keys, field === 'uid' ? 'user' : 'group');
  const text = `${counted(rows, 'row')} ${rows === 1 ? 'names' : 'name'} ${names} that the ${file} does not have, and ${rows === 1 ? 'is' : 'are'} left out: ${unknown} beside the plan lists them`;
  return [{ code: unknownCode, text }];
}
