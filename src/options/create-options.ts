import { z } from 'zod';
import { rowsOrShare } from '../platform/allowed-values.ts';
import { choice, entryTexts, type Given, keptOf, keptShape, option, readAsSetting, SWITCH, TEXT } from './option.ts';
import { columnMap } from './option-texts.ts';

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

const GROUP_TYPES = ['public', 'private', 'password'] as const;

/** A number, or a share in percent: of the users or groups that the input names. */
const bound = z.union([
  z.strictObject({ count: z.int().nonnegative() }),
  z.strictObject({ percent: z.number().min(0).max(100) }),
]);
export type CreateBound = z.infer<typeof bound>;

const maxCreate = z.strictObject({ users: bound, groups: bound }).partial();
export type MaxCreate = z.infer<typeof maxCreate>;

const text = { schema: z.string().min(1), ...TEXT, longest: 3_000 };

/** Options for creating or reactivating users and groups that the rows need and the service does not know. */
export const CREATING = {
  createUsers: option({
    ...SWITCH,
    kept: 'users',
    help: 'create users whom the service does not know, and add them then',
  }),
  createGroups: option({
    ...SWITCH,
    kept: 'groups',
    help: 'create groups that are not there, before anything else is sent',
  }),
  reactivate: option({ ...SWITCH, help: 'make users active again who are deactivated' }),
  createMap: option({
    kept: 'columns',
    schema: z.partialRecord(z.enum(CREATE_FIELDS), z.string()),
    value: '<field=column,...>',
    help: 'columns with the fields of new users and groups: name=Full Name,group_name=Room',
    parse: columnMap(CREATE_FIELDS, 'name=Full Name'),
    print: entryTexts,
    repeats: true,
  }),
  userNameFrom: option({
    ...choice(['uid']),
    value: '<uid>',
    help: 'name new users without a name after their UID',
  }),
  groupNameFrom: option({
    ...choice(['guid']),
    value: '<guid>',
    help: 'name new groups without a name after their GUID',
  }),
  userRole: option({ ...text, value: '<role>', help: 'role of new users whose rows do not say' }),
  groupType: option({ ...choice(GROUP_TYPES), value: '<type>', help: 'type of new groups', preset: 'public' }),
  groupOwner: option({ ...text, value: '<uid>', help: 'owner of new groups', preset: 'the service itself' }),
  groupIcon: option({ ...text, value: '<url>', help: 'icon of new groups' }),
  groupDescription: option({ ...text, value: '<text>', help: 'description of new groups' }),
  groupMembers: option({
    ...SWITCH,
    kept: 'membersWithGroup',
    help: 'a new group comes with its first members, in the same call',
    preset: 'true',
    off: 'create groups empty, and add their first members in calls of their own',
  }),
};

export const MAX_CREATE = {
  maxCreate: option({
    kept: 'max',
    schema: maxCreate,
    ...readAsSetting(
      {
        allowed: 'a number, such as 500, a share, such as 5%, or one for each: users=500,groups=20',
        parse: maxCreateText,
      },
      textOfMaxCreate,
    ),
    value: '<n|n%>',
    help: 'most users and groups to create, such as 500, 5% or users=500,groups=20; above it the import waits',
    preset: '100 users, 10 groups',
  }),
};

export const CREATION = { ...CREATING, ...MAX_CREATE };
const kept = keptShape(CREATION);

/** The stored form. Absent `userNameFrom`: a user whose row has no name is not created. */
export const createOptions = z.strictObject({
  ...kept,
  users: z.boolean().default(false),
  groups: z.boolean().default(false),
  reactivate: z.boolean().default(false),
  columns: kept.columns.unwrap().default({}),
  membersWithGroup: z.boolean().default(true),
  max: maxCreate.default({}),
});
export type CreateOptions = z.infer<typeof createOptions>;

/** Choices as flags and queries give them; an absent one has its default. */
export type CreateChoices = Given<typeof CREATION>;

/** The options; undefined where nothing may be created. */
export function createOptionsOf(choices: CreateChoices): CreateOptions | undefined {
  const { createUsers = false, createGroups = false, reactivate = false } = choices;
  return createUsers || createGroups || reactivate ? createOptions.parse(keptOf(CREATION, choices)) : undefined;
}

/** `500`, `5%` or `users=500,groups=5%`, each kind once; undefined for what cannot be read. */
function maxCreateText(text: string) {
  const both = boundOf(text);
  if (both !== undefined) return { users: both, groups: both };
  const max: MaxCreate = {};
  for (const part of text.split(',')) {
    const [, kind, number = ''] = /^\s*(users|groups)\s*=(.*)$/.exec(part) ?? [];
    const bound = boundOf(number);
    if (kind === undefined || bound === undefined || kind in max) return undefined;
    max[kind as keyof MaxCreate] = bound;
  }
  return max;
}

function boundOf(text: string): CreateBound | undefined {
  const bound = rowsOrShare.parse(text, '');
  return bound !== undefined && 'rows' in bound ? { count: bound.rows } : bound;
}

/** A bound as `maxCreateText` reads it. */
export function textOfMaxCreate(max: MaxCreate) {
  return Object.entries(max)
    .flatMap(([kind, bound]) =>
      bound === undefined ? [] : [`${kind}=${'count' in bound ? bound.count : `${bound.percent}%`}`],
    )
    .join(',');
}
