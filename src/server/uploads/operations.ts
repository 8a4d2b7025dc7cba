import { z } from 'zod';
import { look } from '../../api/look.ts';
import { operationsOf } from '../../api/operation.ts';
import { importOperations } from '../../api/operations/imports.ts';
import { preview } from '../../api/preview.ts';
import { fileFacts } from '../../features/inspect/api.ts';
import { syncOperations } from '../../features/sync/operations.ts';
import { syncQuery } from '../../features/sync/routes/options.ts';
import { UPLOAD_REFUSALS, uploadHeaders } from './accept.ts';
import { FILE_TYPES, previewQuery, uploadQuery } from './options.ts';
import { PREVIEW_BYTES, PREVIEW_ZIP_BYTES } from './preview.ts';

const operation = operationsOf('imports');
const FORMS = FILE_TYPES.join(', ');
const kept = { takesFile: true, headers: uploadHeaders, refusals: UPLOAD_REFUSALS };

const inspectQuery = previewQuery
  .omit({ recipe: true })
  .extend({ name: z.string().max(1_000).optional().meta({ description: 'What the file is called.' }) });

/** Operations whose bodies are files. */
export const uploadOperations = {
  import: {
    ...importOperations.create,
    ...kept,
    query: uploadQuery,
    description: `The body is the file (${FORMS}, any of them gzipped), or a form with the part "file", and with the part "identities" if the shape looks users up in an identity file.`,
  },
  sync: {
    ...syncOperations.create,
    ...kept,
    query: syncQuery,
    description: `The body is the file (${FORMS}, any of them gzipped), or a form with the one part "file". Nothing is sent before the whole file has been read, the groups have been listed, and no guard objects.`,
  },
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
