import { z } from 'zod';
import { RESUMING } from '../../options/sending-options.ts';
import { IMPORT_ID } from '../fields.ts';
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
import { anyTexts, queryOf } from '../query-options.ts';

/** Declares operations of one import, or of all. */
export const operationOfImports = operationsOf(
  'imports',
  z.object({ id: z.string().meta({ description: 'Id of an import.', examples: [IMPORT_ID] }) }),
);

const moved = {
  answer: importView,
  refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP', 'TOO_MANY_REMOVALS'],
} as const;

/** Imports: the list, one, what can be done with it, and its journal. */
export const importOperations = {
  list: operationOfImports('GET /v1/imports', 'viewer', {
    summary: 'List imports, newest first',
    query: importsQuery,
    answer: importsPage,
    refusals: ['BAD_CURSOR'],
  }),
  one: operationOfImports('GET /v1/imports/:id', 'viewer', {
    summary: 'One import',
    answer: importView,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  act: operationOfImports('POST /v1/imports/actions', 'operator', {
    operationId: 'actOnImports',
    summary: 'Do one thing with several imports: pause, resume, cancel, delete, tag or dismiss them',
    description:
      'To `dismiss` an import leaves its rows that need attention as they are: it needs no person until there are more of them.',
    body: bulkBody,
    answer: bulkAnswer,
  }),
  sending: operationOfImports('GET /v1/imports/:id/sending', 'viewer', {
    summary:
      'Cost of resuming an import with these options, and the target of its rows; for an import that is over, the cost of a retry',
    query: z.strictObject(queryOf(RESUMING)),
    answer: sendingPlan,
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET', 'WRONG_STATE', 'NO_CHECK_YET'],
  }),
  pause: operationOfImports('POST /v1/imports/:id/pause', 'operator', {
    audit: 'import.pause',
    summary: 'Let calls in flight finish, and send no more until `resume`',
    ...moved,
  }),
  resume: operationOfImports('POST /v1/imports/:id/resume', 'operator', {
    audit: 'import.resume',
    summary: 'Continue an import that is staged, paused or blocked',
    query: z.strictObject(queryOf(RESUMING)),
    ...moved,
    refusals: [...moved.refusals, 'NO_CHECK_YET'],
  }),
  cancel: operationOfImports('POST /v1/imports/:id/cancel', 'operator', {
    audit: 'import.cancel',
    summary: 'End an import; what was not sent is `unprocessed`',
    ...moved,
  }),
  retry: operationOfImports('POST /v1/imports/:id/retry', 'operator', {
    audit: 'import.retry',
    summary: 'Send again what failed, was not confirmed or was not sent, as a new import',
    description: 'With options that choose rows: only those among them.',
    query: retryQuery,
    status: 202,
    location: '/v1/imports/:id',
    answer: importView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operationOfImports('DELETE /v1/imports/:id', 'operator', {
    audit: 'import.delete',
    summary: 'Delete an import that has finished, or is staged and not started, with all its files',
    answer: nothing('Deleted.'),
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE'],
  }),
  journal: operationOfImports('GET /v1/imports/:id/transitions', 'viewer', {
    summary: "An import's journal: every state that it was in, and why",
    answer: importJournal,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  /** Its body is a file; the server says more about it, and checks the query (server/uploads). */
  create: operationOfImports('POST /v1/imports', 'operator', {
    audit: 'import.create',
    summary: 'Import a file',
    query: anyTexts,
    status: 202,
    location: '/v1/imports/:id',
    answer: importView,
  }),
};

/** Server-sent events. */
export const eventOperations = {
  lists: operationOfImports('GET /v1/events', 'viewer', {
    summary:
      'Follow the lists: events `imports` with those that changed, `removed`, `schedules`, and `import`, `sync`, `planning` (of a sync), `check` or `export` where one moved, or has come further (once a second)',
    query: z.strictObject({
      id: z.string().max(200).optional().meta({
        description: 'Only events of this import, with its check, or of this sync, export, or schedule (its name).',
      }),
    }),
    answer: fileOf('Events as they happen.', 'text/event-stream'),
  }),
};
