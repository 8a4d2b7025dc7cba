import type { NewGroup, NewUser } from '../../chat/directory-client.ts';
import { PROFILE_LIMITS } from '../../chat/service/limits.ts';
import { option, type Words, words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { foldId } from '../../membership/membership.ts';
import type { CreateField, CreateOptions } from '../../options/create-options.ts';
import { defined } from '../../platform/defined.ts';
import { openForReading, type Statements } from '../../platform/sqlite.ts';
import { isObject, isText, storedJson } from '../../platform/stored-json.ts';
import { jsonOrUndefined } from '../../text/json-or-undefined.ts';
import { counted, grouped } from '../../text/wording.ts';
import { cellReader } from '../read/input-row.ts';
import { columnsOfInput } from '../read/notes.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { actionId } from './enum-ids.ts';
import { ledgerStatements } from './ledger-statements.ts';

/** The reason why a user or group cannot be created from its rows. */
export interface Unfit {
  readonly code: 'NO_NAME' | 'BAD_METADATA' | 'FIELD_LIMIT';
  readonly message: string;
}

export const NAMELESS_USER: Unfit = {
  code: 'NO_NAME',
  message: 'its row has no name to create it with',
};

/** Names of columns by field, in lower case without separators. */
const ALIASES: Readonly<Record<CreateField, readonly string[]>> = {
  name: ['name', 'fullname', 'displayname', 'username', 'realname'],
  first_name: ['firstname', 'givenname', 'forename'],
  last_name: ['lastname', 'surname', 'familyname'],
  avatar: ['avatar', 'avatarurl', 'photo', 'photourl', 'picture'],
  link: ['link', 'profileurl', 'profilelink'],
  // A column `role` says which scope a member has.
  role: ['userrole', 'approle', 'chatrole'],
  tags: ['tags', 'usertags'],
  metadata: ['metadata', 'usermetadata'],
  // Personal: it is sent to the service only when a person asks for it.
  email: [],
  group_name: ['groupname', 'groupdisplayname', 'roomname', 'channelname'],
  group_type: ['grouptype'],
  group_password: ['grouppassword'],
  group_owner: ['groupowner', 'owner'],
  group_icon: ['groupicon', 'icon'],
  group_description: ['groupdescription', 'description'],
  group_tags: ['grouptags'],
};

const plain = (name: string) => name.toLowerCase().replace(/[\s_\-.]+/g, '');

/** The place of each field's column: -1 for a mapped one that is not there. A field without a column is absent. */
function profileColumns(
  columns: readonly string[],
  mapped: CreateOptions['columns'],
): ReadonlyMap<CreateField, number> {
  const names = columns.map(plain);
  const found = new Map<CreateField, number>();
  for (const [field, aliases] of Object.entries(ALIASES) as [CreateField, readonly string[]][]) {
    const wanted = mapped[field];
    if (wanted === '') continue;
    const at =
      wanted === undefined
        ? names.findIndex((name) => aliases.includes(name))
        : columns.includes(wanted)
          ? columns.indexOf(wanted)
          : names.indexOf(plain(wanted));
    if (at >= 0 || wanted !== undefined) found.set(field, at);
  }
  return found;
}

/**
 * Returns the reason why nothing can be created from an input with these columns, and the remedy; undefined if it can.
 */
export function nameObstacle(
  columns: readonly string[],
  { columns: mapped, users, groups, userNameFrom, groupNameFrom }: CreateOptions,
): { readonly what: string; readonly remedy: Words } | undefined {
  const list = columns.map((column) => JSON.stringify(column)).join(', ');
  const found = profileColumns(columns, mapped);
  for (const [field, at] of found) {
    if (at >= 0) continue;
    const what = `the mapping ${field}=${mapped[field]} names a column that is not there`;
    return { what, remedy: `the columns are ${list}` };
  }
  const lacks = (...fields: CreateField[]) => !fields.some((field) => found.has(field));
  const unnamed = (what: string, remedy: Words) => ({
    what: `no column has names for the ${what} to create (columns: ${list})`,
    remedy,
  });
  if (users && userNameFrom === undefined && lacks('name', 'first_name', 'last_name')) {
    return unnamed(
      'users',
      words`map one with ${option('createMap', 'name=COLUMN')}, or take their UIDs for names with ${option('userNameFrom', 'uid')}`,
    );
  }
  if (groups && groupNameFrom === undefined && lacks('group_name')) {
    return unnamed(
      'groups',
      words`map one with ${option('createMap', 'group_name=COLUMN')}, or take their GUIDs for names with ${option('groupNameFrom', 'guid')}`,
    );
  }
  return undefined;
}

/** The fields of a row that are not empty. */
export type Cells = Readonly<Partial<Record<CreateField, string>>>;

/** Returns the function that reads the fields of a row from JSON of the input as it was: cells, or an element with keys. */
export function cellsReader(columns: readonly string[], options: CreateOptions): (original: string) => Cells {
  const places = profileColumns(columns, options.columns);
  return (original) => {
    const cellAt = cellReader(original, columns);
    const cells: Partial<Record<CreateField, string>> = {};
    for (const [field, at] of places) {
      const text = cellAt(at);
      if (text !== '') cells[field] = text;
    }
    return cells;
  };
}

export function userProfile(uid: string, cells: Cells, options: CreateOptions): NewUser | Unfit {
  const { first_name = '', last_name = '', avatar, link, role = options.userRole } = cells;
  const name = cells.name || `${first_name} ${last_name}`.trim() || (options.userNameFrom === 'uid' ? uid : '');
  if (name === '') return NAMELESS_USER;
  const metadata = metadataOf(cells);
  if (metadata === undefined) {
    return { code: 'BAD_METADATA', message: 'the metadata of its row is not a JSON object' };
  }
  return withinLimits({
    uid,
    name,
    ...defined({ avatar, link, role, tags: tagsOf(cells.tags) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

export function groupProfile(guid: string, cells: Cells, options: CreateOptions): NewGroup | Unfit {
  const name = cells.group_name ?? (options.groupNameFrom === 'guid' ? guid : '');
  if (name === '') return { code: 'NO_NAME', message: 'no row of it has a name to create it with' };
  return withinLimits({
    guid,
    name,
    type: cells.group_type?.toLowerCase() ?? options.groupType ?? 'public',
    ...defined({
      password: cells.group_password,
      owner: cells.group_owner ?? options.groupOwner,
      icon: cells.group_icon ?? options.groupIcon,
      description: cells.group_description ?? options.groupDescription,
      tags: tagsOf(cells.group_tags),
    }),
  });
}

const length = (text = ''): number => [...text].length;

/** Returns the profile, or the reason why the service would refuse it for the size of its values. */
function withinLimits<Profile extends NewUser | NewGroup>(profile: Profile): Profile | Unfit {
  const { name, avatar, link, icon, description, metadata, tags = [] }: Partial<NewUser & NewGroup> = profile;
  const { address } = PROFILE_LIMITS;
  const longest = Math.max(0, ...tags.map(length));
  const sizes: readonly (readonly [field: string, size: number | undefined, limit: number, unit: string])[] = [
    ['name', length(name), PROFILE_LIMITS.name, 'character'],
    ['avatar', length(avatar), address, 'character'],
    ['link', length(link), address, 'character'],
    ['icon', length(icon), address, 'character'],
    ['description', length(description), PROFILE_LIMITS.description, 'character'],
    ['metadata', metadata && Buffer.byteLength(JSON.stringify(metadata)), PROFILE_LIMITS.metadata, 'byte'],
    ['list of tags', tags.length, PROFILE_LIMITS.tags, 'tag'],
    ['longest tag', longest, PROFILE_LIMITS.tag, 'character'],
  ];
  const over = sizes.flatMap(([field, size = 0, limit, unit]) =>
    size > limit ? [`its ${field} has ${counted(size, unit)}, and the service takes ${grouped(limit)}`] : [],
  );
  return over.length === 0 ? profile : { code: 'FIELD_LIMIT', message: over.join('; ') };
}

/** A JSON list, or words between commas or semicolons. */
function tagsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const list = text.startsWith('[') ? jsonOrUndefined(text) : text.split(/[;,]/);
  const tags = Array.isArray(list) ? list.map((tag) => String(tag).trim()).filter((tag) => tag !== '') : [text];
  return tags.length === 0 ? undefined : tags;
}

/** With an address that only the server side may read. Undefined when the cell is not a JSON object. */
function metadataOf({ metadata: text = '{}', email }: Cells): Record<string, unknown> | undefined {
  const metadata = jsonOrUndefined(text);
  if (!isObject(metadata)) return undefined;
  if (email === undefined) return metadata;
  return { ...metadata, '@private': { ...(metadata['@private'] as object | undefined), email } };
}

/** The user who would own a group that was sent: its owner, or the acting user. @param body what was sent, as the ledger keeps it */
export function ownerIn(body: string): string | undefined {
  const {
    profiles,
    profile = Array.isArray(profiles) ? profiles[0] : undefined,
    onBehalfOf,
  } = storedJson(body, 'users and groups to create', isObject);
  const owner = (isObject(profile) ? profile['owner'] : undefined) ?? onBehalfOf;
  return isText(owner) ? foldId(owner) : undefined;
}

export type Profiles = ReturnType<typeof openProfiles>;

/** The profiles in the ledger of a staged file of users and groups that it would create. */
export function openProfiles(path: string, options: CreateOptions) {
  const database = openForReading(path, IMPORT_SCHEMA);
  return { ...profilesIn(ledgerStatements(database), options), [Symbol.dispose]: () => database.close() };
}

export function profilesIn(sql: Statements, options: CreateOptions) {
  const columns = columnsOfInput(sql('input').get());
  const cells = cellsReader(columns, options);
  /** Returns a row's UID as it was written, and its cells. */
  const rowOf = (row: number | null): { readonly uid: string; readonly cells: Cells } => {
    const found = sql<{ original: string; uid: string }>('original').get({ row });
    return found === undefined ? { uid: '', cells: {} } : { uid: found.uid, cells: cells(found.original) };
  };
  return {
    /** @throws CREATE_WITHOUT_NAME where nothing in the input gives a name to what it would create */
    requireNames: (): void => {
      const obstacle = nameObstacle(columns, options);
      if (obstacle !== undefined) throw new RollcallError('CREATE_WITHOUT_NAME', obstacle);
    },
    /** Fields that the input has a column for. */
    fields: (): readonly CreateField[] => [...profileColumns(columns, options.columns).keys()],
    rowOf,
    /** Returns the cells of a user's first row in a group; none where it has no row there. */
    ofMember: (group: number, uid: string): Cells => {
      const found = sql<{ id: number }>('row_of_user_in_group').get({ group, uid });
      return found === undefined ? {} : rowOf(found.id).cells;
    },
    /** Returns the only user on whose behalf rows are added to a group, who creates and owns it where it has no owner. */
    actingUser: (group: number): string | undefined =>
      sql<{ uid: string | null }>('acting_user').get({ group, add: actionId('add') })?.uid ?? undefined,
    /** Returns the joined cells of a group's rows: of each field the first that is not empty. */
    ofGroup: (group: number): Cells => {
      const rows = sql<{ original: string }>('rows_of_group').all({ group });
      return Object.assign({}, ...rows.reverse().map(({ original }) => cells(original)));
    },
    users: () => Number(sql('count_users').get()?.['n']),
  };
}

/** @param path of the ledger of a staged file @throws CREATE_WITHOUT_NAME */
export function requireNames(path: string, options: CreateOptions): void {
  using profiles = openProfiles(path, options);
  profiles.requireNames();
}
