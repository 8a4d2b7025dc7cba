import { operationOfImports } from '../../api/imports.ts';
import { fileOf } from '../../api/operation.ts';
import { checkQuery, checkView } from './api.ts';

const list = {
  answer: fileOf('The list, streamed.', 'text/csv'),
  refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
} as const;

/** Checks of staged imports: which rows would fail, before anything is sent. */
export const checkOperations = {
  begin: operationOfImports('POST /v1/imports/:id/check', 'operator', {
    audit: 'import.check',
    summary:
      'Ask the service which rows of an import would fail; nothing is sent. Continues a check that waits or stopped',
    query: checkQuery,
    status: 202,
    location: '/v1/imports/:importId/check',
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
  one: operationOfImports('GET /v1/imports/:id/check', 'viewer', {
    summary: 'The progress and result of the check of an import',
    answer: checkView,
    refusals: ['UNKNOWN_IMPORT', 'NO_CHECK_YET'],
  }),
  rows: operationOfImports('GET /v1/imports/:id/check/rows', 'viewer', {
    summary: 'Download what a check says of every row, as CSV',
    ...list,
  }),
  groups: operationOfImports('GET /v1/imports/:id/check/groups', 'viewer', {
    summary: 'Download what a check says of every group, as CSV',
    ...list,
  }),
};
