import { messageOf } from '../../errors/message-of.ts';
import { isFinal } from '../../membership/import-state.ts';
import { asClause } from '../../text/wording.ts';
import type { Catalog, MoveImport } from '../catalog.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** What follows from an error that nobody expected: it ends one import, or the process where every import would meet it. */

/** Steps in the life of an import in which an error may come, as its sentence says them. */
const STEPS = {
  READING_FAILED: 'its input was read',
  SENDING_FAILED: 'it was sent',
  RECORDING_FAILED: 'results were recorded',
  CLOSING_FAILED: 'its sum was checked and its reports were written',
} as const satisfies Partial<Record<ReasonCode, string>>;

export type FaultCode = keyof typeof STEPS;

/** Of an import during which the process died again and again. */
const PROCESS_DIED = 'PROCESS_DIED';

/** So many deaths of the process set an import aside. */
const DEATHS_ALLOWED = 2;

/** The reason of the move to `failed`: code, step and error in a sentence. */
function faultSentence(code: FaultCode, error: unknown): string {
  const kind = error instanceof Error && error.name !== 'Error' ? ` (${error.name})` : '';
  return `${code}: an unexpected error came while ${STEPS[code]}: ${asClause(messageOf(error))}${kind}`;
}

/** Codes of the system for a machine that cannot go on: no space, broken disk, no file handles, no memory; a server away. */
const SYSTEM: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** The same as primary result codes of SQLite: SQLITE_NOMEM, SQLITE_IOERR, SQLITE_FULL. */
const SQLITE: ReadonlySet<number> = new Set([7, 10, 13]);
/** Errors of the queue's server, as ioredis and pg throw them. */
const QUEUE: ReadonlySet<string> = new Set(['ReplyError', 'MaxRetriesPerRequestError', 'DatabaseError']);

/** What ioredis and pg say, without a code, of a connection that broke. */
const LOST_CONNECTION =
  /^Connection (is closed|terminated)|connection error and is not queryable|timeout exceeded when trying to connect/;

/**
 * Whether an error is the machine's and not one import's: every import would meet it, so that the process stops, and goes
 * on with all of them when it is started again.
 */
function isMachineFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (QUEUE.has(cause.name) || LOST_CONNECTION.test(cause.message)) return true;
    if ('severity' in cause || ('code' in cause && SYSTEM.has(cause.code))) return true;
    // The upper bits say more than the primary code.
    if ('errcode' in cause && SQLITE.has(Number(cause.errcode) & 0xff)) return true;
  }
  return false;
}

export interface Faults {
  /** An unexpected error ends the import that met it, and the process only where every import would meet it. */
  of(id: string, code: FaultCode, error: unknown): void;
  /** Sets an import aside of which the process died too often: it must not do so once more by itself. */
  setAside(id: string): boolean;
  /** The import failed and is cancelled: it ends, with its reports or, when the error comes again, without them. */
  endWhateverHappens(id: string): void;
  isLastResort(id: string): boolean;
}

interface FaultsOptions {
  readonly catalog: Pick<Catalog, 'find' | 'deaths'>;
  readonly move: MoveImport;
  /** Nothing more of the import is sent or recorded. */
  readonly drop: (id: string) => void;
  /** For the log: a sentence in the catalog has no stack. */
  readonly tell: (id: string, error: unknown) => void;
  /** Stops the process. */
  readonly fail: (error: unknown) => void;
  /** Whether the process stops: what is interrupted then is continued by the next start. */
  readonly isStopping: () => boolean;
}

export function createFaults({ catalog, move, drop, tell, fail, isStopping }: FaultsOptions): Faults {
  const lastResort = new Set<string>();
  return {
    of: (id, code, error) => {
      if (isStopping()) return;
      if (isMachineFault(error)) return fail(error);
      try {
        drop(id);
        const state = catalog.find(id)?.state;
        if (state === undefined || state === 'failed' || isFinal(state)) return;
        tell(id, error);
        const reason = faultSentence(code, error);
        if (lastResort.delete(id)) move(id, 'cancelled', `cancelled after it had failed; ${reason}`, code);
        else move(id, 'failed', reason, code);
      } catch (catalogError) {
        fail(catalogError);
      }
    },
    setAside: (id) => {
      const deaths = catalog.deaths(id);
      if (deaths < DEATHS_ALLOWED) return false;
      move(
        id,
        'failed',
        `${PROCESS_DIED}: rollcall ended unexpectedly ${deaths} times while it worked on this import, so it does not try again by itself`,
        PROCESS_DIED,
      );
      return true;
    },
    endWhateverHappens: (id) => {
      lastResort.add(id);
    },
    isLastResort: (id) => lastResort.has(id),
  };
}
