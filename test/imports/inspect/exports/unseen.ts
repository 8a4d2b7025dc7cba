import { type ExportShape, lines } from './shape.ts';

/** Shapes that were written down before the suggestions were tried with them; the rules were then corrected by them. */
export const UNSEEN: readonly ExportShape[] = [
  {
    what: 'GitHub Classroom: a roster',
    file: 'classroom_roster.csv',
    content: lines(`
      "identifier","github_username","github_id","name"
      "501","octo-ana","9001","Ana Diaz"
      "502","octo-bo","9002","Bo Li"
    `),
    right: 'g-1 octo-ana participant\ng-1 octo-bo participant',
  },
  {
    what: 'Bitbucket: repository permissions',
    file: 'permissions.csv',
    content: lines(`
      Project,Repository,User,Permission
      DOC,handbook,ana,ADMIN
      DOC,handbook,bo,READ
    `),
    right: 'DOC ana admin\nDOC bo participant',
  },
  {
    what: 'Trello: members of boards',
    file: 'trello.json',
    content: JSON.stringify([
      { idMember: 'm1', memberType: 'admin', deactivated: false, unconfirmed: false, id: 'x1' },
      { idMember: 'm2', memberType: 'normal', deactivated: true, unconfirmed: false, id: 'x2' },
    ]),
    right: 'g-1 m1 participant',
  },
  {
    what: 'HubSpot: contacts',
    file: 'hubspot.csv',
    content: lines(`
      Record ID,First Name,Last Name,Email,Contact owner,Lead Status,Marketing contact status,Create Date
      101,Ana,Diaz,ana@x.example,Ed Ng,New,Marketing contact,2024-01-02 10:00
      102,Bo,Li,bo@x.example,Ed Ng,Connected,Non-marketing contact,2024-01-02 10:00
    `),
    right: 'open',
  },
  {
    what: 'Zendesk: agents with their groups',
    file: 'agents.csv',
    content: lines(`
      Agent ID,Agent name,Agent email,Role,Groups,Status
      11,Ana Diaz,ana@x.example,Admin,tier1;tier2,Active
      12,Bo Li,bo@x.example,Agent,tier1,Suspended
    `),
    right: 'tier1 ana admin\ntier2 ana admin',
  },
  {
    what: 'Monday.com: users',
    file: 'monday.csv',
    content: lines(`
      Name,Email,Title,User Role,Status,Joined,Teams
      Ana Diaz,ana@x.example,Head,Admin,Active,2024-01-02,design
      Bo Li,bo@x.example,,Member,Pending,2024-01-02,design
      Cy Fu,cy@x.example,,Member,Active,2024-01-02,"design, build"
    `),
    right: 'design ana admin\ndesign cy participant\nbuild cy participant',
  },
  {
    what: 'Dropbox: team members',
    file: 'dropbox.csv',
    content: lines(`
      First Name,Last Name,Email,Status,Role,Groups
      Ana,Diaz,ana@x.example,active,Team admin,everyone
      Bo,Li,bo@x.example,invited,Member,everyone
    `),
    right: 'open',
  },
  {
    what: 'Webex: space members',
    file: 'webex.json',
    content: JSON.stringify({
      items: [
        {
          id: 'Y1',
          roomId: 'R1',
          personId: 'P1',
          personEmail: 'ana@x.example',
          personDisplayName: 'Ana',
          isModerator: true,
          isMonitor: false,
        },
        {
          id: 'Y2',
          roomId: 'R1',
          personId: 'P2',
          personEmail: 'bo@x.example',
          personDisplayName: 'Bo',
          isModerator: false,
          isMonitor: false,
        },
      ],
    }),
    right: 'R1 P1 participant\nR1 P2 participant',
  },
  {
    what: 'Discourse: users',
    file: 'discourse.csv',
    content: lines(`
      id,name,username,email,title,created_at,last_seen_at,trust_level,active,admin,moderator,suspended_at,suspended_till,group_names
      1,Ana Diaz,ana,ana@x.example,,2024-01-02 10:00:00 UTC,2024-01-03 10:00:00 UTC,2,true,true,false,,,staff;all
      2,Bo Li,bo,bo@x.example,,2024-01-02 10:00:00 UTC,2024-01-03 10:00:00 UTC,1,true,false,false,2024-02-02 10:00:00 UTC,2030-01-01,all
      3,Cy Fu,cy,cy@x.example,,2024-01-02 10:00:00 UTC,2024-01-03 10:00:00 UTC,1,false,false,false,,,all
    `),
    right: 'staff ana participant\nall ana participant',
  },
  {
    what: 'WordPress: users',
    file: 'wp-users.csv',
    content: lines(`
      ID,user_login,display_name,user_email,user_registered,roles
      1,ana,Ana Diaz,ana@x.example,2024-01-02 10:00:00,administrator
      2,bo,Bo Li,bo@x.example,2024-01-02 10:00:00,subscriber
    `),
    right: 'g-1 ana admin\ng-1 bo participant',
  },
  {
    what: 'LearnDash: group users',
    file: 'learndash.csv',
    content: lines(`
      user_id,name,email,group_id,group_title,is_leader
      1,Ana Diaz,ana@x.example,77,Spring 24,0
      2,Bo Li,bo@x.example,77,Spring 24,0
    `),
    right: '77 1 participant\n77 2 participant',
  },
  {
    what: 'Teachable: enrolled students',
    file: 'teachable.csv',
    content: lines(`
      User ID,Name,Email,Course ID,Course Name,Enrolled At,Percent Complete,Is Active
      1,Ana Diaz,ana@x.example,44,Piano,2024-01-02,10,true
      2,Bo Li,bo@x.example,44,Piano,2024-01-02,20,false
    `),
    right: '44 1 participant',
  },
  {
    what: 'Google Classroom: students of courses',
    file: 'students.json',
    content: JSON.stringify({
      students: [
        {
          courseId: '9001',
          userId: '501',
          profile: { id: '501', name: { fullName: 'Ana Diaz' }, emailAddress: 'ana@x.example' },
        },
        {
          courseId: '9001',
          userId: '502',
          profile: { id: '502', name: { fullName: 'Bo Li' }, emailAddress: 'bo@x.example' },
        },
      ],
    }),
    right: '9001 501 participant\n9001 502 participant',
  },
  {
    what: 'Clever: sections with their students',
    file: 'sections.json',
    content: JSON.stringify([
      { id: 'sec-1', name: 'Bio', students: ['u1', 'u2'], teachers: ['t1'] },
      { id: 'sec-2', name: 'Math', students: ['u2'], teachers: ['t1'] },
    ]),
    right: 'open',
  },
  {
    what: 'Azure DevOps: members of teams',
    file: 'devops.json',
    content: JSON.stringify({
      value: [
        { isTeamAdmin: true, identity: { displayName: 'Ana Diaz', id: 'a-1', uniqueName: 'ana@x.example' } },
        { identity: { displayName: 'Bo Li', id: 'a-2', uniqueName: 'bo@x.example' } },
      ],
      count: 2,
    }),
    right: 'g-1 ana participant\ng-1 bo participant',
  },
  {
    what: 'Linear: users of teams',
    file: 'linear.csv',
    content: lines(`
      Name,Email,Role,Status,Team Key,Team Name
      Ana Diaz,ana@x.example,Admin,Active,ENG,Engineering
      Bo Li,bo@x.example,User,Suspended,ENG,Engineering
    `),
    right: 'ENG ana admin',
  },
  {
    what: 'PagerDuty: users of teams',
    file: 'pagerduty.csv',
    content: lines(`
      id,name,email,base_role,team_id,team_name,team_role
      PU1,Ana Diaz,ana@x.example,owner,PT1,Ops,manager
      PU2,Bo Li,bo@x.example,limited_user,PT1,Ops,responder
    `),
    right: 'PT1 ana participant\nPT1 bo participant',
  },
  {
    what: 'OpsGenie: team members in a cell',
    file: 'teams.csv',
    content: lines(`
      Team Name,Description,Members
      night-shift,Nights,ana@x.example;bo@x.example
      day-shift,Days,cy@x.example
    `),
    right: 'night-shift ana participant\nnight-shift bo participant\nday-shift cy participant',
  },
  {
    what: 'ClubExpress: members with an expiry date',
    file: 'club.csv',
    content: lines(`
      Member Number,First Name,Last Name,Email,Club,Membership Status,Expiration Date
      501,Ana,Diaz,ana@x.example,sailing,Active,2030-01-01
      502,Bo,Li,bo@x.example,sailing,Expired,2020-01-01
    `),
    right: 'sailing 501 participant',
  },
  {
    what: 'SPOND: a sports team',
    file: 'spond.csv',
    content: lines(`
      Name;Email;Phone;Guardian 1 name;Guardian 1 email;Subgroup;Role
      Ana Diaz;ana@x.example;;Ed Ng;ed@x.example;u10;Player
      Bo Li;bo@x.example;;Ed Ng;ed@x.example;u12;Coach
    `),
    right: 'u10 ana participant\nu12 bo moderator',
  },
  {
    what: 'Vereinsverwaltung: members with their department',
    file: 'mitglieder.csv',
    content: lines(`
      Mitgliedsnummer;Vorname;Nachname;E-Mail;Abteilung;Status;Austritt
      501;Ana;Diaz;ana@x.example;Turnen;aktiv;
      502;Bo;Li;bo@x.example;Turnen;inaktiv;
    `),
    right: 'Turnen 501 participant',
  },
  {
    what: 'Planning Center: people of groups',
    file: 'pco.csv',
    content: lines(`
      Person ID,First Name,Last Name,Primary Email,Group,Role,Archived At
      1,Ana,Diaz,ana@x.example,choir,Leader,
      2,Bo,Li,bo@x.example,choir,Member,2024-01-02T10:00:00Z
    `),
    right: 'choir 1 moderator',
  },
  {
    what: 'Circle.so: members',
    file: 'circle.csv',
    content: lines(`
      Member ID,Name,Email,Headline,Spaces,Space Groups,Invitation accepted,Banned
      1,Ana Diaz,ana@x.example,,home|events,core,yes,no
      2,Bo Li,bo@x.example,,home,core,no,no
    `),
    right: 'core 1 participant',
  },
  {
    what: 'Stripe: customers',
    file: 'stripe.csv',
    content: lines(`
      id,Description,Email,Name,Created (UTC),Delinquent,Plan,Status
      cus_1,,ana@x.example,Ana Diaz,2024-01-02 10:00,false,gold,active
      cus_2,,bo@x.example,Bo Li,2024-01-02 10:00,false,gold,canceled
    `),
    right: 'g-1 ana participant',
  },
  {
    what: 'Calendly: invitees',
    file: 'calendly.csv',
    content: lines(`
      Team,User Name,User Email,Invitee Name,Invitee First Name,Invitee Email,Event Type Name,Canceled
      sales,Host,host@x.example,Ana Diaz,Ana,ana@x.example,Demo,false
      sales,Host,host@x.example,Bo Li,Bo,bo@x.example,Demo,true
    `),
    right: 'sales ana participant',
  },
  {
    what: 'AWS IAM Identity Center: members of groups',
    file: 'identitystore.json',
    content: JSON.stringify({
      GroupMemberships: [
        { IdentityStoreId: 'd-1', MembershipId: 'm-1', GroupId: 'g-9', MemberId: { UserId: 'u-1' } },
        { IdentityStoreId: 'd-1', MembershipId: 'm-2', GroupId: 'g-9', MemberId: { UserId: 'u-2' } },
      ],
    }),
    right: 'g-9 u-1 participant\ng-9 u-2 participant',
  },
  {
    what: 'Matrix Synapse: members of a room',
    file: 'synapse.json',
    content: JSON.stringify([
      { room_id: 'r-1', user_id: '@ana:x.example', membership: 'join' },
      { room_id: 'r-1', user_id: '@bo:x.example', membership: 'leave' },
    ]),
    people: 'login,uid\n@ana:x.example,ana\n@bo:x.example,bo\n',
    right: 'r-1 ana participant',
  },
  {
    what: 'Rocket.Chat: members of channels',
    file: 'rocket.csv',
    content: lines(`
      room,username,type
      general,ana,user
      general,helper,bot
    `),
    right: 'general ana participant',
  },
  {
    what: 'XMPP: affiliations of rooms',
    file: 'muc.csv',
    content: lines(`
      room,jid,affiliation
      r1,ana@x.example,owner
      r1,bo@x.example,member
      r1,cy@x.example,outcast
    `),
    right: 'r1 ana admin\nr1 bo participant',
  },
  {
    what: 'Airtable: people with linked teams',
    file: 'airtable.csv',
    content: lines(`
      Name,Email,Teams,Active?
      Ana Diaz,ana@x.example,"red,blue",checked
      Bo Li,bo@x.example,red,
    `),
    right: 'red ana participant\nblue ana participant',
  },
  {
    what: 'a sign-up form of Google Forms',
    file: 'form.csv',
    content: lines(`
      Timestamp,Email Address,Full name,Which team do you want to join?,I agree to the terms
      1/2/2024 10:00:00,ana@x.example,Ana Diaz,Red team,Yes
      1/2/2024 10:01:00,bo@x.example,Bo Li,Blue team,Yes
    `),
    right: 'red-team ana participant\nblue-team bo participant',
  },
];
