import type { Region } from '../../membership/membership.ts';
import { openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';

/** What an import created or made active again, for whoever deletes it. */
export interface CreatedThing {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly region: Region;
  /** UID or GUID, in lower case. */
  readonly name: string;
  readonly group_id: number | null;
  readonly outcome: 'created' | 'reactivated';
  /** Not empty where it was there already when an earlier call, whose reply was lost, was repeated. */
  readonly code: string;
  /** When that was recorded, ms since 1970. */
  readonly at: number;
  /** UID of the owner that a group was given. */
  readonly owner: string | undefined;
}

export type Undone = 'deleted' | 'gone' | 'kept';

export interface CreatedLedger {
  /** What is not deleted, groups first. */
  things(): CreatedThing[];
  /** Those of these users (UIDs in lower case) whom rows of the import name in a group. */
  namedIn(group: number, uids: readonly string[]): ReadonlySet<string>;
  note(id: number, undone: Undone, why: string): void;
  close(): void;
}

/** Opens the ledger of an import that is over. */
export function openCreated(path: string): CreatedLedger {
  const database = openForWriting(path, IMPORT_MIGRATIONS);
  const sql = statementsOf(database, new URL('created.sql', import.meta.url));
  return {
    things: () =>
      sql('created')
        .all()
        .map(({ body, ...thing }) => ({ ...(thing as unknown as Omit<CreatedThing, 'owner'>), owner: ownerIn(body) })),
    namedIn: (group, uids) => {
      const found = sql('rows_of').all({ group, uids: JSON.stringify(uids) });
      return new Set(found.map(({ uid }) => String(uid)));
    },
    note: (id, undone, why) => {
      sql('note').run({ id, undone, why });
    },
    close: () => {
      database.exec('pragma wal_checkpoint(truncate)');
      database.close();
    },
  };
}

function ownerIn(body: unknown): string | undefined {
  if (typeof body !== 'string') return undefined;
  const sent = JSON.parse(body) as { readonly profile?: { readonly owner?: string } };
  return sent.profile?.owner?.toLowerCase();
}
