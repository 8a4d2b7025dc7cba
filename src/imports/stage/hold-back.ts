import { join } from 'node:path';
import { foldId } from '../../membership/membership.ts';
import type { TrialChoices } from '../../options/sending-options.ts';
import { inTransaction, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { cutAgain } from './cut.ts';
import type { UnsentImport } from './leave-out.ts';

const STATEMENTS = new URL('hold-back.sql', import.meta.url);

/**
 * Holds back all rows but those to try first, as if the import had been made so. In one transaction.
 * @returns whether there are such rows; if none is among those that `only` chooses, nothing is changed
 */
export function holdBack({ folder }: Pick<UnsentImport, 'folder'>, { first, only = [] }: TrialChoices) {
  const ledger = openForWriting(join(folder, 'ledger.sqlite'), IMPORT_SCHEMA);
  const idsIn = (field: 'uid' | 'guid') => {
    const lists = only.filter((condition) => condition.field === field).map(({ is }) => is.map(foldId));
    return lists.length === 0 ? null : JSON.stringify(lists.reduce((all, ids) => all.filter((id) => ids.includes(id))));
  };
  try {
    const sql = statementsOf(ledger, STATEMENTS);
    sql('begin').run();
    sql('find_held').run({ first: first ?? null, uids: idsIn('uid'), guids: idsIn('guid') });
    const { n, going } = sql<{ n: number; going: number }>('count_held').get() ?? { n: 0, going: 0 };
    if (going === 0 && only.length > 0) return false;
    if (n === 0) return true;
    inTransaction(ledger, () => {
      for (const name of ['index_held', 'list_left_out', 'add_groups', 'move_rows', 'list_new', 'forget_messages'])
        sql(name).run();
      cutAgain(ledger);
    });
    return true;
  } finally {
    ledger.close();
  }
}
