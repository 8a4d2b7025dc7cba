import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import type { Statements } from '../../platform/sqlite.ts';
import type { BatchState } from './batch-result.ts';
import { outcomeId, scopeId } from './enum-ids.ts';
import { NAMELESS_USER } from './profile.ts';

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

/** Rows whose users were created are sent again in full calls; the others fail. Returns how many fail, by region. */
export function releaseRows(sql: Statements): Map<number, number> {
  const failed = new Map<number, number>();
  const rows = sql<WaitingRow>('parked_rows').all();
  const at = Date.now();
  const place = (together: readonly WaitingRow[], state: BatchState): void => {
    const [first] = together;
    if (first === undefined) return;
    const to = sql('add_again').run({
      call_group: first.call_group_id,
      region: first.region_id,
      state,
      size: together.length,
      bans: together.filter(({ scope_id }) => scope_id === BAN).length,
      uncertainty: together.find(({ uncertainty }) => uncertainty !== null)?.uncertainty ?? null,
      calls: Math.max(...together.map(({ calls }) => calls)),
      http_status: first.http_status,
      at: state === 'done' ? at : null,
    }).lastInsertRowid;
    for (const { batch, row_id } of together) sql('move_back').run({ to, from: batch, row: row_id });
  };
  for (const callGroup of Map.groupBy(rows, ({ call_group_id }) => call_group_id).values()) {
    const fates = callGroup.map((row) => ({ row, user: sql('user').get({ region: row.region_id, name: row.name }) }));
    const lost = fates.filter(({ user }) => user?.['outcome'] === 'refused');
    place(
      lost.map(({ row }) => row),
      'done',
    );
    for (const { row, user } of lost) {
      const why = user?.['alone'] === 1 ? NAMELESS_USER : { code: user?.['code'], message: user?.['message'] };
      const message = `the service does not know this user, and it could not be created: ${why.message}`;
      sql('settle_lost').run({
        row: row.row_id,
        outcome: outcomeId('failed'),
        code: String(why.code),
        message,
      });
      failed.set(row.region_id, (failed.get(row.region_id) ?? 0) + 1);
    }
    const kept = fates.filter(({ user }) => user?.['outcome'] !== 'refused').map(({ row }) => row);
    const most = sql('every_group').get() === undefined ? MAX_UIDS_PER_CALL : MAX_IMPORTED_PER_CALL;
    for (let from = 0; from < kept.length; from += most) place(kept.slice(from, from + most), 'pending');
  }
  sql('close_parked').run({ at });
  return failed;
}
