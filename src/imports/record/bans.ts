import type { DatabaseSync } from 'node:sqlite';
import type { Region } from '../../membership/membership.ts';
import type { BanChoice } from '../../options/sending-options.ts';
import { inTransaction, type Statements } from '../../platform/sqlite.ts';
import { actionId, outcomeId, regionId, scopeId } from './enum-ids.ts';

export interface BannedUsers {
  readonly group: number;
  /** UIDs in lower case. */
  readonly uids: ReadonlySet<string>;
}

const ADD = actionId('add');
const GROUPS_AT_ONCE = 400;
const BAN = scopeId('ban');
const KEPT = 'not sent: the user is banned from this group';
const LIFTED = 'the user was banned from this group; adding lifts the ban';

interface Found {
  readonly batch: number;
  readonly region_id: number;
  readonly row_id: number;
}

/** The banned users of an import's groups, and the effect on its rows. */
export function bansOf(database: DatabaseSync, sql: Statements) {
  const fail = (batch: number, rows: readonly Found[], at: number): void => {
    const size = rows.length;
    const to = Number(sql('cut_off').run({ batch, size, at }).lastInsertRowid);
    for (const { row_id: row } of rows) {
      sql('move_row').run({ from: batch, to, row });
      sql('settle_row').run({ batch: to, row, outcome: outcomeId('failed'), code: 'BANNED', message: KEPT });
    }
    sql('shrink').run({ batch, size, at });
    sql('add_to_counter').run({ region: Number(rows[0]?.region_id), name: 'failed', n: size });
  };

  const settle = (group: number, banned: ReadonlySet<string>, choice: BanChoice): void => {
    const uids = JSON.stringify([...banned]);
    const found = sql<Found>('rows_of_banned').all({ group, add: ADD, ban: BAN, uids });
    if (choice === 'lift') {
      for (const { batch, row_id: row } of found)
        sql('note_row').run({ batch, row, code: 'BAN_LIFTED', message: LIFTED });
      return;
    }
    const at = Date.now();
    for (const [batch, rows] of Map.groupBy(found, ({ batch: of }) => of)) fail(batch, rows, at);
  };

  return {
    /** Groups with pending rows whose banned users are not known. A few at a time. */
    groupsToAsk: function* (region: Region) {
      for (let after = 0; ; ) {
        const groups = sql<{ id: number; guid: string }>('groups_to_ask').all({
          region: regionId(region),
          after,
          limit: GROUPS_AT_ONCE,
        });
        after = groups.at(-1)?.id ?? 0;
        if (groups.length === 0) return;
        yield groups;
      }
    },
    /** Counts the groups to ask about, for the progress. */
    begin: (region: Region) => {
      sql('count_to_ask').run({ region: regionId(region) });
    },
    /** Records who is banned from groups: rows that would add a banned user fail, or say that they lift a ban. */
    record: (answers: readonly BannedUsers[], choice: BanChoice) =>
      inTransaction(database, () => {
        for (const { group, uids } of answers) {
          sql('note').run({ group });
          sql('count_asked').run({ group });
          if (uids.size > 0) settle(group, uids, choice);
        }
      }),
  };
}
