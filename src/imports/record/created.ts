import { foldId, type Region } from '../../membership/membership.ts';
import { openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { isObject, isText, storedJson } from '../../platform/stored-json.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { hashUid } from './enum-ids.ts';

/** A user or group that an import created or reactivated, for deleting it. */
export interface CreatedThing {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly region: Region;
  /** UID or GUID, in lower case. */
  readonly name: string;
  readonly group_id: number | null;
  readonly outcome: 'created' | 'reactivated';
  /** Not empty if it existed already when a call whose earlier reply was lost was repeated. */
  readonly code: string;
  /** The time of the record, in ms since 1970. */
  readonly at: number;
  /** UID of the owner that a group was given. */
  readonly owner: string | undefined;
}

export type Undone = 'deleted' | 'gone' | 'kept';

export interface CreatedLedger {
  /** Returns the things that are not deleted, groups first. */
  things(): CreatedThing[];
  /** Those of these users (UIDs in lower case) whom rows of the import name in a group. */
  namedIn(group: number, uids: readonly string[]): ReadonlySet<string>;
  /** GUIDs, in lower case, of groups in which rows of the import name this user. */
  groupsNaming(user: Pick<CreatedThing, 'region' | 'name'>): ReadonlySet<string>;
  note(id: number, undone: Undone, why: string): void;
  close(): void;
}

/** Something that an import created or reactivated, and the outcome of its deletion. */
interface MadeThing extends Pick<CreatedThing, 'id' | 'kind' | 'region' | 'name' | 'outcome' | 'code'> {
  /** Null until a person asks to delete it. */
  readonly undone: Undone | null;
  /** The reason why it is kept; empty if it is not. */
  readonly why: string;
}

/**
 * Reads the things that an import made, groups first: the first `limit`, the total, and the number that may be deleted.
 */
export function readMade(
  path: string,
  limit: number,
): { readonly things: MadeThing[]; readonly total: number; readonly deletable: number } {
  const database = openForReading(path, IMPORT_SCHEMA);
  try {
    const sql = statementsOf(database, new URL('created.sql', import.meta.url));
    const counted = sql('count_made').get();
    return {
      things: sql('made').all({ limit }) as unknown as MadeThing[],
      total: Number(counted?.['total']),
      deletable: Number(counted?.['deletable']),
    };
  } finally {
    database.close();
  }
}

/** Opens the ledger of an import that has finished. */
export function openCreated(path: string): CreatedLedger {
  const database = openForWriting(path, IMPORT_SCHEMA);
  const sql = statementsOf(database, new URL('created.sql', import.meta.url));
  return {
    things: () =>
      sql<Omit<CreatedThing, 'owner'> & { readonly body: string | null }>('created')
        .all()
        .map(({ body, ...thing }) => ({ ...thing, owner: body === null ? undefined : ownerIn(body) })),
    namedIn: (group, uids) => {
      const found = sql('rows_of').all({ group, uids: JSON.stringify(uids) });
      return new Set(found.map(({ uid }) => String(uid)));
    },
    groupsNaming: ({ region, name }) =>
      new Set(
        sql('groups_naming')
          .all({ region, uid: name, hash: hashUid(name) })
          .map(({ guid }) => String(guid)),
      ),
    note: (id, undone, why) => {
      sql('note').run({ id, undone, why });
    },
    close: () => {
      database.exec('pragma wal_checkpoint(truncate)');
      database.close();
    },
  };
}

/** The owner with which a group was sent. @param body what was sent, as the ledger keeps it */
export function ownerIn(body: string): string | undefined {
  const { profile } = storedJson(body, 'users and groups to create', isObject);
  const owner = isObject(profile) ? profile['owner'] : undefined;
  return isText(owner) ? foldId(owner) : undefined;
}
