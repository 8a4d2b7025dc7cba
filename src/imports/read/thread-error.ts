import { LedgerError } from '../../platform/sqlite.ts';
import { IntakeError, type IntakeErrorDetails } from './intake-error.ts';

/** An error as it travels between threads, which would drop its class and its code. */
export interface ThreadError {
  readonly message: string;
  readonly stack: string | undefined;
  /** `name`, `code` and any other own properties. */
  readonly notes: Readonly<Record<string, unknown>>;
}

export function packError(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, notes: {} };
  const { message, stack, name, cause } = error;
  // Its cause may have the code that says whose fault it is (faults.ts).
  const details = error instanceof IntakeError ? { details: error.details } : {};
  return {
    message,
    stack,
    notes: { ...(cause instanceof Error && notesOf(cause)), name, ...notesOf(error), ...details },
  };
}

function notesOf(error: Error): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
}

export function unpackError({ message, stack, notes }: ThreadError): Error {
  const error = classed(message, notes);
  if (stack !== undefined) error.stack = stack;
  return error;
}

function classed(message: string, notes: ThreadError['notes']): Error {
  switch (notes['name']) {
    case 'LedgerError':
      return new LedgerError(notes['code'] as LedgerError['code'], message);
    case 'IntakeError':
      return new IntakeError(notes['details'] as IntakeErrorDetails);
    default:
      return Object.assign(new Error(message), notes);
  }
}
