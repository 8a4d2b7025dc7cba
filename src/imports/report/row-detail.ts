import type { DatabaseSync } from 'node:sqlite';
import type { RowDetailFacts } from '../../api/row-detail.ts';
import type { Statements } from '../../platform/sqlite.ts';
import { chosenRows, type RowWithOutcome } from './chosen-rows.ts';

/** All that is known of one row: as in lists, with its batch and every call that was made for it. */
export interface RowDetail {
  readonly row: RowWithOutcome;
  readonly facts: RowDetailFacts;
}

/** Undefined if there is no such row. @param sql statements of reading.sql */
export function rowDetail(database: DatabaseSync, sql: Statements, number: number): RowDetail | undefined {
  const [row] = chosenRows(database, 'r.id = :row', { row: number }).toArray();
  if (row === undefined) return undefined;
  const asked = sql('asked_of_row').get({ row: number });
  const batch = row.batch === null ? undefined : sql('batch_of_row').get({ batch: row.batch });
  const calls = row.batch === null ? [] : sql('calls_of_batch').all({ batch: row.batch });
  const creations = sql('creations_of_row').all({ row: number });
  return {
    row,
    facts: {
      action: asked === undefined ? null : String(asked['action']),
      onBehalfOf: String(asked?.['on_behalf_of'] ?? ''),
      batch:
        batch === undefined
          ? null
          : {
              id: Number(batch['id']),
              uids: Number(batch['size']),
              dispatchedAt: timeOf(batch['dispatched_at']),
              finishedAt: timeOf(batch['finished_at']),
              uncertainty: textOf(batch['uncertainty']),
            },
      calls: calls.map((call) => ({
        batch: Number(call['batch_id']),
        at: new Date(Number(call['at'])).toISOString(),
        ms: Number(call['ms']),
        httpStatus: call['http_status'] === null ? null : Number(call['http_status']),
        kind: call['kind'] as RowDetailFacts['calls'][number]['kind'],
        code: String(call['code']),
        message: textOf(call['message']),
        requestId: textOf(call['request_id']),
      })),
      creations: creations.map((creation) => ({
        kind: creation['kind'] as 'user' | 'group',
        outcome: String(creation['outcome'] ?? 'waiting'),
        code: textOf(creation['code']),
        message: textOf(creation['message']),
        at: timeOf(creation['at']),
      })),
    },
  };
}

function timeOf(at: unknown): string | null {
  return at === null || at === undefined ? null : new Date(Number(at)).toISOString();
}

/** Null for nothing and for ''. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
