import { type ExportShape, lines } from './shape.ts';

/** More such shapes, written after those corrections. */
export const LATER: readonly ExportShape[] = [
  {
    what: 'Zulip: subscribers of a stream',
    file: 'zulip.json',
    content: JSON.stringify([
      {
        user_id: 11,
        full_name: 'Ana Diaz',
        delivery_email: 'ana@x.example',
        is_active: true,
        is_bot: false,
        is_guest: false,
        role: 200,
      },
      {
        user_id: 12,
        full_name: 'Bo Li',
        delivery_email: 'bo@x.example',
        is_active: false,
        is_bot: false,
        is_guest: false,
        role: 400,
      },
      {
        user_id: 13,
        full_name: 'Helper',
        delivery_email: 'helper@x.example',
        is_active: true,
        is_bot: true,
        is_guest: false,
        role: 400,
      },
    ]),
    right: 'open',
  },
  {
    what: 'Microsoft Graph: members of a group',
    file: 'graph.json',
    content: JSON.stringify({
      value: [
        {
          '@odata.type': '#microsoft.graph.user',
          id: 'a-1',
          displayName: 'Ana Diaz',
          userPrincipalName: 'ana@x.example',
          mail: 'ana@x.example',
          jobTitle: null,
        },
        {
          '@odata.type': '#microsoft.graph.user',
          id: 'a-2',
          displayName: 'Bo Li',
          userPrincipalName: 'bo@x.example',
          mail: null,
          jobTitle: 'Engineer',
        },
      ],
    }),
    right: 'g-1 ana participant\ng-1 bo participant',
  },
  {
    what: 'Infinite Campus: roster',
    file: 'campus.csv',
    content: lines(`
      student.studentNumber,student.lastName,student.firstName,courseSection.courseNumber,courseSection.sectionNumber,roster.endDate
      501,Diaz,Ana,BIO1,1,
      502,Li,Bo,BIO1,2,
    `),
    right: 'open',
  },
  {
    what: 'TeamSnap: roster',
    file: 'teamsnap.csv',
    content: lines(`
      First,Last,Member ID,Position,Jersey Number,Email 1,Team,Is Non-Player
      Ana,Diaz,501,Goalkeeper,1,ana@x.example,u12,No
      Bo,Li,502,Coach,,bo@x.example,u12,Yes
    `),
    right: 'open',
  },
  {
    what: 'Personio: employees',
    file: 'personio.csv',
    content: lines(`
      Personalnummer;Vorname;Nachname;E-Mail;Abteilung;Team;Status;Austrittsdatum
      1001;Ana;Diaz;ana@x.example;Vertrieb;Nord;aktiv;
      1002;Bo;Li;bo@x.example;Vertrieb;Nord;inaktiv;31.12.2023
      1003;Cy;Fu;cy@x.example;Vertrieb;Nord;Onboarding;
    `),
    right: 'Nord 1001 participant',
  },
  {
    what: 'SAP SuccessFactors: learners',
    file: 'learners.csv',
    content: lines(`
      STUD_ID,FNAME,LNAME,EMAIL_ADDR,ACTIVE,CLASS_ID,ENROLL_STATUS
      S1,Ana,Diaz,ana@x.example,Y,C9,ENROLLED
      S2,Bo,Li,bo@x.example,N,C9,ENROLLED
      S3,Cy,Fu,cy@x.example,Y,C9,WAITLISTED
    `),
    right: 'C9 ana participant',
  },
  {
    what: 'Patreon: members',
    file: 'patreon.csv',
    content: lines(`
      Name,Email,Discord,Patron Status,Follows You,Tier,User ID,Last Charge Status
      Ana Diaz,ana@x.example,,Active patron,Yes,Gold,9001,Paid
      Bo Li,bo@x.example,,Former patron,Yes,Gold,9002,Declined
    `),
    right: 'g-1 9001 participant',
  },
  {
    what: 'Wild Apricot: contacts',
    file: 'contacts.csv',
    content: lines(`
      Contact ID,First name,Last name,Email,Membership level,Membership status,Group participation,Archived
      11,Ana,Diaz,ana@x.example,Gold,Active,board,no
      12,Bo,Li,bo@x.example,Gold,Lapsed,board,no
      13,Cy,Fu,cy@x.example,Gold,Active,board,yes
    `),
    right: 'board 11 participant',
  },
  {
    what: 'LDAP export as CSV',
    file: 'ldap.csv',
    content: lines(`
      uid,cn,mail,departmentNumber,employeeType
      ana,Ana Diaz,ana@x.example,D1,staff
      bo,Bo Li,bo@x.example,D2,staff
    `),
    right: 'D1 ana participant\nD2 bo participant',
  },
  {
    what: 'Google Groups API: members',
    file: 'directory.json',
    content: JSON.stringify({
      kind: 'admin#directory#members',
      members: [
        {
          kind: 'admin#directory#member',
          id: '1001',
          email: 'ana@x.example',
          role: 'OWNER',
          type: 'USER',
          status: 'ACTIVE',
        },
        {
          kind: 'admin#directory#member',
          id: '1002',
          email: 'bo@x.example',
          role: 'MEMBER',
          type: 'USER',
          status: 'SUSPENDED',
        },
        { kind: 'admin#directory#member', id: '1003', email: 'all@x.example', role: 'MEMBER', type: 'GROUP' },
      ],
    }),
    right: 'g-1 ana admin',
  },
  {
    what: 'Luma: guests of an event',
    file: 'luma.csv',
    content: lines(`
      api_id,name,first_name,last_name,email,phone_number,created_at,approval_status,checked_in_at
      gst-1,Ana Diaz,Ana,Diaz,ana@x.example,,2024-01-02T10:00:00Z,approved,
      gst-2,Bo Li,Bo,Li,bo@x.example,,2024-01-02T10:00:00Z,pending_approval,
      gst-3,Cy Fu,Cy,Fu,cy@x.example,,2024-01-02T10:00:00Z,declined,
    `),
    right: 'g-1 ana participant',
  },
  {
    what: 'Kajabi: members of offers',
    file: 'kajabi.csv',
    content: lines(`
      ID,Name,Email,Products,Tags,External User ID,Last Activity,Sign In Count
      1,Ana Diaz,ana@x.example,piano,vip,u-1,2024-01-02,3
      2,Bo Li,bo@x.example,violin,,u-2,2024-01-02,1
    `),
    right: 'g-1 u-1 participant\ng-1 u-2 participant',
  },
  {
    what: 'a shift plan with crosses',
    file: 'shifts.csv',
    content: lines(`
      Staff No,Name,Mon,Tue,Wed,First aid
      11,Ana Diaz,x,,x,x
      12,Bo Li,,x,x,
    `),
    right: 'mon 11 participant\nwed 11 participant\nfirst-aid 11 participant\ntue 12 participant\nwed 12 participant',
  },
  {
    what: 'Amplitude-like events of users',
    file: 'events.ndjson',
    content:
      '{"event_id":1,"event_type":"click","user_id":"u1","device_id":"d1","groups":{}}\n{"event_id":2,"event_type":"view","user_id":"u2","device_id":"d2","groups":{}}\n',
    right: 'g-1 u1 participant\ng-1 u2 participant',
  },
  {
    what: 'Volunteers: two kinds who are active, and a last day that no status explains',
    file: 'volunteers.csv',
    content: lines(`
      Volunteer ID,Name,Team,Status,End date
      501,Ana Diaz,kitchen,Active volunteer,2020-01-01
      502,Bo Li,kitchen,Active donor,2030-01-01
    `),
    right: 'open',
  },
];
