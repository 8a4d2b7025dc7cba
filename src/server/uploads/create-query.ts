import { z } from 'zod';
import { GROUP_TYPES } from '../../imports/create-options.ts';
import { CREATE_COLUMN, createColumns, MAX_CREATE, maxCreateText } from '../../imports/create-texts.ts';

/** What may be created, as the query says it. */

const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description });

export const maxCreateQuery = z
  .string()
  .transform((text, context) => {
    const max = maxCreateText(text);
    if (max !== undefined) return max;
    context.addIssue({ code: 'custom', message: `allowed is ${MAX_CREATE}` });
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      'Most users and groups to create: `500`, `5%` or `users=500,groups=20`. Default: 100 users and 10 groups. Above it the import waits.',
  });

const text = (description: string) => z.string().min(1).max(3_000).optional().meta({ description });

export const CREATE_QUERY = {
  createUsers: flag('Create users whom the service does not know.'),
  createGroups: flag('Create groups that are not there, before anything else is sent.'),
  reactivate: flag('Make users active again who are deactivated.'),
  createMap: z
    .union([z.string(), z.array(z.string())])
    .transform((given, context) => {
      const read = (typeof given === 'string' ? [given] : given).map(createColumns);
      if (read.includes(undefined)) context.addIssue({ code: 'custom', message: `allowed is ${CREATE_COLUMN}` });
      return Object.assign({}, ...read) as NonNullable<ReturnType<typeof createColumns>>;
    })
    .optional()
    .meta({ description: 'Columns with the fields of new users and groups: `name=Full Name,group_name=Room`.' }),
  userNameFrom: z.literal('uid').optional().meta({ description: 'Name new users without a name after their UID.' }),
  groupNameFrom: z.literal('guid').optional().meta({ description: 'Name new groups without a name after their GUID.' }),
  userRole: text('Role of new users whose rows do not say.'),
  groupType: z.enum(GROUP_TYPES).optional().meta({ description: 'Type of new groups. Default: public.' }),
  groupOwner: text('Owner of new groups. Default: the service itself.'),
  groupIcon: text('Icon of new groups.'),
  groupDescription: text('Description of new groups.'),
  groupMembers: flag('Whether a new group comes with its first members, in the same call. Default: true.'),
  maxCreate: maxCreateQuery,
};
