import { z } from 'zod';
import { checkQuery, checkView } from '../../features/check/api.ts';
import { createdView } from '../../features/undo/api.ts';
import { RESUMING } from '../../options/resuming-options.ts';
import { LEAVING_OUT } from '../../options/sending-options.ts';
import {
  bulkAnswer,
  bulkBody,
  importJournal,
  importsPage,
  importsQuery,
  importView,
  retryQuery,
  sendingPlan,
} from '../imports.ts';
import { fileOf, nothing, operationsOf } from '../operation.ts';
import { queryOf } from '../option-query.ts';
import { anyTexts } from '../options.ts';

const operation = operationsOf('imports', z.object({ id: z.string().meta({ description: 'Id of an import.' }) }));

const moved = {
  answer: importView,
  refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP', 'TOO_MANY_REMOVALS'],
} as const;

/** Imports: the list, one, what can be done with it, and its journal. */
export const importOperations = {
  list: operation('GET /v1/imports', 'viewer', {
    summary: 'List imports, newest first',
    query: importsQuery,
    answer: importsPage,
    refusals: ['BAD_CURSOR'],
  }),
  one: operation('GET /v1/imports/:id', 'viewer', {
    summary: 'One import',
    answer: importView,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  act: operation('POST /v1/imports/actions', 'operator', {
    summary: 'Do one thing with several imports: pause, resume, cancel, delete, tag or dismiss them',
    description:
      'To `dismiss` an import leaves its rows that need attention as they are: it needs no person until there are more of them.',
    body: bulkBody,
    answer: bulkAnswer,
  }),
  sending: operation('GET /v1/imports/:id/sending', 'viewer', {
    summary: 'What sending the rows that wait takes, and where they go; of an import that is over, what a retry takes',
    query: z.strictObject(queryOf(LEAVING_OUT)),
    answer: sendingPlan,
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET', 'WRONG_STATE', 'NO_CHECK_YET'],
  }),
  pause: operation('POST /v1/imports/:id/pause', 'operator', {
    audit: 'import.pause',
    summary: 'Let calls in flight finish, and send no more until `resume`',
    ...moved,
  }),
  resume: operation('POST /v1/imports/:id/resume', 'operator', {
    audit: 'import.resume',
    summary: 'Continue an import that is staged, paused or blocked',
    query: z.strictObject(queryOf(RESUMING)),
    ...moved,
    refusals: [...moved.refusals, 'NO_CHECK_YET'],
  }),
  cancel: operation('POST /v1/imports/:id/cancel', 'operator', {
    audit: 'import.cancel',
    summary: 'End an import; what was not sent is `unprocessed`',
    ...moved,
  }),
  retry: operation('POST /v1/imports/:id/retry', 'operator', {
    audit: 'import.retry',
    summary: 'Send again what failed, was not confirmed or was not sent, as a new import',
    description: 'With options that choose rows: only those among them.',
    query: retryQuery,
    status: 202,
    answer: importView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operation('DELETE /v1/imports/:id', 'operator', {
    audit: 'import.delete',
    summary: 'Delete an import that has finished, or is staged and not started, with all its files',
    answer: nothing('Deleted.'),
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE'],
  }),
  journal: operation('GET /v1/imports/:id/transitions', 'viewer', {
    summary: "An import's journal: every state that it was in, and why",
    answer: importJournal,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  /** Its body is a file; the server says more about it, and checks the query (server/uploads). */
  create: operation('POST /v1/imports', 'operator', {
    audit: 'import.create',
    summary: 'Import a file',
    query: anyTexts,
    status: 202,
    answer: importView,
  }),
};

const list = {
  answer: fileOf('The list, streamed.', 'text/csv'),
  refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
} as const;

/** Checks of staged imports: which rows would fail, before anything is sent. */
export const checkOperations = {
  begin: operation('POST /v1/imports/:id/check', 'operator', {
    audit: 'import.check',
    summary:
      'Ask the service which rows of an import would fail; nothing is sent. Continues a check that waits or stopped',
    query: checkQuery,
    status: 202,
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
  one: operation('GET /v1/imports/:id/check', 'viewer', {
    summary: 'The progress and result of the check of an import',
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
  }),
  rows: operation('GET /v1/imports/:id/check/rows', 'viewer', {
    summary: 'Download what a check says of every row, as CSV',
    ...list,
  }),
  groups: operation('GET /v1/imports/:id/check/groups', 'viewer', {
    summary: 'Download what a check says of every group, as CSV',
    ...list,
  }),
};

/** What imports created on the service, and deleting that. */
export const createdOperations = {
  list: operation('GET /v1/imports/:id/created', 'viewer', {
    summary: 'Users and groups that an import created or made active again, and whether they were deleted',
    answer: createdView,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  remove: operation('DELETE /v1/imports/:id/created', 'operator', {
    audit: 'import.delete-created',
    summary: 'Delete for good the users and groups that an import created, where no one else uses them',
    description:
      'Possible when its memberships were undone. It continues after the answer, and after a restart of the server; where it ended early, the next request continues it.',
    status: 202,
    answer: createdView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
};

const events = fileOf('Events until the import has finished.', 'text/event-stream');

/** Server-sent events. */
export const eventOperations = {
  one: operation('GET /v1/imports/:id/events', 'viewer', {
    summary: 'Follow an import: events `state`, `progress` and, when it has finished, `end`',
    answer: events,
    refusals: ['UNKNOWN_IMPORT', 'BAD_OPTION'],
  }),
  lists: operation('GET /v1/events', 'viewer', {
    summary:
      'Follow the lists: events `imports` with those that changed, `removed`, `sync` where one moved, and `schedules`',
    answer: events,
  }),
};
