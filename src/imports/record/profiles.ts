import type { Words } from '../../errors/named-options.ts';
import type { CreateField, CreateOptions } from '../../options/create-options.ts';
import { openForReading, statementsOf } from '../../platform/sqlite.ts';
import { columnsOf } from '../input-columns.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { type Cells, cellsOf, firstCells, nameObstacle, profileColumns } from './profile.ts';

/** What the rows of a staged file say about users and groups that it would create. */
export interface Profiles {
  /** Why nothing can be created from this input, and what to do; undefined where it can. */
  readonly obstacle: { readonly what: string; readonly remedy: Words } | undefined;
  /** Fields that the input has a column for. @throws RangeError where `obstacle` names a column that is not there */
  fields(): readonly CreateField[];
  /** Of one row. */
  ofRow(row: number): Cells;
  /** Of the rows of a group together. */
  ofGroup(group: number): Cells;
  /** How many users the input names. */
  users(): number;
  close(): void;
}

/** Opens the ledger of a staged file. */
export function openProfiles(path: string, options: CreateOptions): Profiles {
  const database = openForReading(path, IMPORT_MIGRATIONS);
  const sql = statementsOf(database, new URL('creating.sql', import.meta.url));
  const input = statementsOf(database, new URL('import.sql', import.meta.url))('input').get();
  const columns = columnsOf(input);
  const places = () => profileColumns(columns, options.columns);
  let found: ReturnType<typeof places> | undefined;
  const cells = (original: unknown): Cells => {
    found ??= places();
    return cellsOf(String(original), columns, found);
  };
  return {
    obstacle: nameObstacle(columns, options),
    fields: () => [...places().keys()],
    ofRow: (row) => {
      const original = sql('original').get({ row })?.['original'];
      return original === undefined ? () => '' : cells(original);
    },
    ofGroup: (group) =>
      firstCells(
        sql('rows_of_group')
          .all({ group })
          .map(({ original }) => cells(original)),
      ),
    users: () => Number(sql('count_users').get()?.['n']),
    close: () => database.close(),
  };
}
