import type { RecipeInput } from './recipe.ts';

/** The next step of recipes whose files identify people by e-mail address. */
const BY_EMAIL = 'people are known by e-mail address: a file with their UIDs';

const LEARNING_ROLES = {
  teacher: 'moderator',
  editingteacher: 'moderator',
  professor: 'moderator',
  faculty: 'moderator',
  instructor: 'moderator',
  ta: 'moderator',
  designer: 'moderator',
  manager: 'admin',
  administrator: 'admin',
  '*': 'participant',
} as const;

/** The recipes that come with rollcall, by name, each tried against a sample in samples/recipes. */
export const BUILT_IN: Readonly<Record<string, RecipeInput>> = {
  'entra-members': {
    title: 'Microsoft Entra: bulk import of group members',
    description: 'All people of the file go into one group. They are known by object id or by user principal name.',
    howToExport: 'Entra admin center: Groups, the group, Members, Bulk operations, Import members: the filled template',
    expects: 'the line "Member object ID or user principal name [memberObjectIdOrUpn] Required"',
    needs: [
      { what: 'guid', why: 'the file is about one group and does not name it' },
      {
        what: 'identities',
        why: 'user principal names are no UIDs: a file with the UID of each. Without it only object ids can be used, as UIDs',
        optional: true,
      },
    ],
    fits: { text: ['[memberObjectIdOrUpn]'] },
    settings: {
      format: 'csv',
      shape: {
        firstOf: {
          uid: [
            'Member object ID or user principal name [memberObjectIdOrUpn] Required',
            'Member object ID or user principal name [memberObjectIdOrUpn] Required:',
          ],
        },
      },
    },
  },
  'google-groups': {
    title: 'Google Groups: exported members',
    description: 'Owners become admins, managers moderators. People who are only invited are left out.',
    howToExport: 'groups.google.com: the group, People, Members, Export list',
    expects: 'the columns Email address, Nickname and Group status',
    needs: [
      { what: 'guid', why: 'the file is about one group' },
      { what: 'identities', why: BY_EMAIL },
    ],
    fits: { text: ['Email address,Nickname,Group status'] },
    settings: {
      format: 'csv',
      map: { uid: 'Email address', scope: 'Group status' },
      shape: {
        scopeWords: { owner: 'admin', manager: 'moderator', member: 'participant', '*': 'none' },
      },
    },
  },
  'gam-group-members': {
    title: 'GAM: print group-members',
    description:
      'The part before the @ of a group is its GUID, in small letters. Groups in groups and suspended people are left out.',
    howToExport: 'gam print group-members > members.csv',
    expects: 'the columns group, type, role, id and email',
    needs: [{ what: 'identities', why: BY_EMAIL }],
    fits: { columns: ['group', 'type', 'role', 'id', 'email'] },
    settings: {
      format: 'csv',
      map: { uid: 'email', scope: 'role' },
      shape: {
        templates: { guid: '{group|localpart|slug}' },
        scopeWords: { OWNER: 'admin', MANAGER: 'moderator', '*': 'participant' },
        where: [
          { column: 'type', is: ['USER'] },
          { column: 'status', isNot: ['SUSPENDED', 'ARCHIVED'] },
        ],
      },
    },
  },
  'canvas-sis': {
    title: 'Canvas: SIS enrollments.csv',
    description:
      'Active enrollments; a row without a course goes into the group of its section. Teachers and assistants become moderators.',
    howToExport: 'Admin, Settings, Reports, Provisioning (enrollments), or the enrollments.csv that your SIS uploads',
    expects: 'the columns user_id, role and status, and course_id, section_id or both',
    fits: { columns: ['course_id|section_id', 'user_id', 'role', 'status'] },
    settings: {
      format: 'csv',
      files: ['enrollments*.csv'],
      map: { uid: 'user_id', scope: 'role' },
      shape: {
        firstOf: { guid: ['course_id', 'section_id'] },
        scopeWords: LEARNING_ROLES,
        where: [{ column: 'status', is: ['active'] }],
      },
    },
  },
  'moodle-users': {
    title: 'Moodle: upload users',
    description:
      'A row is a person with course1, role1, course2, role2 and so on. Teachers become moderators, managers admins. Suspended and deleted people and suspended enrolments are left out.',
    howToExport: 'the CSV file for Site administration, Users, Upload users',
    expects: 'the columns username and course1',
    needs: [
      {
        what: 'identities',
        why: 'usernames may have dots and @, which UIDs may not: a file with their UIDs. Without it the usernames are the UIDs',
        optional: true,
      },
    ],
    fits: { columns: ['username', 'course1'] },
    settings: {
      format: 'csv',
      map: { uid: 'username' },
      shape: {
        numbered: { guid: 'course#', scope: 'role#' },
        scopeWords: LEARNING_ROLES,
        where: [
          { column: 'suspended', isNot: ['1'] },
          { column: 'deleted', isNot: ['1'] },
          { column: 'enrolstatus#', isNot: ['1'] },
        ],
      },
    },
  },
  'sds-v2': {
    title: 'Microsoft School Data Sync v2.1 and OneRoster: enrollments.csv',
    description:
      'Classes become groups. Teachers, professors and faculty become moderators. Enrolments to be deleted are left out.',
    howToExport: 'the enrollments.csv that your school information system writes for School Data Sync',
    expects: 'the columns classSourcedId, userSourcedId and role',
    needs: [
      {
        what: 'identities',
        why: 'users.csv of the same export gives e-mail addresses, your list the UIDs. Without it the sourced ids are the UIDs',
        optional: true,
      },
    ],
    fits: { columns: ['classSourcedId', 'userSourcedId', 'role'] },
    settings: {
      format: 'csv',
      files: ['enrollments.csv'],
      map: { uid: 'userSourcedId', guid: 'classSourcedId', scope: 'role' },
      shape: {
        scopeWords: LEARNING_ROLES,
        where: [{ column: 'status', isNot: ['tobedeleted', 'inactive'] }],
      },
    },
  },
  'slack-export': {
    title: 'Slack: workspace export',
    description:
      'Channels become groups under their Slack id, archived ones are left out, and users whom its users.json says to be deleted. An export does not say who is an admin.',
    howToExport: 'Workspace settings, Import/Export data, Export: the ZIP file, its folder, or its channels.json',
    expects: 'channels with "id", "name" and "members"',
    needs: [
      {
        what: 'identities',
        why: 'a file with the UID for each Slack user id. Without it the Slack ids are the UIDs',
        optional: true,
      },
    ],
    fits: { text: ['"is_archived":', '"members":['] },
    settings: {
      exportOf: 'slack',
      files: ['{channels,groups}.json'],
      map: { guid: 'channel_id', uid: 'user_id' },
      shape: {
        where: [
          { column: 'is_archived', isNot: ['true'] },
          { column: 'user_deleted', isNot: ['true'] },
        ],
      },
    },
  },
  'mattermost-bulk': {
    title: 'Mattermost: bulk export',
    description:
      'Each channel of each team becomes the group <team>-<channel>. Channel admins become admins, guests participants. Deleted people are left out.',
    howToExport: 'mmctl export create, then the import.jsonl in it',
    expects: 'lines of JSON, the first of them {"type":"version","version":1}',
    needs: [
      {
        what: 'identities',
        why: 'usernames may have dots, which UIDs may not: a file with their UIDs. Without it the usernames are the UIDs',
        optional: true,
      },
    ],
    fits: { text: ['{"type":"version",'] },
    settings: {
      format: 'ndjson',
      exportOf: 'mattermost',
      files: ['*.jsonl'],
      map: { uid: 'username', scope: 'channel_role' },
      shape: {
        templates: { guid: '{team}-{channel}' },
        scopeWords: { channel_admin: 'admin', '*': 'participant' },
        where: [{ column: 'delete_at', is: ['', '0'] }],
      },
    },
  },
  'stream-import': {
    title: 'Stream Chat: import file',
    description:
      'Members of channels: each becomes the group <type>-<id>, because two types may have the same id. Channel moderators become moderators. Distinct channels, which have no id, are left out.',
    howToExport: 'the file for stream-cli chat upload-import, or an export of channels in that form',
    expects: 'elements such as {"type":"member","item":{"channel_id":"…","user_id":"…"}}',
    fits: { text: ['"type":"', '"item":{'] },
    settings: {
      exportOf: 'stream',
      map: { uid: 'user_id', scope: 'channel_role' },
      shape: {
        templates: { guid: '{channel_type}-{channel_id}' },
        scopeWords: { channel_moderator: 'moderator', admin: 'admin', owner: 'admin', '*': 'participant' },
        where: [{ column: 'channel_id', isNot: [''] }],
      },
    },
  },
  'cometchat-import': {
    title: 'CometChat: body of the data import API for members',
    description: 'Members with isBanned become bans.',
    howToExport: 'the JSON that was prepared for POST /data_import/members',
    expects: 'an object "members" whose values have memberId, guid and uid',
    fits: { text: ['"members":{', '"memberId":'] },
    settings: { exportOf: 'cometchat', map: { guid: 'guid', uid: 'uid', scope: 'scope' } },
  },
  'scim-groups': {
    title: 'SCIM 2.0: a group, or a list of groups',
    description: 'Groups become groups under their SCIM id. Groups in groups are left out.',
    howToExport: 'GET /scim/v2/Groups of your identity provider',
    expects: 'groups with "schemas", "id" and "members"',
    needs: [
      {
        what: 'identities',
        why: "a file with the UID for each of the provider's user ids. Without it these ids are the UIDs",
        optional: true,
      },
    ],
    fits: { text: ['"urn:ietf:params:scim:', '"members":['] },
    settings: {
      format: 'json',
      exportOf: 'scim',
      map: { guid: 'group_id', uid: 'user_id' },
      shape: { where: [{ column: 'type', isNot: ['Group'] }] },
    },
  },
  peribolos: {
    title: 'GitHub teams as code (peribolos, org.yaml)',
    description:
      "Teams become groups, teams in teams too. Maintainers become moderators. The organisation's own members are not a team.",
    howToExport: 'org.yaml of the repository that peribolos applies, or peribolos --dump',
    expects: '"teams" with "members" or "maintainers"',
    needs: [
      {
        what: 'identities',
        why: 'a file with the UID for each GitHub login. Without it the logins are the UIDs',
        optional: true,
      },
    ],
    fits: { text: ['teams:', 'members:'] },
    settings: {
      format: 'yaml',
      exportOf: 'teams',
      map: { uid: 'user', scope: 'role' },
      shape: {
        templates: { guid: '{team|slug}' },
        scopeWords: { maintainer: 'moderator', '*': 'participant' },
      },
    },
  },
};
