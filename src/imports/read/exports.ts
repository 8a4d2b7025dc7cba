import { posix } from 'node:path';
import { DEFAULT_REGION } from '../../chat/service/regions.ts';
import type { ExportName } from '../../options/input-kinds.ts';
import { isObject } from '../../platform/stored-json.ts';
import { cellOf } from '../../text/csv-line.ts';
import type { FileSet } from './archive/file-set.ts';
import type { IntakeSource } from './byte-source.ts';
import { type Element, type Elements, isText } from './element.ts';
import { isIntakeError } from './intake-error.ts';
import type { Intake, IntakeOptions } from './intake-options.ts';

/** Gives rows, whose values are as the export has them; roles and times are texts, so that the problem of a wrong one says what is allowed. */
type Flatten = (element: Element, deleted: ReadonlySet<string>) => Iterable<Element>;

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
      for (const values of flatten(element, deleted)) {
        const cells = Object.entries(values).map(([column, value]) => [column, cell(value)] as const);
        const row = Object.fromEntries(cells);
        yield* rows.rows(row, place, JSON.stringify(row), cells.length);
      }
    },
    finish: () => rows.finish(),
  };
}

/** A value as a text; what can be no id stays a value of JSON, and is refused as that of any element. */
function cell(value: unknown) {
  return isText(value) || Array.isArray(value) ? cellOf(value) : value;
}

/** `channels.json` and `groups.json`: a channel with the ids of its members. */
function* slack({ id, name, is_archived: archived, members }: Element, deleted: ReadonlySet<string>) {
  for (const user of listOf(members)) {
    yield {
      channel_id: id,
      channel_name: name,
      is_archived: String(archived === true),
      user_id: user,
      user_deleted: String(deleted.has(cellOf(user))),
    };
  }
}

/** Highest first; a member may have several. */
const CHANNEL_ROLES = ['channel_admin', 'channel_user', 'channel_guest'];

/** A line about a user: their teams, and the channels of each. */
function* mattermost({ type, user }: Element) {
  if (type !== 'user') return;
  const { username, email, delete_at, teams: all } = objectOf(user);
  for (const { name: team, channels } of objectsIn(all)) {
    for (const { name: channel, roles } of objectsIn(channels)) {
      const words = cellOf(roles).split(/\s+/);
      const channel_role = CHANNEL_ROLES.find((role) => words.includes(role)) ?? words[0];
      yield { team, channel, username, email, delete_at, channel_role };
    }
  }
}

/** Stream's id for a distinct channel, made from its members. */
const DISTINCT = '!members';

/** A member of a channel. Those of a distinct channel, which is known by its members only, have no channel id. */
function* stream({ type, item }: Element) {
  if (type !== 'member') return;
  const { channel_type, channel_id, user_id, channel_role: role, is_moderator, created_at } = objectOf(item);
  const id = cellOf(channel_id);
  const isNamed = id !== '' && !id.startsWith(DISTINCT);
  yield {
    channel_type,
    channel_id: isNamed ? id : '',
    cid: isNamed ? `${cellOf(channel_type)}:${id}` : '',
    user_id,
    channel_role: cellOf(role) || (is_moderator === true ? 'channel_moderator' : ''),
    ...joinedAt(created_at),
  };
}

/** A group channel with its members, or a page of them; operators are named among the members, or in a list. */
function* sendbird({ channel_url, name: channel_name, members, operators }: Element) {
  const operating = new Set(objectsIn(operators).map(({ user_id }) => cellOf(user_id)));
  for (const { user_id, nickname, profile_url, state, role, joined_ts } of objectsIn(members)) {
    const isOperator = role === 'operator' || operating.has(cellOf(user_id));
    yield {
      channel_url,
      channel_name,
      user_id,
      nickname,
      profile_url,
      state,
      role: isOperator ? 'operator' : 'member',
      ...joinedAt(joined_ts),
    };
  }
}

/** A participant of a conversation, as the API or the vendor's command line writes it. One of a telephone has no identity. */
function* twilio(participant: Element) {
  const { conversation_sid: snake, conversationSid: conversation_sid = snake, identity } = participant;
  const { role_sid: role, roleSid = role, date_created: made, dateCreated = made } = participant;
  if (conversation_sid === undefined) return;
  yield { conversation_sid, identity, role_sid: cellOf(roleSid), ...joinedAt(dateCreated) };
}

/** The body of `POST /data_import/members`: members by a key of their own. */
function* cometchat({ members }: Element) {
  for (const { guid, uid, isBanned, scope, joinedAt: time } of Object.values(objectOf(members)).map(objectOf)) {
    yield { guid, uid, scope: isBanned === true ? 'ban' : cellOf(scope), joinedAt: cellOf(time) };
  }
}

function* scim({ id: group_id, displayName: group_name, externalId: external_id, members }: Element) {
  for (const { value: user_id, display: user_name, type } of objectsIn(members)) {
    yield { group_id, group_name, external_id, user_id, user_name, type };
  }
}

/** Teams as code: those of one organisation, or of several under `orgs`; a team may hold teams. */
function* teams(document: Element) {
  const organisations = Object.entries(objectOf(document['orgs']));
  if (organisations.length === 0) yield* teamsOf(document['name'], document['teams']);
  for (const [org, settings] of organisations) yield* teamsOf(org, objectOf(settings)['teams']);
}

function* teamsOf(org: unknown, all: unknown): Generator<Element> {
  for (const [team, settings] of Object.entries(objectOf(all))) {
    const { maintainers, members, teams: inner } = objectOf(settings);
    for (const user of listOf(maintainers)) yield { org, team, user, role: 'maintainer' };
    for (const user of listOf(members)) yield { org, team, user, role: 'member' };
    yield* teamsOf(org, inner);
  }
}

/** Since when a person is a member, where the export says it. */
function joinedAt(time: unknown) {
  return time ? { joined_at: cellOf(time) } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectsIn(list: unknown): readonly Element[] {
  return listOf(list).map(objectOf);
}

function objectOf(value: unknown): Element {
  return isObject(value) ? value : {};
}

/** Slack says here who is deleted; the channels still have these people as members. */
const USERS = 'users.json';

/** Reading options of the file: the deleted users are read as the users of any group. */
const READING: IntakeOptions = {
  format: 'json',
  map: { uid: 'id' },
  region: DEFAULT_REGION,
  guid: 'all',
  shape: { where: [{ column: 'deleted', is: ['true'] }] },
};

/** The files of an export other than Slack's about users, and the ids of deleted users. */
export async function withoutSlackUsers(
  set: FileSet,
  { exportOf, bounds, signal, onRead }: IntakeOptions,
  open: (source: IntakeSource, options: IntakeOptions) => Promise<Intake>,
): Promise<{ readonly set: FileSet; readonly deletedUsers?: ReadonlySet<string> }> {
  const file = exportOf === 'slack' ? set.names.find((name) => posix.basename(name) === USERS) : undefined;
  if (file === undefined) return { set };
  const deletedUsers = new Set<string>();
  try {
    const users = await open(await set.open(file), { ...READING, bounds, signal, onRead });
    for await (const rows of users.chunks()) {
      for (const { uid, shaped } of rows) if (shaped?.skipped !== true) deletedUsers.add(uid);
    }
  } catch (error) {
    if (!isIntakeError(error) || error.code !== 'NO_ROWS') throw error;
  }
  return { set: { ...set, names: set.names.filter((name) => name !== file) }, deletedUsers };
}
