import { z } from 'zod';
import { fileOf, nothing, operationsOf } from '../../api/operation.ts';
import { EXPORT_FORMATS, EXPORT_LISTS, exportBody, exportView, resumeQuery } from './api.ts';

const operation = operationsOf('exports', z.object({ id: z.string().meta({ description: 'Id of an export.' }) }));

/** Exports: who is in which group now, read within the budgets of the regions, kept until it is deleted. */
export const exportOperations = {
  begin: operation('POST /v1/exports', 'operator', {
    audit: 'export.create',
    summary: 'Begin to export who is in which group now',
    body: exportBody,
    status: 202,
    location: '/v1/exports/:id',
    answer: exportView,
    refusals: ['REGION_WITHOUT_APP'],
  }),
  list: operation('GET /v1/exports', 'viewer', {
    summary: 'List exports, newest first',
    answer: z.strictObject({ exports: z.array(exportView) }),
  }),
  one: operation('GET /v1/exports/:id', 'viewer', {
    summary: 'One export',
    answer: exportView,
    refusals: ['UNKNOWN_EXPORT'],
  }),
  resume: operation('POST /v1/exports/:id/resume', 'operator', {
    audit: 'export.resume',
    summary: 'Continue an export that was interrupted or stopped, or that waits until its calls are allowed',
    query: resumeQuery,
    answer: exportView,
    refusals: ['UNKNOWN_EXPORT', 'WRONG_STATE', 'WRONG_TARGET'],
  }),
  remove: operation('DELETE /v1/exports/:id', 'operator', {
    audit: 'export.delete',
    summary: 'End an export and delete it',
    answer: nothing('Deleted.'),
    refusals: ['UNKNOWN_EXPORT'],
  }),
  download: operation('GET /v1/exports/:id/:list', 'viewer', {
    summary: 'Download a list of an export; its members are rows that imports and syncs read back',
    params: z.object({ id: z.string().meta({ description: 'Id of an export.' }), list: z.enum(EXPORT_LISTS) }),
    query: z.strictObject({
      format: z.enum(EXPORT_FORMATS).optional().meta({ description: 'Default: csv.' }),
    }),
    answer: fileOf('The list, streamed.', 'text/csv', 'application/x-ndjson'),
    refusals: ['UNKNOWN_EXPORT', 'WRONG_STATE'],
  }),
};
