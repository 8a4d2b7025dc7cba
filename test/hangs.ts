/** Ends what hangs, and nothing else: a busy machine takes ten times as long as a quiet one, and more. HANGS_MS shortens it for whoever waits at a terminal. */
export const HANGS_MS = Number(process.env['HANGS_MS'] ?? 900_000);

/** Ends a single wait a little before its test, which then says what it has waited for. */
export const WAIT_MS = HANGS_MS - 60_000;
