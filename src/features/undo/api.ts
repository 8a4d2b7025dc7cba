import { z } from 'zod';
import { count } from '../../api/fields.ts';
import { REGIONS } from '../../membership/membership.ts';

/** Users and groups that an answer lists at most. */
export const MAX_MADE = 1_000;

/** `GET /v1/imports/{id}/created` */
export const createdView = z
  .strictObject({
    importId: z.string(),
    things: z
      .array(
        z.strictObject({
          kind: z.enum(['user', 'group']),
          region: z.enum(REGIONS),
          name: z.string().meta({ description: 'UID or GUID, in lower case.' }),
          outcome: z.enum(['created', 'reactivated']),
          undone: z.enum(['deleted', 'gone', 'kept']).nullable().meta({
            description: 'gone: it did not exist any more; kept: not deleted. Null until deleting was requested.',
          }),
          isUsed: z.boolean().meta({ description: 'Another import uses it, so it would be kept.' }),
          why: z.string().meta({ description: 'The reason why it is kept, or would be.' }),
        }),
      )
      .meta({ description: `Groups first, at most ${MAX_MADE}.` }),
    total: count.meta({ description: 'Users and groups that the import created or made active again.' }),
    deletable: count.meta({
      description: 'Those that it created, that are not deleted, and that no other import uses.',
    }),
    isTakenBack: z.boolean().meta({ description: 'Whether its memberships were undone: then `DELETE` is possible.' }),
    progress: z.strictObject({ done: count, of: count }).nullable().meta({
      description: 'While they are deleted: how many have been looked at.',
    }),
    reason: z.string().meta({ description: 'The reason why the last deletion stopped early, in a sentence.' }),
  })
  .meta({ id: 'Created' });
export type CreatedView = z.infer<typeof createdView>;
