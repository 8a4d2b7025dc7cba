import {
  CREATE_FIELDS,
  type CreateBound,
  type CreateField,
  type CreateOptions,
  createOptions,
  type MaxCreate,
} from './create-options.ts';

/** What may be created, as people write it on the command line and in addresses. */

export const CREATE_COLUMN = `field=column, or field= for none; fields are ${CREATE_FIELDS.join(', ')}`;
export const MAX_CREATE = 'a number, such as 500, a share, such as 5%, or one for each: users=500,groups=20';

/** `name=Full Name,group_name=Room`; undefined for what cannot be read. */
export function createColumns(text: string): CreateOptions['columns'] | undefined {
  const columns: Partial<Record<CreateField, string>> = {};
  for (const part of text.split(/,(?=[^,]*=)/)) {
    const at = part.indexOf('=');
    const field = CREATE_FIELDS.find((one) => one === part.slice(0, at).trim().toLowerCase());
    if (field === undefined) return undefined;
    columns[field] = part.slice(at + 1).trim();
  }
  return columns;
}

/** `500`, `5%` or `users=500,groups=5%`, each kind once; undefined for what cannot be read. */
export function maxCreateText(text: string): MaxCreate | undefined {
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
  const [, digits, percent] = /^\s*(\d{1,12}(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (percent === '%') return Number(digits) <= 100 ? { percent: Number(digits) } : undefined;
  return Number.isInteger(Number(digits)) ? { count: Number(digits) } : undefined;
}

/** A bound as `maxCreateText` reads it. */
export function textOfMaxCreate(max: MaxCreate): string {
  return Object.entries(max)
    .flatMap(([kind, bound]) =>
      bound === undefined ? [] : [`${kind}=${'count' in bound ? bound.count : `${bound.percent}%`}`],
    )
    .join(',');
}

/** Choices as flags and queries give them; an absent one has its default. */
export interface CreateChoices {
  readonly createUsers?: boolean | undefined;
  readonly createGroups?: boolean | undefined;
  readonly reactivate?: boolean | undefined;
  readonly createMap?: CreateOptions['columns'] | undefined;
  readonly userNameFrom?: CreateOptions['userNameFrom'];
  readonly groupNameFrom?: CreateOptions['groupNameFrom'];
  readonly userRole?: string | undefined;
  readonly groupType?: CreateOptions['groupType'];
  readonly groupOwner?: string | undefined;
  readonly groupIcon?: string | undefined;
  readonly groupDescription?: string | undefined;
  /** Whether a new group comes with its first members. */
  readonly groupMembers?: boolean | undefined;
  readonly maxCreate?: MaxCreate | undefined;
}

/** The options; undefined where nothing may be created. */
export function createOptionsOf(choices: CreateChoices): CreateOptions | undefined {
  const { createUsers = false, createGroups = false, reactivate = false, createMap, groupMembers, maxCreate } = choices;
  if (!createUsers && !createGroups && !reactivate) return undefined;
  const { userNameFrom, groupNameFrom, userRole, groupType, groupOwner, groupIcon, groupDescription } = choices;
  return createOptions.parse({
    users: createUsers,
    groups: createGroups,
    reactivate,
    ...(createMap !== undefined && { columns: createMap }),
    ...(userNameFrom !== undefined && { userNameFrom }),
    ...(groupNameFrom !== undefined && { groupNameFrom }),
    ...(userRole !== undefined && { userRole }),
    ...(groupType !== undefined && { groupType }),
    ...(groupOwner !== undefined && { groupOwner }),
    ...(groupIcon !== undefined && { groupIcon }),
    ...(groupDescription !== undefined && { groupDescription }),
    ...(groupMembers !== undefined && { membersWithGroup: groupMembers }),
    ...(maxCreate !== undefined && { max: maxCreate }),
  });
}

/** The choices that give these options, with texts as `createColumns` and `maxCreateText` read them. */
export function createSettingsOf(create: CreateOptions) {
  const { users, groups, reactivate, columns, membersWithGroup, max, ...rest } = create;
  const createMap = Object.entries(columns).map(([field, column]) => `${field}=${column}`);
  const maxCreate = textOfMaxCreate(max);
  return {
    ...{ createUsers: users, createGroups: groups, reactivate },
    ...(createMap.length > 0 && { createMap: createMap.join(',') }),
    ...rest,
    groupMembers: membersWithGroup,
    ...(maxCreate !== '' && { maxCreate }),
  };
}
