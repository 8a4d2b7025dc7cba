/** Errors on their way between threads: a copy that Node makes has neither their class nor what they say beside the message. */

/** A class of errors that is the same again in the thread that asked. */
export type ErrorClass = abstract new (...given: never) => Error;

export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** `code`, `facts` and whatever else they have of their own. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** It may have the code that says whose fault it is. */
  readonly cause: PackedError | undefined;
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), stack: undefined, facts: {}, cause: undefined };
  }
  const { name, message, stack, cause } = error;
  const facts = Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value)));
  return { name, message, stack, facts, cause: cause === undefined ? undefined : packError(cause) };
}

function isPlain(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** @param classes those of which it may be one; of another class it is an Error with that name */
export function unpackError(packed: PackedError, classes: readonly ErrorClass[]): Error {
  const { name, message, stack, facts, cause } = packed;
  const error = new Error(message, cause && { cause: unpackError(cause, classes) });
  const known = classes.find((one) => one.name === name);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  Object.assign(error, facts);
  return Object.defineProperties(error, {
    name: { value: name, configurable: true, writable: true },
    stack: { value: stack, configurable: true, writable: true },
  });
}
