import { posix } from 'node:path';
import { DEFAULT_REGION } from '../../chat/service/regions.ts';
import type { ExportName } from '../../options/input-kinds.ts';
import type { Shape } from '../../options/shape.ts';
import { isObject } from '../../platform/stored-json.ts';
import { cellOf } from '../../text/csv-line.ts';
import type { FileSet } from './archive/file-set.ts';
import type { IntakeSource } from './byte-source.ts';
import { type Element, type Elements, isText } from './element.ts';
import type { InputRow } from './input-row.ts';
import { isIntakeError } from './intake-error.ts';

type FlatRow = Readonly<Record<string, unknown>>;
type Flatten = (element: Element, deleted: ReadonlySet<string>) => Iterable<FlatRow>;

const FLATTEN: Readonly<Record<ExportName, Flatten>> = {
  slack,
  mattermost,
  stream,
  sendbird,
  twilio,
  cometchat,
  scim,
  teams,
};

/** The property in which a page of the system's API has its elements. */
const PAGES: Readonly<Partial<Record<ExportName, string>>> = {
  scim: 'Resources',
  sendbird: 'channels',
  twilio: 'participants',
};

/**
 * Reads elements of an export: rows are what they hold. Without a name elements are rows themselves.
 * @param deleted users whom another file of the export says to be deleted
 */
export function ofExport(
  name: ExportName | undefined,
  rows: Elements,
  deleted: ReadonlySet<string> = new Set(),
): Elements {
  if (name === undefined) return rows;
  const flatten = FLATTEN[name];
  return {
    // Every object may hold memberships.
    isRow: () => true,
    // Members beside the name of their group belong to it.
    isOpened: (property) => property !== PAGES[name],
    *rows(element, place) {
      for (const row of flatten(element, deleted)) {
        yield* rows.rows(row, place, JSON.stringify(row), Object.keys(row).length);
      }
    },
    finish: () => rows.finish(),
  };
}

/** `channels.json` and `groups.json`: a channel with the ids of its members. */
function* slack({ id, name, is_archived: archived, members }: Element, deleted: ReadonlySet<string>) {
  for (const user of listOf(members)) {
    yield {
      channel_id: idOf(id),
      channel_name: cellOf(name),
      is_archived: String(archived === true),
      user_id: idOf(user),
      user_deleted: String(deleted.has(cellOf(user))),
    };
  }
}

/** Highest first; a member may have several. */
const CHANNEL_ROLES = ['channel_admin', 'channel_user', 'channel_guest'];

/** A line about a user: their teams, and the channels of each. */
function* mattermost({ type, user }: Element) {
  if (type !== 'user') return;
  const { username, email, delete_at: deleted, teams: all } = objectOf(user);
  for (const team of listOf(all).map(objectOf)) {
    for (const channel of listOf(team['channels']).map(objectOf)) {
      const roles = cellOf(channel['roles']).split(/\s+/);
      yield {
        team: cellOf(team['name']),
        channel: cellOf(channel['name']),
        username: cellOf(username),
        email: cellOf(email),
        delete_at: cellOf(deleted),
        channel_role: CHANNEL_ROLES.find((role) => roles.includes(role)) ?? roles[0] ?? '',
      };
    }
  }
}

/** Stream's id for a distinct channel, made from its members. */
const DISTINCT = '!members';

/** A member of a channel. Those of a distinct channel, which is known by its members only, have no channel id. */
function* stream({ type, item }: Element) {
  if (type !== 'member') return;
  const member = objectOf(item);
  const role = cellOf(member['channel_role']);
  const channel = cellOf(member['channel_id']);
  const named = channel.startsWith(DISTINCT) ? '' : channel;
  yield {
    channel_type: cellOf(member['channel_type']),
    channel_id: named,
    cid: named === '' ? '' : `${cellOf(member['channel_type'])}:${named}`,
    user_id: idOf(member['user_id']),
    channel_role: role === '' && member['is_moderator'] === true ? 'channel_moderator' : role,
    ...joinedAt(member['created_at']),
  };
}

/** A group channel with its members, or a page of them; operators are named among the members, or in a list. */
function* sendbird({ channel_url: url, name, members, operators }: Element) {
  const operating = new Set(listOf(operators).map((operator) => cellOf(objectOf(operator)['user_id'])));
  for (const member of listOf(members).map(objectOf)) {
    const user = idOf(member['user_id']);
    yield {
      channel_url: idOf(url),
      channel_name: cellOf(name),
      user_id: user,
      nickname: cellOf(member['nickname']),
      profile_url: cellOf(member['profile_url']),
      state: cellOf(member['state']),
      role: member['role'] === 'operator' || operating.has(cellOf(user)) ? 'operator' : 'member',
      ...joinedAt(member['joined_ts']),
    };
  }
}

