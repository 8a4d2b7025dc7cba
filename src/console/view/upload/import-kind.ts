/** A file that is uploaded for an import: it is read, and sent from its review. */
import { importHref } from '../../kit/elements.tsx';
import type { UploadKind } from './upload-entry.ts';

export const IMPORT: UploadKind = {
  noun: 'import',
  steps: ['File', 'Columns', 'Review'],
  base: '/imports',
  path: '/v1/imports',
  own: { expectRows: '', minRows: '' },
  hrefOf: importHref,
  toQuery: ({ expectRows = '', minRows = '' }) => ({ expectRows, minRows, askFirst: 'true' }),
  fieldOf: (name) => name,
  label: () => 'Next: review',
};
