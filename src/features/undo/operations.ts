import { operationOfImports } from '../../api/operations/import-operations.ts';
import { createdView } from './api.ts';

/** Operations on the users and groups that imports created, and on deleting them. */
export const createdOperations = {
  list: operationOfImports('GET /v1/imports/:id/created', 'viewer', {
    summary: 'Users and groups that an import created or made active again, and whether they were deleted',
    answer: createdView,
    refusals: ['UNKNOWN_IMPORT'],
  }),
  remove: operationOfImports('DELETE /v1/imports/:id/created', 'operator', {
    audit: 'import.delete-created',
    summary: 'Delete for good the users and groups that an import created, where no one else uses them',
    description:
      'Possible when its memberships were undone. It continues after the answer, and after a restart of the server; where it ended early, the next request continues it.',
    status: 202,
    answer: createdView,
    refusals: ['UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET', 'REGION_WITHOUT_APP'],
  }),
};
