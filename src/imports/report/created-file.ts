import { writeTable } from '../../platform/table.ts';

/** A user or group that an import created, or a user that it made active again. */
export interface CreatedThing {
  readonly kind: 'user' | 'group';
  readonly region: string;
  /** UID or GUID, in lower case. */
  readonly id: string;
  readonly outcome: 'created' | 'reactivated';
  /** Not empty if it may have been there before: the reply of its creation was lost. */
  readonly code: string;
  readonly message: string;
  /** Time of the reply, in ms since 1970. */
  readonly at: number;
}

const COLUMNS = ['kind', 'region', 'id', 'outcome', 'code', 'message', 'at'] as const;

/** The file that names them, as CSV. */
export function createdFile(things: Iterable<CreatedThing>): Generator<string> {
  const values = Iterator.from(things).map((thing) =>
    COLUMNS.map((name) => (name === 'at' ? new Date(thing.at).toISOString() : thing[name])),
  );
  return writeTable(COLUMNS, values, 'csv');
}
