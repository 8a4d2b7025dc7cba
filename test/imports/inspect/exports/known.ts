import { type ExportShape, lines } from './shape.ts';

/** The shapes that the rules of the suggestions were written with. */
export const KNOWN: readonly ExportShape[] = [
  {
    what: 'GitLab: members of groups and projects',
    file: 'gitlab.csv',
    content: lines(`
      Username,Name,Access granted,Access expires,Max role,Source,Group or project name,Path,Membership status
      ana,Ana Diaz,2024-01-02 10:00:00,,Owner,Direct,Docs,acme/secret/docs,approved
      bo,Bo Li,2024-01-03 10:00:00,,Guest,Direct,Docs,acme/public/docs,approved
      cy,Cy Fu,2024-01-03 10:00:00,,Developer,Direct,Docs,acme/public/docs,pending
    `),
    right: 'acme-secret-docs ana admin\nacme-public-docs bo participant',
  },
  {
    what: 'Canvas: SIS group_membership.csv',
    file: 'group_membership.csv',
    content: lines(`
      group_id,user_id,status
      G1,u1,accepted
      G2,u3,deleted
      G2,u4,accepted
    `),
    right: 'G1 u1 participant\nG2 u4 participant',
  },
  {
    what: 'Canvas: group category',
    file: 'groups.csv',
    content: lines(`
      name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id
      Ana Diaz,101,s-1,ana@x.example,Section 1,Red,11,
      Bo Li,102,s-2,bo@x.example,Section 1,Blue,12,
    `),
    right: '11 s-1 participant\n12 s-2 participant',
  },
  {
    what: 'IBM Verify: groups',
    file: 'importgroups.csv',
    content: lines(`
      urn:ietf:params:scim:schemas:core:2.0:Group:displayName,urn:ietf:params:scim:schemas:extension:ibm:2.0:Group:description,members
      developers,some-arbitrary-group-description-one,ana;bo
      testers,some-arbitrary-group-description-two,bo
    `),
    right: 'developers ana participant\ndevelopers bo participant\ntesters bo participant',
  },
  {
    what: 'Entra: download members',
    file: 'exportMembers.csv',
    content: lines(`
      id,userPrincipalName,displayName,objectType,userType,isUser,isGroup,isGuest
      0a1b2c3d-0000-4000-8000-000000000001,ana@x.example,Ana Diaz,User,Member,True,False,False
      0a1b2c3d-0000-4000-8000-000000000002,bo@x.example,Bo Li,User,Member,True,False,False
      0a1b2c3d-0000-4000-8000-000000000003,,Other group,Group,,False,True,False
    `),
    right: 'g-1 ana participant\ng-1 bo participant',
  },
  {
    what: 'Salesforce: a report about campaign members, with a footer',
    file: 'report.csv',
    content: `${lines(`
      "Campaign Name","Campaign ID","Contact ID","First Name","Last Name","Member Status"
      "Spring","7015g000000AbCd","0035g000001XyZa","Ana","Diaz","Responded"
      "Spring","7015g000000AbCd","0035g000001XyZb","Bo","Li","Sent"
    `)}\n\n"Confidential Information - Do Not Distribute"\n"Copyright (c) 2000-2024 salesforce.com"\n`,
    right: 'open',
  },
  {
    what: 'Telegram: a chat',
    file: 'result.json',
    content: JSON.stringify({
      name: 'Choir',
      type: 'private_group',
      id: 4711,
      messages: [
        { id: 1, type: 'message', date: '2024-01-02T10:00:00', from: 'Ana', from_id: 'user123', text: 'Hi' },
        { id: 2, type: 'message', date: '2024-01-02T10:01:00', from: 'Bo', from_id: 'user124', text: 'Hello' },
      ],
    }),
    right: 'open',
  },
  {
    what: 'Shopify: customers',
    file: 'customers_export.csv',
    content: lines(`
      Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address City,Phone,Accepts SMS Marketing,Total Orders,Note,Tax Exempt,Tags
      '7001,Ana,Diaz,ana@x.example,yes,Lisbon,,no,2,,no,vip
      '7002,Bo,Li,bo@x.example,no,Rome,,no,1,,no,
    `).replaceAll("'", ''),
    right: 'g-1 7001 participant\ng-1 7002 participant',
  },
  {
    what: 'GitHub: members of a team',
    file: 'members.json',
    content: JSON.stringify([
      { login: 'octocat', id: 1, node_id: 'MDQ6VXNlcjE=', type: 'User', site_admin: false },
      { login: 'hubot', id: 2, node_id: 'MDQ6VXNlcjI=', type: 'User', site_admin: true },
    ]),
    right: 'g-1 octocat participant\ng-1 hubot participant',
  },
  {
    what: 'Eventbrite: attendees',
    file: 'attendees.csv',
    content: lines(`
      Order #,Order Date,First Name,Last Name,Email,Quantity,Ticket Type,Attendee #,Attendee Status
      501,2024-01-02,Ana,Diaz,ana@x.example,1,Standard,9001,Attending
      502,2024-01-02,Bo,Li,bo@x.example,1,Standard,9002,Attending
      503,2024-01-03,Cy,Fu,cy@x.example,1,VIP,9003,Not Attending
    `),
    right: 'g-1 ana participant\ng-1 bo participant',
  },
  {
    what: 'BambooHR: employees',
    file: 'employees.csv',
    content: lines(`
      Employee #,Last Name First Name,Department,Location,Job Title,Work Email,Status,Supervisor
      1001,"Diaz, Ana",Sales,Lisbon,Account Executive,ana@x.example,Active,Ed Ng
      1002,"Li, Bo",Engineering,Rome,Engineer,bo@x.example,Active,Ed Ng
      1003,"Fu, Cy",Engineering,Rome,Engineer,cy@x.example,Terminated,Ed Ng
    `),
    right: 'Sales 1001 participant\nEngineering 1002 participant',
  },
  {
    what: 'Discord: members of a guild',
    file: 'members.json',
    content: JSON.stringify([
      {
        user: { id: '80351110224678912', username: 'ana', bot: false },
        nick: null,
        roles: ['41771983423143936'],
        deaf: false,
        mute: false,
        pending: false,
      },
      {
        user: { id: '80351110224678913', username: 'helper', bot: true },
        nick: null,
        roles: [],
        deaf: false,
        mute: false,
        pending: false,
      },
    ]),
    right: 'open',
  },
  {
    what: 'docmost: members',
    file: 'members.csv',
    content: lines(`
      email,role,groups
      ana@x.example,owner,g1
      bo@x.example,member,g2
    `),
    right: 'g1 ana admin\ng2 bo participant',
  },
  {
    what: 'Microsoft Teams: Get-TeamUser',
    file: 'team.csv',
    content: lines(`
      "UserId","User","Name","Role"
      "0a1b2c3d-0000-4000-8000-000000000001","ana@x.example","Ana Diaz","owner"
      "0a1b2c3d-0000-4000-8000-000000000002","bo@x.example","Bo Li","member"
    `),
    right: 'g-1 0a1b2c3d-0000-4000-8000-000000000001 admin\ng-1 0a1b2c3d-0000-4000-8000-000000000002 participant',
  },
  {
    what: 'Zoom: users',
    file: 'zoom.csv',
    content: lines(`
      First Name,Last Name,Email,User Type,Department,User Group,User Status,Role
      Ana,Diaz,ana@x.example,Licensed,Sales,north,Active,Admin
      Bo,Li,bo@x.example,Basic,Sales,south,Active,Member
      Cy,Fu,cy@x.example,Basic,Sales,south,Inactive,Member
    `),
    right: 'north ana admin\nsouth bo participant',
  },
  {
    what: 'Workday: workers below three lines of title',
    file: 'workers.csv',
    content: lines(`
      All workers
      As of,2024-01-02

      Employee ID,Legal Name,Supervisory Organization,Project,Worker Status
      1001,Ana Diaz,Sales (Ed Ng),p-1,Active
      1002,Bo Li,Sales (Ed Ng),p-2,Active
      1003,Cy Fu,Sales (Ed Ng),p-2,Terminated
    `),
    right: 'p-1 1001 participant\np-2 1002 participant',
  },
  {
    what: 'Meetup: members',
    file: 'members.txt',
    content:
      'Name\tUser ID\tTitle\tEvent Organizer\tJoined Group on\tPhoto\nAna\tuser 1\t\tno\t01/02/2024\tyes\nBo\tuser 2\t\tyes\t01/02/2024\tno\n'.replaceAll(
        'user ',
        '',
      ),
    right: 'g-1 1 participant\ng-1 2 participant',
  },
  {
    what: 'Okta: people of a group',
    file: 'okta.csv',
    content: lines(`
      login,firstName,lastName,email,status,groupName
      ana,Ana,Diaz,ana@x.example,ACTIVE,Field Sales
      bo,Bo,Li,bo@x.example,DEPROVISIONED,Field Sales
      cy,Cy,Fu,cy@x.example,SUSPENDED,Field Sales
      di,Di,Ono,di@x.example,ACTIVE,Core
    `),
    right: 'field-sales ana participant\ncore di participant',
  },
  {
    what: 'Google Workspace: users with an OU',
    file: 'workspace.csv',
    content: lines(`
      First Name [Required],Last Name [Required],Email Address [Required],Status [READ ONLY],Last Sign In [READ ONLY],Org Unit Path [Required]
      Ana,Diaz,ana@x.example,Active,2024/01/02 10:00:00,/Sales
      Bo,Li,bo@x.example,Suspended,2024/01/02 10:00:00,/Sales
    `),
    right: 'g-1 ana participant',
  },
  {
    what: 'Mailchimp: an audience',
    file: 'audience.csv',
    content: lines(`
      Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,LEID,EUID,STATUS
      ana@x.example,Ana,Diaz,2,2024-01-02 10:00:00,100001,a1b2c3,subscribed
      bo@x.example,Bo,Li,2,2024-01-02 10:00:00,100002,a1b2c4,unsubscribed
    `),
    right: 'g-1 ana participant',
  },
  {
    what: 'Jira: members of groups',
    file: 'export-users.csv',
    content: lines(`
      User id,User name,email,User status,Added to org,Org role,group
      5b10a2844c20165700ede21g,Ana Diaz,ana@x.example,Active,2024-01-02,Org admin,jira-users
      5b10a2844c20165700ede22g,Bo Li,bo@x.example,Suspended,2024-01-02,None,jira-users
    `),
    right: 'open',
  },
  {
    what: 'Notion: members',
    file: 'notion.csv',
    content: lines(`
      name,email,role
      Ana Diaz,ana@x.example,Workspace owner
      Bo Li,bo@x.example,Member
    `),
    right: 'open',
  },
  {
    what: 'Slack: member list of the administration',
    file: 'slack-members.csv',
    content: lines(`
      username,email,status,billing-active,has-2fa,has-sso,userid,fullname,displayname
      ana,ana@x.example,Owner,1,1,0,U01,Ana Diaz,ana
      bo,bo@x.example,Member,1,1,0,U02,Bo Li,bo
      cy,cy@x.example,Deactivated,0,0,0,U03,Cy Fu,cy
    `),
    right: 'g-1 U01 participant\ng-1 U02 participant',
  },
  {
    what: 'Asana: a team',
    file: 'team.json',
    content: JSON.stringify({
      data: [
        {
          gid: '11',
          resource_type: 'team_membership',
          user: { gid: '900', name: 'Ana Diaz' },
          team: { gid: '700', name: 'Design' },
          is_guest: false,
          is_admin: true,
        },
        {
          gid: '12',
          resource_type: 'team_membership',
          user: { gid: '901', name: 'Bo Li' },
          team: { gid: '700', name: 'Design' },
          is_guest: false,
          is_admin: false,
        },
      ],
    }),
    right: '700 900 participant\n700 901 participant',
  },
  {
    what: 'Auth0: roles of users',
    file: 'auth0.ndjson',
    content:
      '{"user_id":"auth0|1","email":"ana@x.example","blocked":false,"app_metadata":{"team":"red"}}\n{"user_id":"auth0|2","email":"bo@x.example","blocked":true,"app_metadata":{"team":"red"}}\n',
    people: 'login,uid\nauth0|1,ana\nauth0|2,bo\n',
    right: 'red ana participant',
  },
  {
    what: 'Keycloak: users of a realm with groups',
    file: 'realm.json',
    content: JSON.stringify([
      { id: 'a-1', username: 'ana', enabled: true, email: 'ana@x.example', groups: ['red', 'blue'] },
      { id: 'a-2', username: 'bo', enabled: false, email: 'bo@x.example', groups: ['red'] },
    ]),
    right: 'red ana participant\nblue ana participant',
  },
  {
    what: 'Teamup of a sports club: a column for each team',
    file: 'squads.csv',
    content: lines(`
      Member No,Name,Team U10,Team U12,Team U14,Paid,Photo consent
      501,Ana Diaz,x,,,yes,yes
      502,Bo Li,,x,x,no,yes
    `),
    right: 'team-u10 501 participant\nteam-u12 502 participant\nteam-u14 502 participant',
  },
  {
    what: 'Moodle: participants of a course',
    file: 'participants.csv',
    content: lines(`
      First name,Last name,ID number,Email address,Roles,Groups,Status
      Ana,Diaz,501,ana@x.example,Teacher,red,Active
      Bo,Li,502,bo@x.example,Student,red,Suspended
      Cy,Fu,503,cy@x.example,Student,blue,Active
    `),
    right: 'red ana moderator\nblue cy participant',
  },
  {
    what: 'Blackboard: enrolments',
    file: 'enrolments.csv',
    content: lines(`
      external_course_key|external_person_key|role|available_ind|row_status
      BIO1|ana|instructor|Y|enabled
      BIO1|bo|student|Y|enabled
      BIO1|cy|student|Y|disabled
    `),
    right: 'BIO1 ana moderator\nBIO1 bo participant',
  },
  {
    what: 'Brightspace: class list',
    file: 'classlist.csv',
    content: lines(`
      OrgDefinedId,Username,Last Name,First Name,Email,Section,Role,End-of-Line Indicator
      #501,#ana,Diaz,Ana,ana@x.example,S1,Student,#
      #502,#bo,Li,Bo,bo@x.example,S2,Student,#
    `).replace(/#(?=\w)/g, ''),
    right: 'S1 ana participant\nS2 bo participant',
  },
  {
    what: 'Schoology: enrolments',
    file: 'schoology.csv',
    content: lines(`
      Course Code,Course Title,Section School Code,User Unique ID,Enrollment Type
      BIO1,Biology,S1,501,Admin
      BIO1,Biology,S1,502,Member
    `),
    right: 'open',
  },
  {
    what: 'PowerSchool: class roster',
    file: 'roster.csv',
    content: lines(`
      Student_Number,LastFirst,Grade_Level,Course_Number,Course_Name,Exit Date
      501,"Diaz, Ana",9,BIO1,Biology,
      502,"Li, Bo",9,BIO1,Biology,
    `),
    right: 'BIO1 501 participant\nBIO1 502 participant',
  },
  {
    what: 'AD: Get-ADGroupMember',
    file: 'ad.csv',
    content: lines(`
      "distinguishedName","name","objectClass","objectGUID","SamAccountName","SID"
      "CN=Ana Diaz,OU=x","Ana Diaz","user","0a1b2c3d-0000-4000-8000-000000000001","ana","S-1-5-21-1"
      "CN=Bo Li,OU=x","Bo Li","user","0a1b2c3d-0000-4000-8000-000000000002","bo","S-1-5-21-2"
      "CN=Nested,OU=x","Nested","group","0a1b2c3d-0000-4000-8000-000000000003","nested","S-1-5-21-3"
    `),
    right: 'g-1 ana participant\ng-1 bo participant',
  },
  {
    what: 'Confluence: spaces with their admins',
    file: 'spaces.csv',
    content: lines(`
      Space key,Space name,Created by,Created on
      DOC,Docs,ana,2024-01-02
      HR,People,bo,2024-01-02
    `),
    right: 'open',
  },
  {
    what: 'an RSVP list',
    file: 'rsvp.csv',
    content: lines(`
      Name,Email,RSVP,Group
      Ana Diaz,ana@x.example,Yes,north
      Bo Li,bo@x.example,No,north
      Cy Fu,cy@x.example,Maybe,south
    `),
    right: 'north ana participant',
  },
];
