import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import type { Statements } from '../../platform/sqlite.ts';
import type { BatchWriter } from './batch-writer.ts';
import { outcomeId, scopeId } from './enum-ids.ts';
import { NAMELESS_USER } from './profile.ts';
import type { MissingUser } from './record-creation.ts';

const BAN = scopeId('ban');

interface WaitingRow {
  readonly call_group_id: number;
  readonly region_id: number;
  readonly batch: number;
  readonly uncertainty: string | null;
  readonly calls: number;
  readonly http_status: number | null;
  readonly row_id: number;
  readonly scope_id: number;
  /** UID in lower case. */
  readonly name: string;
}

/** Rows whose users were created are sent again in full calls; the others fail. Within a transaction. */
export function releaseRows(sql: Statements, batches: Pick<BatchWriter, 'count'>): void {
  const at = Date.now();
  const most = sql('every_group').get() === undefined ? MAX_UIDS_PER_CALL : MAX_IMPORTED_PER_CALL;
  /** Moves rows into a new batch; returns its id, 0 where there are none. */
  const place = (rows: readonly WaitingRow[], state: 'pending' | 'done'): number => {
    const [first] = rows;
    if (first === undefined) return 0;
    const added = sql('add_again').run({
      call_group: first.call_group_id,
      region: first.region_id,
      state,
      size: rows.length,
      bans: rows.filter(({ scope_id }) => scope_id === BAN).length,
      uncertainty: rows.find(({ uncertainty }) => uncertainty !== null)?.uncertainty ?? null,
      calls: Math.max(...rows.map(({ calls }) => calls)),
      http_status: first.http_status,
      at: state === 'done' ? at : null,
    });
    const to = Number(added.lastInsertRowid);
    for (const { batch, row_id: row } of rows) {
      sql('move_row').run({ from: batch, to, row });
      sql('note_row').run({ batch: to, row, code: null, message: null });
    }
    return to;
  };
  const waiting = sql<WaitingRow>('parked_rows').all();
  for (const rows of Map.groupBy(waiting, ({ call_group_id }) => call_group_id).values()) {
    const lost = new Map<WaitingRow, MissingUser>();
    for (const row of rows) {
      const user = sql<MissingUser>('user').get({ region: row.region_id, name: row.name });
      if (user?.outcome === 'refused') lost.set(row, user);
    }
    const batch = place([...lost.keys()], 'done');
    for (const [{ row_id: row, region_id: region }, user] of lost) {
      const why = user.alone === 1 ? NAMELESS_USER : user;
      const message = `the service does not know this user, and it could not be created: ${why.message}`;
      sql('settle_row').run({ batch, row, outcome: outcomeId('failed'), code: why.code, message });
      batches.count(region, 'failed', 1);
    }
    const kept = rows.filter((row) => !lost.has(row));
    for (let from = 0; from < kept.length; from += most) place(kept.slice(from, from + most), 'pending');
  }
  sql('close_parked').run({ state: 'replaced', at });
}
