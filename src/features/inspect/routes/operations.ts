import { z } from 'zod';
import { fileFacts } from '../../../api/file-facts.ts';
import { look } from '../../../api/look.ts';
import { operationsOf } from '../../../api/operation.ts';
import { preview } from '../../../api/preview.ts';
import { previewQuery } from '../../../server/uploads/options.ts';
import { PREVIEW_BYTES, PREVIEW_ZIP_BYTES } from './preview.ts';

const operation = operationsOf('imports');

const inspectQuery = previewQuery
  .omit({ recipe: true })
  .extend({ name: z.string().max(1_000).optional().meta({ description: 'Name of the file.' }) });

/** The beginning of a file is sent, and nothing is kept of it. */
export const inspectOperations = {
  preview: {
    ...operation('POST /v1/preview', 'viewer', {
      summary: 'See how the beginning of a file would be read; nothing is kept',
      description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${PREVIEW_ZIP_BYTES}.`,
      query: previewQuery,
      answer: preview,
      refusals: ['BAD_BODY', 'UNKNOWN_RECIPE', 'TOO_LARGE', 'MEDIA_TYPE', 'STOPPING'],
    }),
    takesFile: true,
  },
  inspect: {
    ...operation('POST /v1/inspect', 'viewer', {
      summary: 'See what a file is and what to say so that it can be imported; nothing is kept',
      description: `The body is the first bytes of a file, at most ${PREVIEW_BYTES}, in the forms that an import takes; of a workbook or ZIP archive the whole file, at most ${PREVIEW_ZIP_BYTES}.`,
      query: inspectQuery,
      answer: fileFacts,
      refusals: ['BAD_BODY', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'],
    }),
    takesFile: true,
  },
  look: {
    ...operation('POST /v1/look', 'viewer', {
      summary: 'See what a file is and how it would be read, in one answer; nothing is kept',
      description: 'The body and the options are those of `/v1/preview`.',
      query: previewQuery.extend({
        name: inspectQuery.shape.name,
        size: z.coerce
          .number()
          .int()
          .positive()
          .optional()
          .meta({ description: 'Bytes of the whole file, where the body is its beginning.' }),
      }),
      answer: look,
      refusals: ['BAD_BODY', 'UNKNOWN_RECIPE', 'TOO_LARGE', 'MEDIA_TYPE', 'BUSY', 'STOPPING'],
    }),
    takesFile: true,
  },
};
