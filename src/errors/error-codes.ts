/**
 * Whose error it is, which decides a command's exit code: `usage` the user can correct what was asked, a setting or a
 * file (2); `stopped` the service refuses a key or plan (3); `fatal` the machine, the network or rollcall fails (4).
 */
export type ErrorKind = 'usage' | 'stopped' | 'fatal';

/** Stable codes of rollcall's own errors. Those of the API and of inputs have catalogues of their own. docs/errors.md explains each. */
export const ERROR_CODES = {
  BAD_USAGE: 'usage',
  BAD_SETTING: 'usage',
  BAD_QUEUE_ADDRESS: 'usage',
  BAD_CRON: 'usage',
  BAD_CURSOR: 'usage',
  BAD_FAULT: 'usage',
  BAD_BEHAVIOUR: 'usage',
  BAD_SCHEDULE: 'usage',
  BAD_SEED: 'usage',
  BAD_LIMIT: 'usage',
  BAD_PROTECT_FILE: 'usage',
  BAD_RECEIVER: 'usage',
  BAD_SOURCE: 'usage',
  DATA_DIR_IN_USE: 'usage',
  DATA_DIR_UNUSABLE: 'usage',
  NEWER_LEDGER: 'usage',
  DAMAGED_LEDGER: 'fatal',
  NO_IMPORTS: 'usage',
  UNKNOWN_IMPORT: 'usage',
  UNKNOWN_SYNC: 'usage',
  UNKNOWN_EXPORT: 'usage',
  CANNOT_CHECK: 'usage',
  CALLS_USED_UP: 'stopped',
  UNKNOWN_SCHEDULE: 'usage',
  WRONG_STATE: 'usage',
  WRONG_TARGET: 'usage',
  CONTROL_REFUSED: 'usage',
  REGION_WITHOUT_APP: 'usage',
  SERVICE_REFUSED: 'stopped',
  UNKNOWN_SCOPE: 'fatal',
  READING_STOPPED: 'fatal',
  REFUSED: 'fatal',
  MALFORMED_REPLY: 'fatal',
  INVALID_CALL: 'fatal',
  ABORTED: 'fatal',
  UNTRUSTED_LISTING: 'fatal',
  CONNECT_FAILED: 'fatal',
  CONNECT_TIMEOUT: 'fatal',
  CERTIFICATE_REFUSED: 'fatal',
  HEADERS_TIMEOUT: 'fatal',
  BODY_TIMEOUT: 'fatal',
  CONNECTION_LOST: 'fatal',
} as const satisfies Record<string, ErrorKind>;
export type ErrorCode = keyof typeof ERROR_CODES;
