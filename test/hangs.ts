/**
 * A test that hangs is ended after this time, in ms. It is long, because a busy machine takes ten times as long as a quiet one,
 * and more. The environment variable HANGS_MS shortens it for people who wait at a terminal.
 */
export const HANGS_MS = Number(process.env['HANGS_MS'] ?? 900_000);

/** A single wait is ended a little earlier than its test, in ms, and says what it waited for. */
export const WAIT_MS = HANGS_MS - 60_000;
