import { existsSync } from 'node:fs';
import type { Region } from '../../membership/membership.ts';
import {
  attachForReading,
  inTransaction,
  openForReading,
  openForWriting,
  readIfThere,
  statementsOf,
} from '../../platform/sqlite.ts';
import { ENDS_SCHEMA, IMPORT_SCHEMA } from '../schemas.ts';
import { type Aimed, appsOf } from '../target.ts';

const STATEMENTS = new URL('ends.sql', import.meta.url);

/** A membership that ends, `until` in ms since 1970. */
export interface Ending {
  readonly until: number;
  readonly app: string;
  readonly region: Region;
  readonly guid: string;
  readonly uid: string;
  /** The import or sync whose row says so. */
  readonly by: string;
}

/** An import whose rows have their outcomes, and say which memberships end. */
export interface NotedImport {
  /** The file of all ends; it is made where it is missing. */
  readonly ends: string;
  readonly ledger: string;
  readonly by: string;
  /** The time at which it was begun, in ms since 1970. */
  readonly at: number;
  /** The app of each region, from `appsOf`. */
  readonly apps: string;
  /** Ledgers of imports that were begun before it and are not over. */
  readonly earlier: readonly string[];
  /** It carries out a sync, or sends its rows again: the file of the sync says when memberships end. */
  readonly isOfSync: boolean;
  /** Ledger of the import whose rows it sends again as they were. */
  readonly retried: string | undefined;
}

/** An undo puts ends back that were moved within this time before the last import. */
const UNDO_MS = 90 * 86_400_000;

/** Writes the ends of an import's memberships. Doing it again changes nothing. */
export function noteEnds({ ends, ledger, by, at, apps, earlier, isOfSync, retried }: NotedImport): void {
  const all = earlier.some(mayHaveEnds);
  if (!all && !existsSync(ends) && !hasEnds(ledger)) return;
  using database = openForWriting(ends, ENDS_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  attachForReading(database, ledger, 'ledger', IMPORT_SCHEMA);
  if (retried !== undefined) attachForReading(database, retried, 'retried', IMPORT_SCHEMA);
  if (!all && [...sql('has_any').all(), ...sql('has_ends').all()].length === 0) return;
  inTransaction(database, () => {
    sql('forget_moved').run({ before: at - UNDO_MS });
    sql('forget_lost').run({ apps, by, at });
    if (!isOfSync) sql('note_import').run({ apps, by, at, all: all ? 1 : 0 });
    if (retried !== undefined) sql('keep_retried').run({ apps, by });
    if (!all) sql('forget_open').run();
  });
}

/** The undo of what changed ends. */
interface Undoing {
  readonly ends: string;
  /** Ids of what is undone, and of the undo. */
  readonly undone: string;
  readonly by: string;
}

/** Puts ends back that no later row has changed. */
export function putBackEnds({ ends, undone, by }: Undoing): void {
  if (!existsSync(ends)) return;
  using database = openForWriting(ends, ENDS_SCHEMA);
  statementsOf(database, STATEMENTS)('put_back').run({ undone, by });
}

/** Returns how many `putBackEnds` would put back. */
export function endsToPutBack({ ends, undone }: Undoing): number {
  return readIfThere(ends, ENDS_SCHEMA, 0, (database) =>
    Number(statementsOf(database, STATEMENTS)('count_puttable').get({ undone })?.['ends']),
  );
}

/** Whether a membership of a staged file ends. */
export function hasEnds(ledger: string) {
  using database = openForReading(ledger, IMPORT_SCHEMA);
  return database.prepare('select 1 from input where ends').get() !== undefined;
}

/** Whether a file that is being staged, or cannot be read, may say of memberships that they end: a later row that says nothing is kept too then. */
export function mayHaveEnds(ledger: string) {
  try {
    return !existsSync(ledger) || hasEnds(ledger);
  } catch {
    // Its own import says so.
    return true;
  }
}

/** Memberships that end by a time, the first to end first. @param aimed undefined: those of all apps  @param after the last one of the page before */
export function endingBefore(
  path: string,
  aimed: Aimed | undefined,
  before: number,
  limit: number,
  after?: Omit<Ending, 'by'>,
) {
  const { until, app, region, guid, uid } = after ?? { until: 0, app: '', region: '', guid: '', uid: '' };
  const given = { apps: aimed === undefined ? null : appsOf(aimed), before, limit, until, app, region, guid, uid };
  return readIfThere(path, ENDS_SCHEMA, [], (database) =>
    statementsOf(database, STATEMENTS)<Ending>('ending').all(given),
  );
}
