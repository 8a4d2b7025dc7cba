/**
 * Small files in the shapes that people have: exports of other systems and lists kept by hand. Each says which memberships
 * a person would expect of it, as `group/user` or `group/user/scope`. The group `G` is the one that a person names with
 * --guid; e-mail addresses and names become users by an identity file, which gives what is before the @.
 */
export interface Shape {
  readonly content: string;
  /** `right`: the printed command makes these memberships; `open`: it asks; `refused`: the file cannot be read as it is. */
  readonly is: 'right' | 'open' | 'refused';
  readonly members: readonly string[];
  /** UIDs by what the file knows users by. */
  readonly people?: readonly (readonly [key: string, uid: string])[];
}

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const right = (content: string, ...members: readonly string[]): Shape => ({ content, is: 'right', members });
/** @param members those that may be made, because nobody would mind */
const open = (content: string, ...members: readonly string[]): Shape => ({ content, is: 'open', members });
const refused = (content: string): Shape => ({ content, is: 'refused', members: [] });
const json = (value: unknown) => JSON.stringify(value);

export const SHAPES: Readonly<Record<string, Shape>> = {
  'a plain file': right(lines('uid,guid,scope', 'anna,g1,admin', 'bob,g1,'), 'g1/anna/admin', 'g1/bob'),
  'semicolons, and commas in the cells': right(
    lines('Login;Team;Remark', 'anna;red;sings, loudly', 'bob;blue;plays'),
    'red/anna',
    'blue/bob',
  ),
  'semicolons, and commas in the header': right(
    lines(
      'Member number (8 digits, obligatory);Group code (see list, obligatory);Remark (free text, optional, up to 100)',
      '10000001;choir;sings, loudly',
      '10000002;band;plays',
    ),
    'choir/10000001',
    'band/10000002',
  ),
  'a header that ends with a delimiter': right(lines('uid,guid,', 'anna,choir', 'bo,choir'), 'choir/anna', 'choir/bo'),
  'rows without their empty last cells': right(
    lines('uid,guid,note', 'anna,g1,x', 'bob,g1', 'cy,g2'),
    'g1/anna',
    'g1/bob',
    'g2/cy',
  ),
  'two files one behind the other': right(lines('uid,guid', 'anna,g1', 'uid,guid', 'bob,g2'), 'g1/anna', 'g2/bob'),
  tabs: right(lines('user\tgroup', 'anna\tg1', 'bob\tg2'), 'g1/anna', 'g2/bob'),
  'the line of Excel that names the delimiter': right(lines('sep=;', 'user;group', 'anna;g1'), 'g1/anna'),
  'no header': right(lines('4711,alpha', '4712,alpha', '4713,beta'), 'alpha/4711', 'alpha/4712', 'beta/4713'),
  'ids alone': right(lines('user8', 'user9', 'user10'), 'G/user8', 'G/user9', 'G/user10'),
  'long ids alone': right(
    lines('9f86d081-884c-4d65-9a2f-eaa0c55ad015', '2c26b46b-68ff-4c68-899b-453c1d304134'),
    'G/9f86d081-884c-4d65-9a2f-eaa0c55ad015',
    'G/2c26b46b-68ff-4c68-899b-453c1d304134',
  ),
  'e-mail addresses alone': right(lines('anna@x.example', 'bob@x.example'), 'G/anna', 'G/bob'),
  'ids below a name that has a number': open(lines('List 2', 'user8', 'user9')),
  'a title line, and names in quotes': right(
    lines(
      'Team export 2026',
      'Name,Role,Login',
      '"Rossi, Anna",member,anna',
      '"Stone, Bob",member,bob',
      '"Meyer, Carla",owner,carla',
    ),
    'G/anna',
    'G/bob',
    'G/carla/admin',
  ),
  'Get-ADGroupMember of Windows PowerShell': right(
    lines(
      '#TYPE Microsoft.ActiveDirectory.Management.ADPrincipal',
      '"distinguishedName","name","objectClass","objectGUID","SamAccountName","SID"',
      '"CN=Rossi\\, Anna,OU=P,DC=x","Rossi, Anna","user","0e2f-1","anna","S-1-5-1"',
      '"CN=Nested,OU=P,DC=x","Nested","group","0e2f-2","nested","S-1-5-2"',
      '"CN=PC7,OU=P,DC=x","PC7","computer","0e2f-3","pc7","S-1-5-3"',
    ),
    'G/anna',
  ),
  'Firebase auth:export, which has no header': open(
    lines(
      'k1a,anna@x.example,true,aGFzaA==,c2FsdA==,Anna Rossi,,,,,1700000000000,1700000000001,,false',
      'k2b,bob@x.example,false,aGFzaA==,c2FsdA==,Bob Stone,,,,,1700000000002,1700000000003,,true',
    ),
    'G/anna',
    'G/bob',
  ),
  'Moodle: participants of a course': right(
    lines(
      'First name,Surname,Email address,Roles,Groups,Last access to course,Status',
      'Anna,Rossi,anna@x.example,Student,"Group A, Group B",1 day,Active',
      'Bob,Stone,bob@x.example,Teacher,No groups,2 days,Active',
      'Cy,Wu,cy@x.example,"Teacher, Student",Group B,never,Active',
      'Di,Lee,di@x.example,Student,Group A,never,Suspended',
    ),
    'group-a/anna',
    'group-b/anna',
    'group-b/cy/moderator',
  ),
  'Microsoft 365: active users': right(
    lines(
      'Block credential,City,Department,Display name,DirSync enabled,Licenses,Object Id,Soft deletion time stamp,User principal name',
      'False,Rome,Sales,Anna Rossi,False,E3,00-1,,anna@x.example',
      'True,Rome,Sales,Bob Stone,False,E3,00-2,,bob@x.example',
      'False,Bari,HR,Cy Wu,True,E3,00-3,2026-01-02T10:00:00Z,cy@x.example',
      'False,Bari,HR,Di Lee,True,E3,00-4,,di@x.example',
    ),
    'Sales/anna',
    'HR/di',
  ),
  'csvde: users of a directory': right(
    lines(
      'DN,objectClass,department,memberOf,userAccountControl,sAMAccountName',
      '"CN=Rossi\\, Anna,OU=P,DC=x",user,Sales,"CN=Choir,OU=G,DC=x;CN=Band\\, Big,OU=G,DC=x",512,anna',
      '"CN=Bob,OU=P,DC=x",user,Sales,"CN=Choir,OU=G,DC=x",514,bob',
      '"CN=Cy,OU=P,DC=x",user,HR,"CN=Choir,OU=G,DC=x",66048,cy',
    ),
    'choir/anna',
    'band-big/anna',
    'choir/cy',
  ),
  'a club with people who left': open(
    lines(
      'Mitglieds-Nr.;Nachname;Vorname;Rolle;Abteilung;Eintritt;Austritt',
      '101;Rossi;Anna;Mitglied;fussball;01.02.2019;',
      '102;Stein;Bob;Leiter;fussball;01.02.2019;31.12.2020',
    ),
  ),
  'a club in which nobody has left': right(
    lines(
      'Mitgliedsnummer;Nachname;Rolle;Abteilung;Austritt',
      '101;Rossi;Mitglied;fussball;',
      '102;Stein;Leiterin;fussball;',
    ),
    'fussball/101',
    'fussball/102/moderator',
  ),
  'Microsoft Graph: members of a team': right(
    json([
      { '@odata.type': '#x', id: 'm1', roles: ['owner'], userId: 'anna', email: 'anna@x.example' },
      { '@odata.type': '#x', id: 'm2', roles: [], userId: 'bob', email: 'bob@x.example' },
    ]),
    'G/anna/admin',
    'G/bob',
  ),
  'Microsoft Graph: groups with their members': open(
    json([
      {
        id: 'g1',
        displayName: 'Choir',
        members: [{ '@odata.type': '#microsoft.graph.user', id: 'u1', mail: 'a@x.example' }],
      },
      {
        id: 'g2',
        displayName: 'Band',
        members: [{ '@odata.type': '#microsoft.graph.user', id: 'u2', mail: 'b@x.example' }],
      },
    ]),
  ),
  'Google Workspace: users': right(
    lines(
      'First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required],Status [READ ONLY],Last Sign In [READ ONLY],2sv Enrolled [READ ONLY],2sv Enforced [READ ONLY]',
      'Anna,Rossi,anna@x.example,/,Active,2026/01/02 10:00:00,True,False',
      'Bob,Stone,bob@x.example,/,Active,2026/01/02 10:00:00,False,False',
      'Cy,Wu,cy@x.example,/,Suspended,Never logged in,False,False',
    ),
    'G/anna',
    'G/bob',
  ),
  'GitHub: people of an organisation': right(
    lines(
      'login,name,tfa_enabled,is_public,role,last_active',
      'anna,Anna Rossi,true,true,Owner,2026-01-02',
      'bob,Bob Stone,false,false,Member,2026-01-03',
    ),
    'G/anna/admin',
    'G/bob',
  ),
  'SCIM: users with their groups': right(
    json({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 2,
      Resources: [
        { id: '1', userName: 'anna', active: true, groups: [{ value: 'g1' }, { value: 'g2' }] },
        { id: '2', userName: 'bob', active: false, groups: [{ value: 'g1' }] },
      ],
    }),
    'g1/anna',
    'g2/anna',
  ),
  'Mailchimp: a column REGION of another kind': right(
    lines(
      'Email Address,First Name,Last Name,REGION,MEMBER_RATING,TAGS',
      'anna@x.example,Anna,Rossi,laz,2,',
      'bob@x.example,Bob,Stone,be,3,',
    ),
    'G/anna',
    'G/bob',
  ),
  'Microsoft Teams: an attendance report': right(
    lines(
      '1. Summary',
      'Meeting title\tChoir',
      'Attended participants\t2',
      '',
      '2. Participants',
      'Name\tFirst join\tEmail\tRole',
      'Anna Rossi\t1/2/26, 10:00\tanna@x.example\tAttendee',
      'Bob Stone\t1/2/26, 10:01\tbob@x.example\tAttendee',
    ),
    'G/anna',
    'G/bob',
  ),
  'Zoom: participants below the meeting': right(
    lines(
      'Meeting ID,Topic,Start time',
      '123,Choir,01/02/2026 10:00',
      '',
      'Name (original name),User email,Join time,Leave time,Duration (minutes),Guest',
      'Anna,anna@x.example,01/02/2026 10:00,01/02/2026 11:00,60,No',
      'Bob,bob@x.example,01/02/2026 10:00,01/02/2026 11:00,60,Yes',
    ),
    'G/anna',
    'G/bob',
  ),
  'Slack: a list of members': right(
    lines(
      'username,email,status,billing-active,has-2fa,userid,fullname,displayname,expiration-timestamp',
      'anna,anna@x.example,Admin,1,1,U1,Anna Rossi,anna,',
      'bob,bob@x.example,Deactivated,0,0,U2,Bob Stone,bob,',
    ),
    'G/U1',
  ),
  'Blackboard: users of a course': right(
    lines('Last Name,First Name,Username,Last Access,Availability', 'Rossi,Anna,anna,x,Yes', 'Stone,Bob,bob,x,No'),
    'G/anna',
  ),
  'Clever: enrolments': right(
    lines('School_id,Section_id,Student_id', 's1,math,anna', 's1,bio,bob'),
    'math/anna',
    'bio/bob',
  ),
  'Atlassian: users with a status': right(
    lines('User id,User name,email,User status', 'a1,Anna,anna@x.example,Active', 'b2,Bob,bob@x.example,Suspended'),
    'G/a1',
  ),
  'Salesforce: members of a campaign, in words of their own': open(
    lines('Campaign,Contact ID,Member Status', 'spring,c1,Sent', 'spring,c2,Responded'),
  ),
  'Discourse: users with their groups': right(
    lines(
      'id,username,email,active,suspended_at,group_names',
      '1,anna,anna@x.example,true,,choir;band',
      '2,bob,bob@x.example,true,2026-01-02 10:00,choir',
      '3,cy,cy@x.example,false,,choir',
    ),
    'choir/anna',
    'band/anna',
  ),
  'Microsoft Entra: downloaded members': right(
    lines(
      'userPrincipalName,displayName,objectType,userType',
      'anna@x.example,Anna,User,Member',
      'bob@x.example,Bob,User,Guest',
      'ops@x.example,Ops,Group,',
    ),
    'G/anna',
    'G/bob',
  ),
  'Microsoft Entra: the template of members': right(
    lines('version:v1.0', 'Member object ID or user principal name [memberObjectIdOrUpn] Required', 'anna@x.example'),
    'G/anna',
  ),
  'Google Groups: exported members': right(
    lines(
      'Members for group choir@x.example',
      'Email address,Nickname,Group status,Email status',
      'anna@x.example,A,owner,x',
      'bob@x.example,B,member,x',
      'cy@x.example,C,invited,x',
    ),
    'G/anna/admin',
    'G/bob',
  ),
  GAM: right(
    lines('group,type,role,id,status,email', 'choir@x.example,USER,OWNER,1,ACTIVE,anna@x.example'),
    'choir/anna/admin',
  ),
  'Canvas: enrolments without sections': right(
    lines('course_id,user_id,role,status', 'C1,anna,student,active', 'C1,bo,student,deleted', 'C2,cy,teacher,active'),
    'C1/anna',
    'C2/cy/moderator',
  ),
  'Canvas: enrolments with sections alone': right(
    lines('user_id,role,section_id,status', 'anna,student,S1,active'),
    'S1/anna',
  ),
  'School Data Sync: enrolments': right(
    lines('classSourcedId,userSourcedId,role', 'c1,anna,student', 'c1,bob,teacher'),
    'c1/anna',
    'c1/bob/moderator',
  ),
  'OneRoster: users, one of them to be deleted': right(
    lines(
      'sourcedId,status,enabledUser,username,role',
      's1,active,true,anna,student',
      's2,tobedeleted,true,bob,student',
      's3,active,false,cy,student',
    ),
    'G/anna',
  ),
  'Moodle: upload of users': right(
    lines('username,course1,role1,course2', 'anna,math,teacher,bio', 'bob,math,,'),
    'math/anna/moderator',
    'bio/anna',
    'math/bob',
  ),
  'Stream: a channel id of two types': right(
    lines(
      json({ type: 'member', item: { channel_type: 'messaging', channel_id: 'general', user_id: 'anna' } }),
      json({ type: 'member', item: { channel_type: 'team', channel_id: 'general', user_id: 'bob' } }),
    ),
    'messaging-general/anna',
    'team-general/bob',
  ),
  'Slack: channels.json': right(
    json([
      { id: 'C1', name: 'choir', is_archived: false, members: ['U1', 'U2'] },
      { id: 'C2', name: 'old', is_archived: true, members: ['U1'] },
    ]),
    'C1/U1',
    'C1/U2',
  ),
  'SCIM: a page of groups': refused(
    json({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 250,
      itemsPerPage: 1,
      Resources: [{ id: 'g1', displayName: 'choir', members: [{ value: 'anna' }] }],
    }),
  ),
  'Microsoft Graph: the first page of members': refused(
    json({ '@odata.nextLink': 'https://x.example/next', value: [{ id: 'u0', displayName: 'U 0' }] }),
  ),
  'Google Directory: the first page of members': refused(
    json({ members: [{ id: '100', email: 'u0@x.example', role: 'MEMBER' }], nextPageToken: 'CAES' }),
  ),
  'Atlassian: a page that is not the last': refused(
    json({ isLast: false, maxResults: 1, startAt: 0, total: 500, values: [{ uid: 'anna', guid: 'g1' }] }),
  ),
  'Rocket.Chat: one of 500 members': refused(
    json({ members: [{ uid: 'anna', guid: 'g1' }], count: 1, offset: 0, total: 500 }),
  ),
  'a page of twenty': refused(json({ page: 1, pages: 20, data: [{ uid: 'anna', guid: 'g1' }] })),
  'Spring: a page that is not the last': refused(
    json({ content: [{ uid: 'anna', guid: 'g1' }], last: false, totalElements: 40, totalPages: 40, number: 0 }),
  ),
  'a document that is complete, and says so': right(
    json({ total: 1, has_more: false, data: [{ uid: 'anna', guid: 'g1' }] }),
    'g1/anna',
  ),
  'Keycloak: a realm': refused(json({ realm: 'x', groups: [{ name: 'choir' }], users: [{ username: 'anna' }] })),
  'numbers and truth values in lists': right(
    json({
      groups: [
        { guid: 'exp', members: ['anna', 7] },
        { guid: 'odd', members: [true, 1.5] },
      ],
    }),
    'exp/anna',
    'exp/7',
  ),
  'LDIF of a directory, with a comma in a name': right(
    lines(
      'dn: CN=Choir,OU=Groups,DC=x',
      'objectClass: group',
      'member: CN=bo,OU=People,DC=x',
      'member: CN=cy,OU=People,DC=x',
      '',
      '# search result',
      'search: 2',
      'result: 0 Success',
    ),
    'Choir/bo',
    'Choir/cy',
  ),
  'LDIF of people, one of them with a comma in the name': {
    ...right(
      lines('dn: CN=Choir,OU=G,DC=x', 'member: CN=Lee\\, Anna,OU=P,DC=x', 'member: CN=bo,OU=P,DC=x'),
      'Choir/anna',
      'Choir/bo',
    ),
    people: [['Lee, Anna', 'anna']],
  },
  'YAML with merge keys': right(
    lines('- &base {guid: g1, scope: admin, uid: anna}', '- {<<: *base, uid: bob}'),
    'g1/anna/admin',
    'g1/bob/admin',
  ),
  'words that nobody knows': open(
    lines('uid,guid,role', 'anna,g1,Leitung', 'bob,g1,gekündigt', 'cy,g1,Leitung', 'dora,g1,honorary'),
  ),
  'several roles in a cell': right(
    lines(
      'uid,guid,role',
      'anna,choir,"admin,moderator"',
      'bo,choir,"participant, moderator"',
      'cy,choir,admin|moderator',
      'di,choir,Administrator',
    ),
    'choir/anna/admin',
    'choir/bo/moderator',
    'choir/cy/admin',
    'choir/di/admin',
  ),
  'roles of the languages around': right(
    lines('usuario;grupo;rol', 'ana;coro;Administradora', 'beto;coro;miembro', 'caro;coro;dada de baja'),
    'coro/ana/admin',
    'coro/beto',
  ),
  'French, with the day on which people leave': open(
    lines('identifiant;groupe;Date de sortie', 'anna;chorale;', 'bob;chorale;31/12/2025'),
  ),
  'Italian, with people who are blocked': right(
    lines('utente;gruppo;Bloccato', 'anna;coro;no', 'bob;coro;sì'),
    'coro/anna',
  ),
  'GitLab: members with numbers for their access': open(
    json([
      { id: 1, username: 'anna', state: 'active', access_level: 50 },
      { id: 2, username: 'bob', state: 'blocked', access_level: 30 },
    ]),
  ),
  'Okta: people with a status': right(
    lines('login,group,status', 'anna,g1,ACTIVE', 'bob,g1,DEPROVISIONED', 'cy,g1,STAGED', 'di,g1,LOCKED_OUT'),
    'g1/anna',
  ),
  'Eventbrite: attendees': right(
    lines(
      'Attendee #,Email,Event,Attendee Status',
      '1,anna@x.example,Gala,Attending',
      '2,bob@x.example,Gala,Checked In',
      '3,cy@x.example,Gala,Not Attending',
    ),
    'G/anna',
    'G/bob',
  ),
  'employees, one in a state that nobody knows': open(
    lines('Employee ID,Team,Employment Status', '1,red,Active', '2,red,Terminated', '3,red,Sabbatical'),
  ),
  'who has paid, and who wants news': right(
    lines('uid,guid,Paid,Newsletter,Email verified', 'anna,g1,yes,no,true', 'bob,g1,no,yes,false'),
    'g1/anna',
    'g1/bob',
  ),
  'a group for each column': right(
    lines('uid,Team A,Team B', 'anna,x,', 'bob,x,x'),
    'team-a/anna',
    'team-a/bob',
    'team-b/bob',
  ),
  'everyone is in one group, some in two': right(
    lines('login,Team', 'anna,Everyone', 'bob,Everyone|Team A', 'cy,Everyone'),
    'everyone/anna',
    'everyone/bob',
    'team-a/bob',
    'everyone/cy',
  ),
  'projects in a cell': right(
    lines('login,Project', 'anna,"Project Alpha, Project Beta"', 'bob,Project Alpha'),
    'project-alpha/anna',
    'project-beta/anna',
    'project-alpha/bob',
  ),
  'one department with a comma in its name': open(
    lines('login,Department', 'anna,"Research, Development and Law"', 'bob,Sales'),
  ),
  'names of people in the column of members': open(lines('group,members', 'choir,"Lee, Anna"', 'band,"Wu, Bob"')),
  'several users in a cell': right(lines('group,members', 'g1,ann|bob', 'g2,ann'), 'g1/ann', 'g1/bob', 'g2/ann'),
  'days in the column of groups': open(lines('login,group', 'anna,2026-01-02', 'bob,2026-01-03')),
  'true and false in the column of groups': open(lines('login,group', 'anna,true', 'bob,false')),
  'numbers as a program wrote them': open(lines('Member ID,Team', '1001.0,red', '1.00042E+15,red', '1003.0,blue')),
  'numbers of groups as a program wrote them': open(lines('login,Course ID', 'anna,12.0', 'bob,13.0')),
  'cells that stand for nothing': right(
    lines('uid,guid', 'anna,choir', 'NULL,choir', 'bo,N/A', 'cy,none', 'undefined,choir'),
    'choir/anna',
  ),
  'the same letters in two forms': right(
    lines('Schu\u0308ler;Gruppe;Rolle', 'anna;chor;Fu\u0308hrung', 'bob;chor;Mitglied').replace(
      'Fu\u0308hrung',
      'Schu\u0308ler',
    ),
    'chor/anna',
    'chor/bob',
  ),
  'lists of groups in elements': right(
    json([
      { login: 'anna', groups: ['g1', 'g2'] },
      { login: 'bob', groups: [] },
    ]),
    'g1/anna',
    'g2/anna',
  ),
  'a line for each person': right(
    lines(json({ login: 'anna', team: 'Red Team' }), json({ login: 'bob', team: 'Blue Team' })),
    'red-team/anna',
    'blue-team/bob',
  ),
  'WordPress: users with their roles': right(
    lines('user_login,user_email,role', 'anna,anna@x.example,administrator', 'bob,bob@x.example,"user,moderator"'),
    'G/anna/admin',
    'G/bob/moderator',
  ),
  'Personio: people with their last day': open(
    lines(
      'E-Mail,Abteilung,Status,Austrittsdatum',
      'anna@x.example,vertrieb,aktiv,',
      'bob@x.example,vertrieb,aktiv,2026-12-31',
    ),
  ),
};
