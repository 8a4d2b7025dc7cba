import { z } from 'zod';
import { importView } from '../../api/imports.ts';
import { operationsOf } from '../../api/operation.ts';
import {
  repairEdited,
  repairEdits,
  repairFileBody,
  repairPaste,
  repairQuery,
  repairReplace,
  repairReplaced,
  repairRows,
  repairTaken,
  repairUndo,
  repairView,
} from './api.ts';

const operation = operationsOf('repair', z.object({ id: z.string() }));
const refusals = ['TOO_LARGE', 'UNKNOWN_IMPORT', 'WRONG_STATE'] as const;

/** Rows that are invalid, failed or would fail: corrected and sent as a new import. */
export const repairOperations = {
  overview: operation('GET /v1/imports/:id/repair', 'viewer', {
    summary:
      'Rows to repair, by problem: invalid, failed, or expected to fail by the check of an import that was not sent',
    answer: repairView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE'],
  }),
  rows: operation('GET /v1/imports/:id/repair/rows', 'viewer', {
    summary: 'Rows to repair: as the file had them, with their problems and edits',
    query: repairQuery,
    answer: repairRows,
    refusals: ['BAD_CURSOR', 'UNKNOWN_IMPORT', 'WRONG_STATE'],
  }),
  edit: operation('PATCH /v1/imports/:id/repair/rows', 'operator', {
    audit: 'import.edit',
    summary: 'Edit cells; each row is checked as a row of a file is, and nothing is sent',
    description: 'All edits or none are kept. The rows stay as the file had them; every edit is kept beside them.',
    body: repairEdits,
    answer: repairEdited,
    refusals,
  }),
  restore: operation('DELETE /v1/imports/:id/repair/rows/:row', 'operator', {
    audit: 'import.edit',
    summary: 'Take back the edits of a row, or of one of its cells',
    params: z.object({
      id: z.string(),
      row: z
        .string()
        .regex(/^\d{1,12}$/, 'a row is a number')
        .transform(Number),
    }),
    query: z.strictObject({ column: z.string().max(1_000).optional() }),
    answer: repairEdited,
    refusals,
  }),
  replace: operation('POST /v1/imports/:id/repair/replace', 'operator', {
    audit: 'import.edit',
    summary: 'Find and replace in a column of the rows to repair that pass the filter, up to 100,000',
    body: repairReplace,
    answer: repairReplaced,
    refusals,
  }),
  paste: operation('POST /v1/imports/:id/repair/paste', 'operator', {
    audit: 'import.edit',
    summary: 'Enter lines of cells in rows, one line in each row from a row on, or the same lines in all of them',
    body: repairPaste,
    answer: repairReplaced,
    refusals,
  }),
  undo: operation('POST /v1/imports/:id/repair/undo', 'operator', {
    audit: 'import.edit',
    summary: 'Take back your last action: an edit, a paste, a replacement or the edits of a file',
    body: repairUndo,
    answer: repairReplaced,
    refusals,
  }),
  takeFile: operation('POST /v1/imports/:id/repair/file', 'operator', {
    audit: 'import.edit',
    summary: 'Take edits from a corrected report (CSV with the column `_row`); cells that differ become edits',
    body: repairFileBody,
    answer: repairTaken,
    refusals,
  }),
  send: operation('POST /v1/imports/:id/repair/send', 'operator', {
    audit: 'import.repair',
    summary: 'Send the repaired rows, each once, as a new import',
    status: 202,
    answer: importView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
};
