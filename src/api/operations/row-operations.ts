import { z } from 'zod';
import { INPUTS } from '../../options/input-kinds.ts';
import { reportQuery } from '../imports.ts';
import { fileOf, operationsOf } from '../operation.ts';
import { rowDetail } from '../row-detail.ts';
import { callsAnswer, problemsAnswer, rowsPage, rowsQuery } from '../rows.ts';

const operation = operationsOf('rows', z.object({ id: z.string() }));

/** Rows, problems and calls of an import, and its report: a file with the outcome of every row. */
export const rowOperations = {
  rows: operation('GET /v1/imports/:id/rows', 'viewer', {
    summary: 'Rows with their outcomes, in the order of the input or sorted',
    description: 'A page may hold fewer rows than `limit` and have a next one: where rows are very long.',
    query: rowsQuery,
    answer: rowsPage,
    refusals: ['BAD_CURSOR', 'UNKNOWN_IMPORT', 'NO_ROWS_YET'],
  }),
  row: operation('GET /v1/imports/:id/rows/:row', 'viewer', {
    summary: 'One row with its batch and every call that was made for it',
    params: z.object({
      id: z.string(),
      row: z
        .string()
        .regex(/^\d{1,15}$/, 'allowed is the number of a row: `row` in the list of rows')
        .meta({ description: 'Number of the row in the order of the input: `row` in the list of rows.' }),
    }),
    answer: rowDetail,
    refusals: ['BAD_OPTION', 'UNKNOWN_IMPORT', 'UNKNOWN_ROW', 'NO_ROWS_YET'],
  }),
  problems: operation('GET /v1/imports/:id/problems', 'viewer', {
    summary: 'Rows that need attention by outcome and code, with examples and what to do',
    answer: problemsAnswer,
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET'],
  }),
  calls: operation('GET /v1/imports/:id/calls', 'viewer', {
    summary: 'Calls to the chat service over time',
    answer: callsAnswer,
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET'],
  }),
  created: operation('GET /v1/imports/:id/created', 'viewer', {
    summary: 'Download the users and groups that an import created, and the users that it made active again',
    answer: fileOf('What it created: kind, region, id, outcome and time.', 'text/csv'),
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET'],
  }),
  report: operation('GET /v1/imports/:id/report', 'viewer', {
    summary: 'Download a report',
    description:
      'Streamed. Once an import has finished, its stored files (csv of all rows or of those that need attention, html, retry file) support Range requests.',
    query: reportQuery,
    answer: fileOf(
      'The report.',
      'text/csv',
      'application/x-ndjson',
      'application/json',
      INPUTS.xlsx.mediaType,
      'text/html',
    ),
    refusals: ['UNKNOWN_IMPORT', 'NO_ROWS_YET', 'RANGE'],
  }),
};
