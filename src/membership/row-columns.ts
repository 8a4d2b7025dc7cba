/**
 * The fields of a row: the columns of reports in their order, each with its name in the API and the kind of its value.
 * Reports, answers and the programmatic API take them from here. Texts are empty where there is nothing to say.
 * (The thread that writes reports loads this file, and no schemas: they would take half of its start.)
 */
export const ROW_COLUMNS = {
  /** The line that a spreadsheet shows; for JSON and NDJSON the element's number from 1. */
  _row: ['line', 'integer', 'Line number in a spreadsheet.'],
  /** The value of its row, if a row of the input may give several memberships. */
  _value: ['value', 'text', 'The value of its row, if a row gives several memberships.'],
  _status: ['status', 'outcome'],
  _code: ['code', 'text'],
  _message: ['message', 'text'],
  _region: ['region', 'text'],
  _guid: ['guid', 'text'],
  _uid: ['uid', 'text'],
  _scope: ['scope', 'text'],
  /** Calls in which the row was sent. */
  _attempts: ['attempts', 'count'],
  _http_status: ['httpStatus', 'maybeInteger'],
  _batch: ['batch', 'maybeInteger'],
  /** ISO 8601 in UTC. */
  _finished_at: ['finishedAt', 'maybeTime'],
  _created: [
    'created',
    'text',
    '`user`, `group`, `user+group`: created for the row; `reactivated`: the user was made active again.',
  ],
  _message_id: ['messageId', 'text', "Id of the message about the addition in the group's conversation."],
  _member_count: ['members', 'maybeCount', 'Members of the group after the call that added the row.'],
} as const;
