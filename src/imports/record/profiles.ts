import { RollcallError } from '../../errors/rollcall-error.ts';
import type { CreateField, CreateOptions } from '../../options/create-options.ts';
import { openForReading, statementsOf } from '../../platform/sqlite.ts';
import { columnsOfInput } from '../input-columns.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { type Cells, cellsOf, firstCells, nameObstacle, profileColumns } from './profile.ts';

export type Profiles = ReturnType<typeof openProfiles>;

/** The profiles in the ledger of a staged file of users and groups that it would create. */
export function openProfiles(path: string, options: CreateOptions) {
  const database = openForReading(path, IMPORT_SCHEMA);
  const sql = statementsOf(database, new URL('creating.sql', import.meta.url));
  sql('open_members').run();
  const input = statementsOf(database, new URL('import.sql', import.meta.url))('input').get();
  const columns = columnsOfInput(input);
  const places = () => profileColumns(columns, options.columns);
  let found: ReturnType<typeof places> | undefined;
  const cells = (original: unknown): Cells => {
    found ??= places();
    return cellsOf(String(original), columns, found);
  };
  return {
    /** The reason why nothing can be created from this input, and the remedy; undefined if it can. */
    obstacle: nameObstacle(columns, options),
    /** Fields that the input has a column for. @throws RangeError where `obstacle` names a column that is not there */
    fields: (): readonly CreateField[] => [...places().keys()],
    /** Returns the cells of one row. */
    ofRow: (row: number): Cells => {
      const original = sql('original').get({ row })?.['original'];
      return original === undefined ? () => '' : cells(original);
    },
    /** Returns the joined cells of a group's rows. */
    ofGroup: (group: number) =>
      firstCells(
        sql('rows_of_group')
          .all({ group })
          .map(({ original }) => cells(original)),
      ),
    /** Returns the number of users that the input names. */
    users: () => Number(sql('count_users').get()?.['n']),
    close: () => database.close(),
  };
}

/** @param path of the ledger of a staged file @throws CREATE_WITHOUT_NAME where nothing in the file gives a name to what it would create */
export function requireNames(path: string, options: CreateOptions): void {
  const profiles = openProfiles(path, options);
  const { obstacle } = profiles;
  profiles.close();
  if (obstacle !== undefined)
    throw new RollcallError('CREATE_WITHOUT_NAME', { what: obstacle.what, remedy: obstacle.remedy });
}
