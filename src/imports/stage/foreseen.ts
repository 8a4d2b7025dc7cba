import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { statementsOf } from '../../platform/sqlite.ts';
import { checkFiles } from '../predictions/check-paths.ts';
import { reasonOf } from '../predictions/check-verdict.ts';
import { attachCheck, checkRun, optionsOfCheck } from '../predictions/row-check.ts';
import type { FindLeftOut, UnsentImport } from './leave-out.ts';

/** Predictions about sending an import, from its check (src/features/check). */

const STATEMENTS = new URL('foreseen.sql', import.meta.url);

/** Rows that would fail, as the check of the import says. @throws NO_CHECK_YET */
export const findFailing: FindLeftOut = (ledger, unsent) => {
  requireCheck(unsent);
  attachCheck(ledger, unsent.folder);
  const sql = statementsOf(ledger, STATEMENTS);
  for (const { code } of sql<{ code: string }>('failing_codes').all()) {
    sql('find_failing').run({ code, message: `not sent: the check found that ${reasonOf(code)} (${code})` });
  }
};

/** Only a check that is done, and was made with the same options, says which rows would fail. */
function requireCheck({ id, folder, options }: UnsentImport) {
  const check = checkRun(folder);
  if (check === undefined) throw noCheck(id, 'was not checked with the service');
  if (check.state !== 'done') throw noCheck(id, 'has a check that is not done');
  if (check.options === optionsOfCheck(options)) return;
  throw noCheck(id, 'has a check that was made with other options for creating and bans, or by an older rollcall');
}

function noCheck(id: string, why: string) {
  return new RollcallError('NO_CHECK_YET', {
    id,
    why: `${why}, so it is not known which rows would fail; nothing was sent`,
  });
}

const summary = z.object({
  create: z.object({ missing: z.object({ users: z.int(), groups: z.int() }) }).nullable(),
});

/** Users and groups that the service does not know; undefined where nobody has asked it. @param folder of the import */
export async function foreseenMissing(folder: string) {
  const { summary: path } = checkFiles(folder);
  if (checkRun(folder)?.state !== 'done' || !existsSync(path)) return undefined;
  return summary.parse(JSON.parse(await readFile(path, 'utf8'))).create?.missing;
}
