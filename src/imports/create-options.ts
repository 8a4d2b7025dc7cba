import { z } from 'zod';

/** Fields of a user or group that is created, as a column of the input may give them. */
export const CREATE_FIELDS = [
  'name',
  'first_name',
  'last_name',
  'avatar',
  'link',
  'role',
  'tags',
  'metadata',
  'email',
  'group_name',
  'group_type',
  'group_password',
  'group_owner',
  'group_icon',
  'group_description',
  'group_tags',
] as const;
export type CreateField = (typeof CREATE_FIELDS)[number];

export const GROUP_TYPES = ['public', 'private', 'password'] as const;

/** A number, or a share in percent: of the users or groups that the input names. */
const bound = z.union([
  z.strictObject({ count: z.int().nonnegative() }),
  z.strictObject({ percent: z.number().min(0).max(100) }),
]);
export type CreateBound = z.infer<typeof bound>;

export const maxCreate = z.strictObject({ users: bound, groups: bound }).partial();
export type MaxCreate = z.infer<typeof maxCreate>;

/** What an import may create or reactivate: users and groups that its rows need and the service does not know. */
export const createOptions = z.strictObject({
  users: z.boolean().default(false),
  groups: z.boolean().default(false),
  /** Reactivate users who are deactivated. */
  reactivate: z.boolean().default(false),
  /** Field -> column, for columns whose names are not recognised; '' where the input has none for it. */
  columns: z.partialRecord(z.enum(CREATE_FIELDS), z.string()).default({}),
  /** Where the name of a user comes from whose row has none. Absent: such a user is not created. */
  userNameFrom: z.literal('uid').optional(),
  groupNameFrom: z.literal('guid').optional(),
  /** For users and groups whose rows have no value of their own. */
  userRole: z.string().min(1).optional(),
  groupType: z.enum(GROUP_TYPES).optional(),
  groupOwner: z.string().min(1).optional(),
  groupIcon: z.string().min(1).optional(),
  groupDescription: z.string().min(1).optional(),
  /** Whether a new group comes with its first members, in the same call. */
  membersWithGroup: z.boolean().default(true),
  max: maxCreate.default({}),
});
export type CreateOptions = z.infer<typeof createOptions>;
