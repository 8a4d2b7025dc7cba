import type { ImportState } from '../membership/import-state.ts';
import type { IntakeError } from './read/intake-error.ts';
import type { ReasonCode } from './reason-codes.ts';

/** An event in the parts that read, send and close an import. Only life/life.ts decides what follows. */
export type ImportEvent =
  /** Its whole input is in the ledger. */
  | { readonly kind: 'read' }
  | { readonly kind: 'unusable'; readonly error: IntakeError }
  /** Outcomes of rows were written. */
  | { readonly kind: 'recorded' }
  | { readonly kind: 'idle'; readonly why: IdleReason }
  | ({ readonly kind: 'closed' } & Closed)
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly error: unknown };

/** Resolves when what follows has begun; never rejects. */
export type Emit = (id: string, what: ImportEvent) => Promise<void>;

/** Reasons why nothing of an import is in flight any more. */
export type IdleReason = 'completed' | 'blocked' | 'paused';

/** States that an import ends in when nothing of it is in flight any more. */
export type EndState = Extract<ImportState, 'completed' | 'cancelled' | 'aborted'>;

/** The sum of its outcomes is checked, and its reports are written. */
export interface Closed {
  readonly state: EndState;
  readonly reason: string | undefined;
  readonly code: ReasonCode | undefined;
}

/** Steps in the life of an import that an unexpected error may end. */
export type FaultCode = Extract<
  ReasonCode,
  'READING_FAILED' | 'SENDING_FAILED' | 'RECORDING_FAILED' | 'CLOSING_FAILED'
>;
