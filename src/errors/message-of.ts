/** Message of a thrown value. */
export function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

/** A thrown value as an error. */
export function asError(error: unknown) {
  return error instanceof Error ? error : new Error(String(error));
}