/** A participant of a conversation, as the API or the vendor's command line writes it. One of a telephone has no identity. */
function* twilio(participant: Element) {
  const { conversation_sid: snake, conversationSid: conversation = snake, identity } = participant;
  const { role_sid: role, roleSid = role, date_created: made, dateCreated = made } = participant;
  if (conversation === undefined) return;
  yield {
    conversation_sid: idOf(conversation),
    identity: idOf(identity),
    role_sid: cellOf(roleSid),
    ...joinedAt(dateCreated),
  };
}

/** The body of `POST /data_import/members`: members by a key of their own. */
function* cometchat({ members }: Element) {
  for (const member of Object.values(objectOf(members)).map(objectOf)) {
    yield {
      guid: idOf(member['guid']),
      uid: idOf(member['uid']),
      scope: member['isBanned'] === true ? 'ban' : cellOf(member['scope']),
      joinedAt: cellOf(member['joinedAt']),
    };
  }
}

/** A group of SCIM 2.0 with its members. */
function* scim({ id, displayName, externalId, members }: Element) {
  for (const member of listOf(members).map(objectOf)) {
    yield {
      group_id: idOf(id),
      group_name: cellOf(displayName),
      external_id: cellOf(externalId),
      user_id: idOf(member['value']),
      user_name: cellOf(member['display']),
      type: cellOf(member['type']),
    };
  }
}

/** Teams as code: those of one organisation, or of several under `orgs`; a team may hold teams. */
function* teams(document: Element) {
  const organisations = Object.entries(objectOf(document['orgs']));
  if (organisations.length === 0) yield* teamsOf(cellOf(document['name']), document['teams']);
  for (const [org, settings] of organisations) yield* teamsOf(org, objectOf(settings)['teams']);
}

function* teamsOf(org: string, all: unknown): Generator<FlatRow> {
  for (const [team, settings] of Object.entries(objectOf(all))) {
    const { maintainers, members, teams: inner } = objectOf(settings);
    for (const user of listOf(maintainers)) yield { org, team, user: idOf(user), role: 'maintainer' };
    for (const user of listOf(members)) yield { org, team, user: idOf(user), role: 'member' };
    yield* teamsOf(org, inner);
  }
}

/** Since when a person is a member, where the export says it. */
function joinedAt(time: unknown) {
  return time ? { joined_at: cellOf(time) } : {};
}

/** An id as a text; what is none stays a value of JSON, and is refused as that of any element. */
function idOf(value: unknown) {
  return isText(value) || Array.isArray(value) ? cellOf(value) : value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Element {
  return isObject(value) ? value : {};
}

/** Slack says here who is deleted; the channels still have these people as members. */
const USERS = 'users.json';

/** Reading options of the file: the deleted users are read as the users of any group. */
const READING = {
  format: 'json' as const,
  map: { uid: 'id' },
  region: DEFAULT_REGION,
  guid: 'all',
  shape: { where: [{ column: 'deleted', is: ['true'] }] } satisfies Shape,
};

interface Rows {
  chunks(): AsyncGenerator<InputRow[]>;
}

/** The files of an export other than Slack's about users, and the ids of deleted users. Closes the set when it throws. */
export async function withoutSlackUsers(
  set: FileSet,
  exportOf: ExportName | undefined,
  open: (source: IntakeSource, reading: typeof READING) => Promise<Rows>,
): Promise<{ readonly set: FileSet; readonly deletedUsers?: ReadonlySet<string> }> {
  const file = exportOf === 'slack' ? set.names.find((name) => posix.basename(name) === USERS) : undefined;
  if (file === undefined) return { set };
  const deletedUsers = new Set<string>();
  try {
    const users = await open(await set.open(file), READING);
    for await (const rows of users.chunks()) {
      for (const { uid, shaped } of rows) if (shaped?.skipped !== true) deletedUsers.add(uid);
    }
  } catch (error) {
    const isWithoutUsers = isIntakeError(error) && error.code === 'NO_ROWS';
    if (!isWithoutUsers) {
      set.close();
      throw error;
    }
  }
  return { set: { ...set, names: set.names.filter((name) => name !== file) }, deletedUsers };
}
