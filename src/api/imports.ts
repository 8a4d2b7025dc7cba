import { z } from 'zod';
import { IMPORT_KINDS } from '../membership/import-kind.ts';
import { ACTIONS, IMPORT_STATES } from '../membership/import-state.ts';
import { LIST_FILTERS } from '../options/list-filters.ts';
import { REPORT, ROW_FILTER } from '../options/row-filter.ts';
import { RESUMING, STOPPING } from '../options/sending-options.ts';
import { asSentence } from '../text/wording.ts';
import {
  anyTexts,
  count,
  IMPORT_ID,
  listOption,
  nextCursor,
  nextSteps,
  pageOptions,
  possible,
  queryOf,
  rowCounts,
  stateReason,
  time,
  timeOption,
} from './fields.ts';
import { importSummary } from './import-summary.ts';
import { nothing, operationsOf } from './operation.ts';
import { problem } from './problems.ts';
import { MAX_TAGS, TAG, TAG_ALLOWED, TAGS_ALLOWED } from './tag-rule.ts';

const tag = z.string().trim().regex(TAG, TAG_ALLOWED);

const tags = z.array(tag).max(MAX_TAGS, TAGS_ALLOWED);

/** `choir,autumn 2026`: each once, in the order in which they came. */
export const tagsOption = z
  .string()
  .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
  .pipe(tags)
  .transform((list) => [...new Set(list)])
  .describe('Tags, separated by commas: words to find the import by.');

const tagChanges = z.strictObject({ add: tags.optional(), remove: tags.optional() });
export type TagChanges = z.infer<typeof tagChanges>;

/** Returns the tags after the changes; one that is removed and added stays. Case does not matter. */
export function tagsAfter(before: readonly string[], { add = [], remove = [] }: TagChanges) {
  const gone = new Set(remove.map((one) => one.toLowerCase()));
  const kept = before.filter((one) => !gone.has(one.toLowerCase()));
  const known = new Set(kept.map((one) => one.toLowerCase()));
  return [...kept, ...add.filter((one) => !known.has(one.toLowerCase()))];
}

const staging = z.strictObject({
  rows: count,
  bytes: count.describe('Bytes of the file read so far.'),
  totalBytes: count.nullable(),
  cutting: z.boolean().describe('The file is read; now duplicates are found and batches are cut.'),
});
export type Staging = z.infer<typeof staging>;

const followUp = z.strictObject({
  kind: z.enum(['retry', 'correction', 'undo']).describe('`correction`: a retry of rows that were corrected.'),
  id: z.string().describe('Id of the import that retries rows, or of the sync that undoes them.'),
  state: z.string().describe('State of that import or sync.'),
  isOpen: z.boolean().describe('It may still change something, or wait for a decision.'),
  rows: rowCounts.nullable().describe('Rows of its import; null while there is none.'),
  isPart: z.boolean().describe('A retry of some of the rows that could be sent again, not of all.'),
});
export type FollowUp = z.infer<typeof followUp>;

/** An import as the API shows it: its summary, and what a person can do about it now. */
export const importView = importSummary
  .extend({
    sentence: z.string().describe('The state and the result so far, in a sentence or two.'),
    reason: stateReason,
    maxCreate: z
      .string()
      .optional()
      .describe(
        'The `maxCreate` with which `resume` creates everything that is missing; only for an import that waits with CREATE_LIMIT.',
      ),
    maxRemovals: z
      .string()
      .optional()
      .describe('For an import that waits with TOO_MANY_REMOVALS: the `maxRemovals` with which `resume` sends it.'),
    hasCheck: z.literal(true).optional().describe('It was checked with the service before it was sent: see `/check`.'),
    checkedRows: z
      .strictObject({ canBeSent: count, wouldFail: count, at: time })
      .optional()
      .describe('For an import that waits: the result of its check with the service.'),
    edited: count
      .optional()
      .describe(
        'Rows that people have edited and not sent yet. An import that begins leaves them out, and `/corrections/send` sends them when it is over.',
      ),
    fileOfChanges: z
      .literal(true)
      .optional()
      .describe('Its file says what to change; an undo takes back only what it added or banned.'),
    createdAt: time,
    createdBy: z.string().describe('Name of who started it; empty if not known.'),
    kind: z.enum(IMPORT_KINDS).describe('Its origin: a file, rows to retry, the plan of a sync, the plan of an undo.'),
    tags: z.array(z.string()).describe('Words that people gave it, to find it by.'),
    retryOf: z.string().nullable(),
    followUps: z.array(followUp).describe('Retries and undos of this import, oldest first.'),
    retryable: count.describe('Rows that `retry` would send: not those that were sent again already.'),
    corrected: count.describe('Rows that were invalid or failed, and were sent corrected in another import.'),
    attention: count.describe(
      'Rows that went wrong or, once it is over, were not sent: without those that were corrected and sent, or taken by a retry of all.',
    ),
    dryRun: z.boolean(),
    sandbox: z.boolean(),
    actions: possible(ACTIONS),
    next: nextSteps(['resume', 'correct', 'retry', 'cancel']),
    staging: staging.nullable().describe('Set while the file is read.'),
  })
  .meta({ id: 'Import', description: 'Reports are addresses of this API; null where there is nothing to download.' });
export type ImportView = z.infer<typeof importView>;

