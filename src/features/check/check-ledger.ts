import { CHECK_SCHEMA, checkFiles } from '../../imports/predictions/row-check.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { surveyOf } from '../../imports/survey/survey.ts';
import { attachForReading, openForWriting } from '../../platform/sqlite.ts';

export type CheckLedger = ReturnType<typeof openCheckLedger>;

/** Opens the file of a check: its survey, with the statements of its beginning and end. The ledger of the import is attached as `staged`. */
export function openCheckLedger(folder: string) {
  const { check, ledger } = checkFiles(folder);
  const database = openForWriting(check, CHECK_SCHEMA, 'soon');
  try {
    attachForReading(database, ledger, 'staged', IMPORT_SCHEMA);
    const survey = surveyOf<'done'>(database, { statements: [new URL('check-ledger.sql', import.meta.url)] });
    for (const view of ['open_checked', 'open_growing', 'open_wanted', 'open_named']) survey.sql(view).run();
    return survey;
  } catch (error) {
    database.close();
    throw error;
  }
}
