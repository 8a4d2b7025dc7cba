import { asClause } from '../text/wording.ts';
import { refusal } from './entry.ts';

/** Requests that the server refuses before anything is done, or because of what they ask for. */
export const REQUEST_ERRORS = {
  BAD_OPTION: refusal({
    title: 'An option cannot be used',
    cause:
      '`field` names it, `detail` shows the value and what is allowed: a region that does not exist, a `limit` that is too large, an option that this address does not have, options that contradict each other, an encoding or delimiter that does not exist.',
    status: 400,
    advice: 'Fix what `field` names and send it again.',
    page: '',
  }),
  BAD_CURSOR: refusal({
    title: 'The cursor is not from this API',
    cause: 'It was cut off, written by hand, or belongs to another list. It must be percent-encoded.',
    status: 400,
    field: 'cursor',
    sentence: ({ cursor }: Record<'cursor', string>) =>
      `the cursor ${JSON.stringify(cursor.slice(0, 60))} was not given by this list`,
    advice: 'Begin again without a cursor, then pass on `nextCursor` as it came.',
    command: 'take it from the page before, or start without one',
    page: 'Load the page again.',
  }),
  BAD_BODY: refusal({
    title: 'The body cannot be used',
    cause:
      'It is empty or does not match its media type; it is not valid JSON; a form has no part `file`, or has other parts; a form is incomplete; an upload sent nothing for a minute; a preview found that the file is damaged. Where the body is no file, `/docs` describes the JSON.',
    status: 400,
    advice: 'Send the file as the body, or as the one part "file" of a form.',
    page: 'Look at the file, and choose it again.',
  }),
  TOKEN_REQUIRED: refusal({
    title: 'A token is required',
    cause:
      'The server listens on more than loopback, or was started with `--require-token`, and the request has neither a token nor a session.',
    status: 401,
    sentence: 'this server answers only those who send a token',
    advice: 'Send `Authorization: Bearer <token>`; `rollcall token create` makes one.',
    command: 'set ROLLCALL_TOKEN to a token, which `rollcall token create` makes on the server',
    page: 'Log in.',
  }),
  TOKEN_REFUSED: refusal({
    title: 'The token or session is not valid',
    cause: 'It is mistyped or was revoked; or the session has ended, after 12 hours or with its token.',
    status: 401,
    sentence: 'the token or session is unknown, expired or revoked',
    advice: 'Log in again, or make a new one with `rollcall token create`.',
    command: 'set ROLLCALL_TOKEN to a valid token, which `rollcall token create` makes on the server',
    page: 'Check that all of it was pasted, or ask an admin for a new one.',
  }),
  TOKEN_EXPIRED: refusal({
    title: 'The token has expired',
    cause: 'It was made with an expiry (`--expires 90d`), which is over.',
    status: 401,
    sentence: 'the token that was sent has expired',
    advice: 'Ask an admin for a new one, or make one with `rollcall token create`.',
    command: 'set ROLLCALL_TOKEN to a new token, from an admin or made by `rollcall token create` on the server',
    page: 'Ask an admin for a new one.',
  }),
  ROLE_TOO_LOW: refusal({
    title: 'The role does not allow this',
    cause:
      'Viewers can only look; operators can also start, control and delete imports and read the audit log; only admins make and revoke tokens and say who is notified.',
    status: 403,
    sentence: ({ name, role, needed }: Record<'name' | 'role' | 'needed', string>) =>
      `"${name}" is ${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}, and this is for ${needed}s`,
    advice: 'Use a token of that role, made by `rollcall token create --role operator` or `--role admin`.',
    page: 'Ask one of them, or log in as one.',
  }),
  CROSS_ORIGIN: refusal({
    title: 'The request comes from another site',
    cause:
      'Another website sent it from your browser; or a proxy changes the `Host` header, so that the console looks like another site: it must pass on `Host` as the browser sent it.',
    status: 403,
    sentence: (
      facts: { readonly site: string | undefined } | { readonly origin: string; readonly host: string | undefined },
    ) =>
      'site' in facts
        ? `the browser calls the request ${JSON.stringify(facts.site)}`
        : `the request comes from ${JSON.stringify(facts.origin)} and goes to ${JSON.stringify(facts.host)}`,
    advice: 'Send it from the console itself, or from a program, which sends no Origin header.',
  }),
  WRONG_HOST: refusal({
    title: 'The Host header does not name this server',
    cause:
      'The server asks for no token, so it only answers to `localhost`, `127.0.0.1` and similar names. Otherwise a website could point its own name at this address and act as the console (DNS rebinding).',
    status: 403,
    sentence: 'the Host header is {"host"}; without tokens only loopback names are answered',
    advice: 'Use http://127.0.0.1 or http://localhost with the port; for other names start with --require-token.',
  }),
  TWO_HOSTS: refusal({
    title: 'The request has more than one Host header',
    cause:
      'The program that sent it, or a proxy on the way, added one. This server and the proxy could go by different ones.',
    status: 400,
    sentence: 'the request has {hosts} Host headers; one is allowed',
    advice: 'Send one, with the name of this server.',
  }),
  NOT_FOUND: refusal({
    title: 'There is no such address',
    cause: 'It is mistyped, or what it names is not there.',
    status: 404,
    advice: '/docs lists all addresses.',
    page: '',
  }),
  METHOD_NOT_ALLOWED: refusal({
    title: 'The address does not take this method',
    cause: 'It is another one than the address is for, such as PUT on `/v1/imports`.',
    status: 405,
    sentence: '{path} does not take {method}',
    advice: 'Use one of `possible`, which the header `Allow` names too.',
    page: '',
  }),
  UNKNOWN_ROW: refusal({
    title: 'The import has no row of this number',
    cause:
      'Rows are numbered from 1 in the order of the input; the number in the address is larger, or 0. It is `row` of the list, not `line`.',
    status: 404,
    sentence: 'import {id} has no row {row}',
    advice: 'GET /v1/imports/:id/rows lists them: `row`, from 1 to the number of rows.',
    page: 'The page of the import lists its rows.',
  }),
  UNKNOWN_TOKEN: refusal({
    title: 'No token has this id',
    cause: 'The id is misspelt, or the token is revoked already.',
    status: 404,
    sentence: 'no token has the id {"id"}',
    advice: 'GET /v1/tokens lists those that there are; it may be revoked already.',
    command: '`rollcall token list` shows those that there are',
    page: 'It may be revoked already.',
  }),
  NO_ROWS_YET: refusal({
    title: 'The import has no rows',
    cause: 'Its file is still being read, or could not be read and was rejected; then `reason` of the import says why.',
    status: 409,
    sentence: ({ id, why }: Record<'id', string> & { readonly why?: string }) =>
      `import ${id} has no rows: ${why ?? 'its file is still being read, or was rejected'}`,
    advice: 'Wait until the file is read (state `staged` or `running`); a rejected file never has rows.',
    page: 'Wait until the file is read; a rejected file never has rows.',
  }),
  NO_PLAN_YET: refusal({
    title: 'The sync has no plan',
    cause:
      'Its file is still being read or its groups are still being listed (state `planning`), or one of these steps failed (state `failed`) or was cancelled (`cancelled`). `reason` of a failed sync says what is wrong.',
    status: 409,
    sentence: ({ id, state, reason }: Record<'id' | 'state' | 'reason', string>) =>
      `sync ${id} is ${state} and has no plan: ${asClause(reason)}`,
    advice: 'Wait until it is planned (state `planned`, `held` or `unchanged`); a sync that failed has none.',
    page: 'Wait until it is planned; a sync that failed has no plan.',
  }),
  LAST_ADMIN: refusal({
    title: 'No admin would be left',
    cause:
      'The token that should be revoked is the only valid one of an admin. Without it no one could make a token over the API.',
    status: 409,
    sentence: '"{name}" is the only admin whose token is valid',
    advice: "Make a token for another admin first; `rollcall token revoke` on the server's machine does it without.",
    page: 'Make a token for another admin first.',
  }),
  NOTIFY_FIXED: refusal({
    title: 'The receiver of notifications is set where the server is started',
    cause:
      '`serve` was started with `--notify` or `ROLLCALL_NOTIFY`, which is used before any receiver that is set over the API.',
    status: 409,
    sentence: 'the server was started with {host} as the receiver',
    advice: 'Change --notify or ROLLCALL_NOTIFY, or start the server without it to set the receiver here.',
  }),
  NO_RECEIVER: refusal({
    title: 'No one is notified',
    cause: 'A test notification was asked for, and no receiver is set.',
    status: 409,
    sentence: 'no receiver of notifications is set',
    advice: 'Set a receiver first, with PUT /v1/notifications.',
    page: 'Set a receiver first.',
  }),
  KEY_IN_USE: refusal({
    title: 'An upload with this Idempotency-Key is in progress',
    cause: 'A client repeated an upload before the first one was answered.',
    status: 409,
    sentence: 'an upload with the Idempotency-Key {"key"} is in progress',
    advice: 'Wait for its answer, or repeat the request in a moment.',
    page: 'Try again in a moment.',
  }),
  KEY_REUSED: refusal({
    title: 'This Idempotency-Key was used for something else',
    cause:
      'A client uses one key for several uploads. A key is remembered for 24 hours; the same key only repeats the upload.',
    status: 422,
    sentence: 'the Idempotency-Key {"key"} was used {how}',
    advice: 'Use a new key for another file or other options.',
    page: 'Choose the file again.',
  }),
  TOO_LARGE: refusal({
    title: 'The body is too large',
    cause:
      'A file is larger than `--max-upload`, a preview larger than 1 MiB, another body larger than 64 KiB (edits of rows: more, see [corrections.md](corrections.md)). The size as sent counts: for a gzipped file, the compressed size.',
    status: 413,
    sentence: 'the body is larger than the {maxBytes} bytes that this address takes',
    advice: 'Split or gzip the file, or start the server with a larger --max-upload.',
  }),
  MEDIA_TYPE: refusal({
    title: 'The media type is not known',
    cause:
      'The `Content-Type` of a file is not one of `text/csv`, `application/json`, `application/x-ndjson`, `application/octet-stream` and `multipart/form-data` (`curl -d` sends another kind of form; set the type with `-H "Content-Type: text/csv"`); or the `Content-Encoding` is not `gzip`. Where the body is no file, it is not `application/json`.',
    status: 415,
    advice:
      'Send text/csv, application/json, application/x-ndjson, application/octet-stream or multipart/form-data; the first four may be gzipped.',
    page: 'Choose another file.',
  }),
  RANGE: refusal({
    title: 'The range is outside the file',
    cause: 'A client tried to continue a download that is already complete.',
    status: 416,
    sentence: 'the requested range is beyond the end of the report',
    advice: 'Ask for bytes below the size in Content-Range.',
    page: 'Download it again.',
  }),
  TOO_MANY: refusal({
    title: 'Too many attempts',
    cause: 'More than 10 attempts to log in within 5 minutes came from one address.',
    status: 429,
    sentence: 'more than {attempts} attempts to log in have failed; the next is possible in {seconds} seconds',
    advice: 'Wait as long as Retry-After says.',
    page: 'Wait a minute, and try again.',
  }),
  INTERNAL: refusal({
    title: 'Something went wrong in rollcall',
    cause: 'A bug, or a damaged file in the data directory. Report it to us.',
    status: 500,
    exit: 4,
    sentence: 'the request could not be answered; the log has the cause under {id}',
    advice: "Look for `id` in rollcall.log in the server's data directory.",
    page: 'It is in rollcall.log in the server’s data directory.',
  }),
  BUSY: refusal({
    title: 'Too much at once',
    cause:
      "Too many uploads are in progress; too many requests for rows are waiting; reading rows took more than 30 seconds; or the queue's server does not answer: check that it runs.",
    status: 503,
    exit: 4,
    advice: 'Send it again after the seconds in Retry-After.',
    page: 'Try again in a moment.',
  }),
  STOPPING: refusal({
    title: 'The server is stopping',
    cause: 'Someone stopped it. Uploads in progress were dropped, and nothing of them is stored.',
    status: 503,
    exit: 4,
    sentence: 'the server stops and takes no more requests',
    advice: 'Send it again when the server is back; imports then continue by themselves.',
  }),
};