/** By what a list finds imports; all of it must hold. Times are ms since 1970; `to` is exclusive. */
const importFilter = z.strictObject({
  search: filter('search', z.string().trim().max(200)),
  state: filter('state', listOption(IMPORT_STATES)),
  kind: filter('kind', listOption(IMPORT_KINDS)),
  from: filter('from', timeOption('start')),
  to: filter('to', timeOption('end')),
  createdBy: filter('createdBy', z.string().trim().max(200)),
  tags: filter('tags', tagsOption),
  problems: filter(
    'problems',
    z.enum(['true', 'false']).transform((is) => is === 'true'),
  ),
});

function filter<Type extends z.ZodType>(name: keyof typeof LIST_FILTERS, type: Type) {
  return type.optional().describe(asSentence(LIST_FILTERS[name].help));
}

export type ImportFilter = Readonly<z.infer<typeof importFilter>>;

const sendingPlan = z
  .strictObject({
    rows: count.describe(
      'Rows without an outcome; of an import that is over, those that a retry sends. Each writes a message into its group, at most.',
    ),
    leftOut: count.describe('Rows that are left out because they would fail.'),
    edited: count.describe(
      'Rows that people have edited: they are not sent with the others, but corrected, when the import is over.',
    ),
    silent: z.boolean().describe('It is sent in silence: no messages are written.'),
    groups: count,
    calls: count.describe('At least, all regions together.'),
    ms: count.describe('Time at least, at the present rate limit, and with calls that take as long as of late.'),
    callMs: count.nullable().describe('Time that a call took of late; null: none was measured.'),
    profile: z.string().nullable().describe("The profile of the server's settings."),
    host: z.string().describe('Host of the chat service.'),
    apps: z.array(z.string()).describe('App ids that it goes to, with their regions.'),
    sandbox: z.boolean(),
  })
  .meta({ id: 'SendingPlan', description: 'The work of sending the waiting rows of an import, and their target.' });
export type SendingPlan = z.infer<typeof sendingPlan>;

const BULK_ACTIONS = ['pause', 'resume', 'cancel', 'delete', 'tag', 'dismiss'] as const;

export const bulkBody = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    ids: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(200)
      .meta({ description: 'Ids of 1 to 200 imports.', examples: [[IMPORT_ID]] }),
    tags: tagChanges.optional().describe('For `tag`: which to add and which to remove.'),
  })
  .refine(({ action, tags }) => (action === 'tag') === (tags !== undefined), {
    path: ['tags'],
    message: 'allowed with the action `tag`, which needs it',
  });
const bulkAnswer = z.strictObject({
  results: z
    .array(
      z.strictObject({
        id: z.string(),
        state: z.enum(IMPORT_STATES).nullable().describe('Its state now; null if it was deleted.'),
        problem: problem.optional().describe('The reason why nothing was done with it.'),
      }),
    )
    .describe('One for each id, in their order: an import that cannot be changed does not stop the others.'),
});
export type BulkAnswer = z.infer<typeof bulkAnswer>;

export const reportQuery = z.strictObject({
  format: REPORT.format.schema
    .optional()
    .describe(
      'Default: csv, with every cell exactly as it was. xlsx is safe to open in a spreadsheet: every cell is text, and none is run as a formula.',
    ),
  ...queryOf({ ...ROW_FILTER, retryable: REPORT.retryable }),
});
export type ReportQuery = z.infer<typeof reportQuery>;

export const operationOfImports = operationsOf(
  'imports',
  z.object({ id: z.string().meta({ description: 'Id of an import.', examples: [IMPORT_ID] }) }),
);

const moved = {
  answer: importView,
  refusals: ['WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP', 'TOO_MANY_REMOVALS'],
} as const;

export const importOperations = {
  list: operationOfImports('GET /v1/imports', 'viewer', {
    summary: 'List imports, newest first',
    query: importFilter.extend(pageOptions(50, 200)),
    answer: z.strictObject({ imports: z.array(importView), nextCursor }),
  }),
  one: operationOfImports('GET /v1/imports/:id', 'viewer', {
    summary: 'One import',
    answer: importView,
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
    refusals: ['NO_ROWS_YET', 'WRONG_STATE', 'NO_CHECK_YET'],
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
    query: z.strictObject(queryOf({ ...ROW_FILTER, ...STOPPING })),
    location: '/v1/imports/:id',
    answer: importView,
    refusals: ['WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operationOfImports('DELETE /v1/imports/:id', 'operator', {
    audit: 'import.delete',
    summary: 'Delete an import that has finished, or is staged and not started, with all its files',
    answer: nothing('Deleted.'),
    refusals: ['WRONG_STATE'],
  }),
  journal: operationOfImports('GET /v1/imports/:id/transitions', 'viewer', {
    summary: "An import's journal: every state that it was in, and why",
    answer: z.strictObject({
      transitions: z.array(z.strictObject({ at: time, state: z.enum(IMPORT_STATES), reason: z.string() })),
    }),
  }),
  /** Its body is a file; the server says more about it, and checks the query (server/uploads). */
  create: operationOfImports('POST /v1/imports', 'operator', {
    audit: 'import.create',
    summary: 'Import a file',
    query: anyTexts,
    location: '/v1/imports/:id',
    answer: importView,
  }),
};
