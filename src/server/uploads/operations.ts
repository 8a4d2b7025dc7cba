import { importOperations } from '../../api/operations/import-operations.ts';
import { UPLOAD_REFUSALS, uploadHeaders } from './accept.ts';
import { FILE_TYPES, uploadQuery } from './upload-options.ts';

/** The types of files that are taken, for descriptions. */
export const FORMS = FILE_TYPES.join(', ');

/** The common part of operations that make something of a file. */
export const keptFile = { takesFile: true, headers: uploadHeaders, refusals: UPLOAD_REFUSALS };

/** `POST /v1/imports` */
export const uploadOfImport = {
  ...importOperations.create,
  ...keptFile,
  query: uploadQuery,
  description: `The body is the file (${FORMS}, any of them gzipped), or a form with the part "file", and with the part "identities" or "groups" if the shape looks users or groups up in such a file.`,
};
