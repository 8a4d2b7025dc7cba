import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';

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

/** The file that names them, as CSV in chunks of some 64 KB. */
export function createdFile(things: Iterable<CreatedThing>): Generator<string> {
  return inChunks(lines(things));
}

function* lines(things: Iterable<CreatedThing>): Generator<string> {
  yield csvLine(['kind', 'region', 'id', 'outcome', 'code', 'message', 'at'], ',');
  for (const { kind, region, id, outcome, code, message, at } of things) {
    yield csvLine([kind, region, id, outcome, code, message, new Date(at).toISOString()], ',');
  }
}
