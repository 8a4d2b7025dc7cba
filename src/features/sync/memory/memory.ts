import { RollcallError } from '../../../errors/rollcall-error.ts';
import { scopeOf } from '../../../imports/record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../../../imports/schemas.ts';
import {
  attachForReading,
  idsOf,
  inTransaction,
  openForReading,
  openForWriting,
  readIfThere,
  type Statements,
  statementsOf,
} from '../../../platform/sqlite.ts';
import { writeTable } from '../../../platform/table.ts';
import { isoTime } from '../../../text/wording.ts';
import { PLAN_SCHEMA } from '../plan/plan-reading.ts';

export const MEMORY_SCHEMA = new URL('memory-schema.sql', import.meta.url);
const STATEMENTS = new URL('memory.sql', import.meta.url);

/** The statements by which each kind of work becomes part of the memory; those about the plan follow for a run. */
const STEPS = {
  /** The import of a run, and of a retry of it. */
  own: ['add_made', 'note_changed', 'forget_removed'],
  /** Another import, whose additions the sync takes for its own. */
  adopted: ['add_made'],
  /** An import that reverses a run. */
  undo: ['note_changed', 'forget_removed'],
} as const;

/** Work that becomes part of the memory of a sync. */
export interface Remembered {
  readonly memory: string;
  readonly sync: string;
  readonly kind: keyof typeof STEPS;
  /** Id of the run or the import. */
  readonly id: string;
  /** Path of the ledger; undefined where nothing was sent. */
  readonly ledger?: string | undefined;
  readonly plan?: string | undefined;
  readonly apps: string;
}

/** Makes work part of the memory: once, however often this is asked for. @throws LEDGER_MISSING, DAMAGED_LEDGER */
export function remember({ memory, sync, kind, id, ledger, plan, apps }: Remembered) {
  using database = openForWriting(memory, MEMORY_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  if (ledger !== undefined) attachForReading(database, ledger, 'done', IMPORT_SCHEMA);
  if (plan !== undefined) attachForReading(database, plan, 'planned', PLAN_SCHEMA);
  inTransaction(database, () => {
    if (sql('take').run({ sync, id }).changes === 0) return;
    if (ledger !== undefined) sql('add_groups').run({ sync, apps });
    sql('open_own').run();
    sql('gather_own').run({ sync, apps });
    if (ledger !== undefined) {
      sql('open_outcomes').run();
      const given = { at: Date.now(), own: kind === 'own' ? 1 : 0 };
      for (const step of STEPS[kind]) sql(step).run(step === 'add_made' ? given : {});
    }
    if (plan !== undefined) for (const step of ['note_right', 'forget_gone']) sql(step).run();
  });
}

function reading<Result>(memory: string, none: Result, read: (sql: Statements) => Result) {
  return readIfThere(memory, MEMORY_SCHEMA, none, (database) => read(statementsOf(database, STATEMENTS)));
}

/** Ids of runs and imports that are part of the memory of a sync. */
export function takenBy(memory: string, sync: string) {
  return reading<string[]>(memory, [], (sql) => idsOf(sql('taken').all({ sync })));
}

/** Whether a person has let users back whom the next run of a sync looks for. */
export function awaits(memory: string, sync: string) {
  return reading(memory, false, (sql) => sql('awaited').get({ sync }) !== undefined);
}

/** Lets users back who have left: the next run of the sync adds them again. @param uids default: all @throws NOT_FOUND */
export function bringBack(memory: string, sync: string, uids?: readonly string[]) {
  checkRemembered(memory, sync);
  using database = openForWriting(memory, MEMORY_SCHEMA);
  const given = { sync, uids: uids === undefined ? null : JSON.stringify(uids) };
  if (statementsOf(database, STATEMENTS)('bring_back').run(given).changes > 0) return;
  throw new RollcallError('NOT_FOUND', { what: `the sync ${sync} made none of these users a member` });
}

/** @throws NOT_FOUND where nothing is remembered */
function checkRemembered(memory: string, sync: string) {
  if (takenBy(memory, sync).length > 0) return;
  throw new RollcallError('NOT_FOUND', { what: `nothing is remembered under the name ${JSON.stringify(sync)}` });
}

/** Writes whom a sync made members, as CSV. @throws NOT_FOUND where it remembers nothing */
export function membersCsv(memory: string, sync: string) {
  checkRemembered(memory, sync);
  return membersIn(memory, sync);
}

type Member = Readonly<Record<'region' | 'guid' | 'uid' | 'app', string> & Record<'place' | 'at', number>>;

async function* membersIn(memory: string, sync: string) {
  using database = openForReading(memory, MEMORY_SCHEMA);
  const members = Iterator.from(statementsOf(database, STATEMENTS)<Member>('members').iterate({ sync }));
  const rows = members.map((one) => [one.region, one.guid, one.uid, scopeOf(one.place), isoTime(one.at), one.app]);
  yield* writeTable(['region', 'guid', 'uid', 'scope', 'added_at', 'app'], rows, 'csv');
}
