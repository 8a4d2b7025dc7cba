import { z } from 'zod';
import { importView } from '../../api/imports.ts';
import { operationsOf } from '../../api/operation.ts';
import {
  repairEdited,
  repairEdits,
  repairQuery,
  repairReplace,
  repairReplaced,
  repairRows,
  repairTaken,
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
    summary: 'Rows to repair: as the file had them, with their edits and problems',
    query: repairQuery,
    answer: repairRows,
    refusals: ['BAD_CURSOR', 'UNKNOWN_IMPORT', 'WRONG_STATE'],
  }),
  edit: operation('PATCH /v1/imports/:id/repair/rows', 'operator', {
    audit: 'import.edit',
    summary: 'Edit cells; each row is checked as a row of a file is, and nothing is sent',
    description:
      'Each edit names the value that it replaces. One that finds another value, or a row that was sent, is refused alone. The rows stay as the file had them; edits are kept beside them.',
    body: repairEdits,
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
  takeFile: operation('POST /v1/imports/:id/repair/file', 'operator', {
    operationId: 'takeRepairFile',
    audit: 'import.edit',
    summary: 'Take edits from a corrected report: CSV or a workbook, with the column `_row`; nothing is sent',
    description:
      'The body is the file. A cell that differs from what the import had is an edit; it is refused if someone else has edited that cell.',
    answer: repairTaken,
    refusals: ['BAD_OPTION', 'BAD_BODY', 'MEDIA_TYPE', 'STOPPING', ...refusals],
  }),
  send: operation('POST /v1/imports/:id/repair/send', 'operator', {
    audit: 'import.repair',
    summary: 'Send the repaired rows, each once, as a new import',
    query: z.strictObject({
      revision: z.coerce.number().int().nonnegative().optional().meta({
        description: 'The revision that was looked at. Refused if a cell was edited since.',
      }),
    }),
    status: 202,
    answer: importView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
};
