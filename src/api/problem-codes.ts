const SEE_LIST = 'It may have been deleted; the list shows those that there are.';

/**
 * Everything that a request can be refused for, as data: the code that programs branch on, the HTTP status, and what to
 * do next: for programs, and on pages where these do not speak of requests. docs/errors.md says more about each; a test keeps
 * the two alike.
 */
export const PROBLEMS = {
  BAD_OPTION: {
    status: 400,
    title: 'An option cannot be used',
    remedy: 'Fix what `field` names and send it again.',
    onPages: '',
  },
  BAD_CURSOR: {
    status: 400,
    title: 'The cursor is not from this API',
    remedy: 'Begin again without a cursor, then pass on `nextCursor` as it came.',
    onPages: 'Load the page again.',
  },
  BAD_BODY: {
    status: 400,
    title: 'The body cannot be used',
    remedy: 'Send the file as the body, or as the one part "file" of a form.',
    onPages: 'Look at the file, and choose it again.',
  },
  TOKEN_REQUIRED: {
    status: 401,
    title: 'A token is required',
    remedy: 'Send `Authorization: Bearer <token>`; `rollcall token create` makes one.',
    onPages: 'Log in.',
  },
  TOKEN_REFUSED: {
    status: 401,
    title: 'The token or session is not valid',
    remedy: 'Log in again, or make a new one with `rollcall token create`.',
    onPages: 'Check that all of it was pasted, or ask an admin for a new one.',
  },
  TOKEN_EXPIRED: {
    status: 401,
    title: 'The token has expired',
    remedy: 'Ask an admin for a new one, or make one with `rollcall token create`.',
    onPages: 'Ask an admin for a new one.',
  },
  ROLE_TOO_LOW: {
    status: 403,
    title: 'The role does not allow this',
    remedy: 'Use a token of that role, made by `rollcall token create --role operator` or `--role admin`.',
    onPages: 'Ask one of them, or log in as one.',
  },
  CROSS_ORIGIN: {
    status: 403,
    title: 'The request comes from another site',
    remedy: 'Send it from the console itself, or from a program, which sends no Origin header.',
  },
  WRONG_HOST: {
    status: 403,
    title: 'The Host header does not name this server',
    remedy: 'Use http://127.0.0.1 or http://localhost with the port; for other names start with --require-token.',
  },
  TWO_HOSTS: {
    status: 400,
    title: 'The request has more than one Host header',
    remedy: 'Send one, with the name of this server.',
  },
  NOT_FOUND: { status: 404, title: 'There is no such address', remedy: '/docs lists all addresses.', onPages: '' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The address does not take this method',
    remedy: 'Use one of `possible`, which the header `Allow` names too.',
    onPages: '',
  },
  UNKNOWN_IMPORT: {
    status: 404,
    title: 'No import has this id',
    remedy: 'GET /v1/imports lists those that there are; old ones may have been removed.',
    onPages: SEE_LIST,
  },
  UNKNOWN_ROW: {
    status: 404,
    title: 'The import has no row of this number',
    remedy: 'GET /v1/imports/:id/rows lists them: `row`, from 1 to the number of rows.',
    onPages: 'The page of the import lists its rows.',
  },
  UNKNOWN_SYNC: {
    status: 404,
    title: 'No sync has this id',
    remedy: 'GET /v1/syncs lists those that there are.',
    onPages: SEE_LIST,
  },
  UNKNOWN_EXPORT: {
    status: 404,
    title: 'No export has this id',
    remedy: 'GET /v1/exports lists those that there are; old ones may have been removed.',
    onPages: SEE_LIST,
  },
  UNKNOWN_SCHEDULE: {
    status: 404,
    title: 'No schedule has this name',
    remedy: 'GET /v1/schedules lists those that there are.',
    onPages: SEE_LIST,
  },
  UNKNOWN_RECIPE: {
    status: 404,
    title: 'No recipe has this name',
    remedy: 'GET /v1/recipes lists those that there are.',
    onPages: SEE_LIST,
  },
  UNKNOWN_TOKEN: {
    status: 404,
    title: 'No token has this id',
    remedy: 'GET /v1/tokens lists those that there are; it may be revoked already.',
    onPages: 'It may be revoked already.',
  },
  SOURCE_NOT_ALLOWED: {
    status: 403,
    title: 'The server does not let schedules read this',
    remedy: 'Name a file in or below what ROLLCALL_SOURCES allows; GET /v1/settings lists it as `sources`.',
    onPages: 'Name a file in or below what the server allows (ROLLCALL_SOURCES).',
  },
  EDITED_MEANWHILE: {
    status: 409,
    title: 'The schedule was edited meanwhile',
    remedy: 'Look at its settings as they are now, and make your change to them.',
  },
  NO_ROWS_YET: {
    status: 409,
    title: 'The import has no rows',
    remedy: 'Wait until the file is read (state `staged` or `running`); a rejected file never has rows.',
    onPages: 'Wait until the file is read; a rejected file never has rows.',
  },
  NO_CHECK_YET: {
    status: 409,
    title: 'There is no check of the import',
    remedy: 'Begin one with POST /v1/imports/{id}/check, and wait until its state is `done`.',
    onPages: 'Press “Check with the service”, and wait until the check is done.',
  },
  NO_PLAN_YET: {
    status: 409,
    title: 'The sync has no plan',
    remedy: 'Wait until it is planned (state `planned`, `held` or `unchanged`); a sync that failed has none.',
    onPages: 'Wait until it is planned; a sync that failed has no plan.',
  },
  WRONG_STATE: {
    status: 409,
    title: 'It is in a state that does not allow this',
    remedy: 'Do one of `possible`, or wait until the state has changed.',
    onPages: 'Something may have changed meanwhile: look at it as it is now.',
  },
  LAST_ADMIN: {
    status: 409,
    title: 'No admin would be left',
    remedy: "Make a token for another admin first; `rollcall token revoke` on the server's machine does it without.",
    onPages: 'Make a token for another admin first.',
  },
  NOTIFY_FIXED: {
    status: 409,
    title: 'The receiver of notifications is set where the server is started',
    remedy: 'Change --notify or ROLLCALL_NOTIFY, or start the server without it to set the receiver here.',
  },
  NO_RECEIVER: {
    status: 409,
    title: 'No one is notified',
    remedy: 'Set a receiver first, with PUT /v1/notifications.',
    onPages: 'Set a receiver first.',
  },
  KEY_IN_USE: {
    status: 409,
    title: 'An upload with this Idempotency-Key is in progress',
    remedy: 'Wait for its answer, or repeat the request in a moment.',
    onPages: 'Try again in a moment.',
  },
  REGION_WITHOUT_APP: {
    status: 409,
    title: 'A region of this import has no app',
    remedy: "Set the region's app id and key, start the server again, and resume the import.",
  },
  TOO_MANY_REMOVALS: {
    status: 409,
    title: 'A file of changes removes or bans more members than it may',
    remedy: 'Look at its report. If it is right, resume it with maxRemovals.',
  },
  WRONG_TARGET: {
    status: 409,
    title: 'It belongs to another target',
    remedy: 'Continue it on a server with the settings that it was begun with, or begin it anew.',
  },
  TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    remedy: 'Split or gzip the file, or start the server with a larger --max-upload.',
  },
  MEDIA_TYPE: {
    status: 415,
    title: 'The media type is not known',
    remedy:
      'Send text/csv, application/json, application/x-ndjson, application/octet-stream or multipart/form-data; the first four may be gzipped.',
    onPages: 'Choose another file.',
  },
  RANGE: {
    status: 416,
    title: 'The range is outside the file',
    remedy: 'Ask for bytes below the size in Content-Range.',
    onPages: 'Download it again.',
  },
  KEY_REUSED: {
    status: 422,
    title: 'This Idempotency-Key was used for something else',
    remedy: 'Use a new key for another file or other options.',
    onPages: 'Choose the file again.',
  },
  TOO_MANY: {
    status: 429,
    title: 'Too many attempts',
    remedy: 'Wait as long as Retry-After says.',
    onPages: 'Wait a minute, and try again.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong in rollcall',
    remedy: "Look for `id` in rollcall.log in the server's data directory.",
    onPages: 'It is in rollcall.log in the server’s data directory.',
  },
  BUSY: {
    status: 503,
    title: 'Too much at once',
    remedy: 'Send it again after the seconds in Retry-After.',
    onPages: 'Try again in a moment.',
  },
  DAMAGED_LEDGER: {
    status: 500,
    title: 'A file of the data directory is damaged',
    remedy: 'Put the file that `detail` names back from a backup, or import the input again.',
    onPages: 'Put the file back from a backup, or import the input again.',
  },
  LEDGER_MISSING: {
    status: 500,
    title: 'The file with the rows of the import is gone',
    remedy: 'Put the file that `detail` names back from a backup, or import the input again.',
    onPages: 'Put the file back from a backup, or import the input again.',
  },
  DATABASE_BUSY: {
    status: 503,
    title: 'Another program holds the data directory',
    remedy: 'Send it again after the seconds in Retry-After; close what holds the file that `detail` names.',
    onPages: 'Close what holds the file, and try again.',
  },
  STOPPING: {
    status: 503,
    title: 'The server is stopping',
    remedy: 'Send it again when the server is back; imports then continue by themselves.',
  },
  DISK_FULL: {
    status: 507,
    title: "The server's disk is full",
    remedy: 'Make room on the disk of the data directory and send it again; nothing of it was kept.',
  },
} as const satisfies Readonly<Record<string, { status: number; title: string; remedy: string; onPages?: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;
