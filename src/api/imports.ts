import { z } from 'zod';
import { ACTIONS } from '../membership/import-actions.ts';
import { IMPORT_STATES } from '../membership/import-state.ts';
import { OUTCOMES } from '../membership/outcome.ts';
import { count, nextCursor, rowCounts, time } from './fields.ts';
import { type ImportSummary, importSummary } from './import-summary.ts';
import { cursorOption, limitOption, listOption } from './options.ts';

const staging = z.strictObject({
  rows: count,
  bytes: count.meta({ description: 'Bytes of the file read so far.' }),
  totalBytes: count.nullable(),
  cutting: z.boolean().meta({ description: 'Read to the end; duplicates are looked for and batches cut.' }),
});
export type Staging = z.infer<typeof staging>;

const followUp = z.strictObject({
  kind: z.enum(['retry', 'undo']),
  id: z.string().meta({ description: 'Of the import that retries rows, or of the sync that undoes them.' }),
  state: z.string().meta({ description: 'Of that import or sync.' }),
  isOpen: z.boolean().meta({ description: 'It may still change something, or wait for a decision.' }),
  rows: rowCounts.nullable().meta({ description: 'Rows of its import; null while there is none.' }),
});
export type FollowUp = z.infer<typeof followUp>;

/** An import as the API shows it: its summary, and what a person can do about it now. */
export const importView = importSummary
  .extend({
    reason: z.string().meta({ description: 'Why it is in this state, in a sentence.' }),
    maxCreate: z.string().optional().meta({
      description:
        'Of an import that waits with CREATE_LIMIT: the `maxCreate` with which `resume` creates what is missing.',
    }),
    hasCheck: z
      .literal(true)
      .optional()
      .meta({ description: 'The service was asked about it before it was sent: see `/check`.' }),
    createdAt: time,
    retryOf: z.string().nullable(),
    followUps: z.array(followUp).meta({ description: 'What was started to retry or undo this import, oldest first.' }),
    dryRun: z.boolean(),
    sandbox: z.boolean(),
    actions: z.array(z.enum(ACTIONS)).meta({ description: 'What is possible now.' }),
    staging: staging.nullable().meta({ description: 'Set while the file is read.' }),
  })
  .meta({ id: 'Import', description: 'Reports are addresses of this API; null where there is nothing to download.' });
export type ImportView = z.infer<typeof importView>;

const summaryFields = z.object(importSummary.shape);

/** The summary that is in a view. */
export function summaryIn(view: ImportView): ImportSummary {
  return summaryFields.parse(view);
}

/** `GET /v1/imports` */
export const importsQuery = z.strictObject({
  state: listOption(IMPORT_STATES).optional(),
  limit: limitOption(50, 200),
  cursor: cursorOption.optional(),
});
export const importsPage = z.strictObject({ imports: z.array(importView), nextCursor });
export type ImportsPage = z.infer<typeof importsPage>;

/** `GET /v1/imports/:id/transitions` */
export const importJournal = z.strictObject({
  transitions: z.array(z.strictObject({ at: time, state: z.enum(IMPORT_STATES), reason: z.string() })),
});
export type Transition = z.infer<typeof importJournal>['transitions'][number];

/** `GET /v1/imports/:id/report` */
export const reportQuery = z.strictObject({
  format: z.enum(['csv', 'ndjson', 'json', 'html']).optional().meta({ description: 'Default: csv.' }),
  status: listOption(OUTCOMES).optional(),
  retryable: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only rows that can be sent again, in the original columns, ready to import.' }),
});
export type ReportQuery = z.infer<typeof reportQuery>;
