import { type Command, InvalidArgumentError, Option } from 'commander';
import { GROUP_TYPES } from '../../imports/create-options.ts';
import {
  CREATE_COLUMN,
  type CreateChoices,
  createColumns,
  MAX_CREATE,
  maxCreateText,
  textOfMaxCreate,
} from '../../imports/create-texts.ts';
import { repeatable } from './once.ts';

/** Flags for creating users and groups that the service does not know. */
export type CreateFlags = CreateChoices;
export type MaxCreateFlags = Pick<CreateChoices, 'maxCreate'>;

export function withCreate(command: Command): Command {
  command
    .option('--create-users', 'create users whom the service does not know, and add them then')
    .option('--create-groups', 'create groups that are not there, before anything else is sent')
    .option('--reactivate', 'make users active again who are deactivated')
    .option(
      '--create-map <field=column,...>',
      'columns with the fields of new users and groups',
      repeatable(mappedFields),
    )
    .addOption(new Option('--user-name-from <uid>', 'name new users without a name after their UID').choices(['uid']))
    .addOption(
      new Option('--group-name-from <guid>', 'name new groups without a name after their GUID').choices(['guid']),
    )
    .option('--user-role <role>', 'role of new users whose rows do not say')
    .addOption(new Option('--group-type <type>', 'type of new groups (default: public)').choices(GROUP_TYPES))
    .option('--group-owner <uid>', 'owner of new groups (default: the service itself)')
    .option('--group-icon <url>', 'icon of new groups')
    .option('--group-description <text>', 'description of new groups')
    .option('--no-group-members', 'create groups empty, and add their first members in calls of their own');
  return withMaxCreate(command);
}

export function withMaxCreate(command: Command): Command {
  return command.option(
    '--max-create <n|n%>',
    'most users and groups to create, such as 500, 5% or users=500,groups=20 (default: 100 users, 10 groups); above it the import waits',
    maximum,
  );
}

function mappedFields(text: string, earlier: CreateChoices['createMap'] = {}): CreateChoices['createMap'] {
  const columns = createColumns(text);
  if (columns !== undefined) return { ...earlier, ...columns };
  throw new InvalidArgumentError(`Expected ${CREATE_COLUMN}.`);
}

function maximum(text: string): CreateChoices['maxCreate'] {
  const max = maxCreateText(text);
  if (max !== undefined) return max;
  throw new InvalidArgumentError(`Expected ${MAX_CREATE}.`);
}

/** The choices as the API's query takes them. */
export function createQuery(choices: CreateChoices): readonly (readonly [name: string, value: string])[] {
  const { createMap, maxCreate, groupMembers, createUsers, createGroups, reactivate } = choices;
  if (!createUsers && !createGroups && !reactivate) return [];
  const { userNameFrom, groupNameFrom, userRole, groupType, groupOwner, groupIcon, groupDescription } = choices;
  const texts = { userNameFrom, groupNameFrom, userRole, groupType, groupOwner, groupIcon, groupDescription };
  return [
    ...Object.entries({ createUsers, createGroups, reactivate }).flatMap(([name, on]) =>
      on ? [[name, 'true'] as const] : [],
    ),
    ...Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])),
    ...Object.entries(createMap ?? {}).map(([field, column]) => ['createMap', `${field}=${column}`] as const),
    ...(groupMembers === false ? [['groupMembers', 'false'] as const] : []),
    ...(maxCreate === undefined ? [] : [['maxCreate', textOfMaxCreate(maxCreate)] as const]),
  ];
}
