import type { DatabaseSync } from 'node:sqlite';

/** Makes a ledger one of schema 6, large enough that its conversion is announced. */
export function asOlderRollcall(ledger: DatabaseSync): void {
  ledger.exec(`
    alter table memberships add column message_id text;
    update memberships set message_id = m.value->>1 from batches b, json_each(b.messages) m
     where b.id = memberships.batch_id and m.value->>0 = memberships.row_id;
    alter table batches drop column messages;
    alter table batches drop column started;
    create table filling as select zeroblob(33 * 1024 * 1024) as bytes;
    pragma user_version = 6;
    pragma wal_checkpoint(truncate)`);
}
