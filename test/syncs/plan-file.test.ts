import { describe, expect, test } from 'vitest';
import { planDocument } from '../../src/features/sync/api.ts';
import { guardPlan } from '../../src/features/sync/plan/plan-guards.ts';
import { planMarkdown, planText } from '../../src/features/sync/plan/plan-print.ts';
import { changesCsv, planCsv, planJson } from '../../src/features/sync/plan/plan-tables.ts';
import type { PlanCreating } from '../../src/features/sync/plan/plan-totals.ts';
import { fileRows, type Live, people, planned } from './planning.ts';

const FILE = [
  ...fileRows({ anna: 'moderator', bob: 'participant', cleo: 'ban', '-dan': 'participant' }),
  ...fileRows(people(3), 'nowhere', 'eu'),
];
const LIVE: Live = {
  team: { owner: 'boss', members: { anna: 'participant', bob: 'participant', eve: 'participant', boss: 'admin' } },
};
const MIRROR = { mode: 'mirror', missing: 'remove' } as const;

const text = (chunks: Iterable<string>) => [...chunks].join('');

describe('a plan as CSV', () => {
  test('has a line for everyone, and one for a group that could not be listed', () => {
    expect(text(planCsv(planned(FILE, LIVE, MIRROR).plan))).toBe(
      `region,group,uid,action,from,to,reason
eu,nowhere,,report,,,"the service does not know the group (ERR_GUID_NOT_FOUND: no such group); 3 rows of the file wait for it"
us,team,-dan,add,,participant,is not in the group
us,team,anna,change,participant,moderator,the file asks for a higher scope
us,team,bob,keep,participant,participant,is as the file says
us,team,boss,report,admin,,"would be removed, but owns the group and is kept unless named explicitly"
us,team,cleo,ban,,ban,the file asks for a ban
us,team,eve,remove,participant,,is not in the file
`,
    );
  });
});

test('the changes of a plan are an input for an import: ids exactly, a ban as an addition, the place before beside it', () => {
  expect(text(changesCsv(planned(FILE, LIVE, MIRROR).plan))).toBe(
    `region,guid,uid,scope,action,from,reason
us,team,-dan,participant,add,,is not in the group
us,team,anna,moderator,change,participant,the file asks for a higher scope
us,team,cleo,ban,add,,the file asks for a ban
us,team,eve,,remove,participant,is not in the file
`,
  );
});

test('a plan as JSON is what its schema says, with findings, groups and everyone', () => {
  const { plan } = planned(FILE, LIVE, { ...MIRROR, protect: ['vip'] });
  guardPlan(plan, undefined, { rows: 100, fields: [], groups: [] });
  const document = planDocument.parse(JSON.parse(text(planJson(plan))));
  expect(document).toMatchObject({
    file: 'members.csv',
    rows: 7,
    flags: { mode: 'mirror', protect: ['vip'] },
    held: true,
    totals: {
      groups: 2,
      unlisted: 1,
      members: 4,
      right: 1,
      changes: 4,
      changedGroups: 1,
      regions: ['us'],
      actions: { add: 1, change: 1, remove: 1, ban: 1 },
    },
    findings: [{ guard: 'shrunk-file' }],
    groups: [{ guid: 'team' }, { guid: 'nowhere', listing: 'not_found' }],
  });
  expect(document.actions).toEqual(plan.actions().toArray());
});

describe('a plan on a terminal', () => {
  test('says what it comes to, group by group, and what is in its way', () => {
    const { plan } = planned(
      [...FILE, ...fileRows(people(2), 'club')],
      { ...LIVE, club: { members: people(1) } },
      MIRROR,
    );
    guardPlan(plan, undefined, { rows: 100, fields: [], groups: [] });
    expect(planText(plan, { color: false, width: 80 })).toBe(
      `plan for members.csv
2 to add, 1 to change, 1 to remove, 1 to ban; 2 right, 1 reported, nothing done
in 1 of 3 groups.

                   add  change  remove  ban  right  reported
team (us)            1       1       1    1      1         1
club (us)            1       ·       ·    ·      1         ·
total of 2 groups    2       1       1    1      2         1

nowhere (eu): the service does not know the group (ERR_GUID_NOT_FOUND: no such …

Up to 5 messages will be written into 2 groups, one for each change.

Held: 1 objection of the guards
- The file has 9 rows, 91 % fewer than the 100 of the last run; 10 fewer are
  allowed. Make sure that the file is complete, and approve the plan if it is.
`,
    );
  });

  test('counts who leaves a group against those who make it large', () => {
    const live = { team: { members: people(298) } };
    const file = (more: number) => fileRows({ ...people(290 + more), u1: 'ban', new1: 'participant' });
    const { plan } = planned(file(0), live, MIRROR);
    expect(planText(plan, { color: false, width: 80 })).not.toContain('would grow');
    const grown = planText(planned(file(15), live, { mode: 'add' }).plan, { color: false, width: 200 });
    expect(grown).toContain('"team" to 305');
  });

  test('cuts long lists and says by how much', () => {
    const guids = Array.from({ length: 25 }, (_, index) => `g${index}`);
    const { plan } = planned(
      guids.flatMap((guid, index) => fileRows(people(index + 1), guid)),
      Object.fromEntries(guids.slice(0, 23).map((guid) => [guid, {}])),
    );
    const lines = planText(plan, { color: false, width: 60 }).split('\n');
    expect([...lines.slice(3, 6), ...lines.slice(24, 27)]).toEqual([
      '                    add  change  remove  right  reported',
      'g22 (us)             23       ·       ·      ·         ·',
      'g21 (us)             22       ·       ·      ·         ·',
      '… and 3 more groups',
      'total of 23 groups  276       ·       ·      ·         ·',
      '',
    ]);
    expect(lines.every((line) => line.length <= 60)).toBe(true);
  });

  test('says how many rows of the file cannot be used, also where no guard objects to them', () => {
    const { plan } = planned([{ uid: 'u1' }, { invalid: true }], { team: {} });
    const said = '1 to add; 0 right, 1 row of the file cannot be used.';
    expect(planText(plan, { color: false, width: 80 })).toContain(said);
    expect(planMarkdown(plan)).toContain(said);
  });

  test('names new users where users are created, and nobody who is missing where they are only made active again', () => {
    const { plan } = planned(fileRows({ ann: 'participant', ghost: 'participant' }), { team: {} }, { mode: 'add' });
    const said = (users: boolean) => {
      const creating: PlanCreating = {
        may: { users, groups: false, reactivate: true },
        limits: { users: 100, groups: 10 },
        fields: [],
        missing: { unknown: 1, deactivated: 1, first: ['ghost'] },
      };
      plan.sql('set_creating').run({ creating: JSON.stringify(creating) });
      return planText(plan, { color: false, width: 200 });
    };
    expect(said(true)).toContain('Created first: 1 user, 1 user made active again');
    expect(said(true)).toContain('New users: ghost.');
    expect(said(false)).toContain('Created first: 1 user made active again');
    expect(said(false)).not.toContain('New users');
  });

  test('without changes says that there is nothing to do, and who is left alone', () => {
    const { plan } = planned([{ uid: 'u1' }], { team: { members: people(3) } });
    const shown = planText(plan, { color: false, width: 80 });
    expect(shown).toContain('1 right');
    expect(shown).toMatch(/right {2}left alone/);
  });

  test('acts on the terminal with colours only, and these only when asked', () => {
    const { plan } = planned(FILE, LIVE, MIRROR);
    expect(planText(plan, { color: false, width: 80 })).not.toContain('\u001b');
    expect(planText(plan, { color: true, width: 80 })).toContain('\u001b[1m');
  });
});

describe('a plan as Markdown, for a comment on a pull request', () => {
  test('says what it comes to, what the guards object to, and what happens to each group and member', () => {
    const { plan } = planned(FILE, LIVE, MIRROR);
    guardPlan(plan, undefined, { rows: 100, fields: [], groups: [] });
    expect(planMarkdown(plan)).toBe(`### Sync of \`members.csv\`

**1 to add, 1 to change, 1 to remove, 1 to ban; 1 right, 1 reported, nothing done in 1 of 2 groups.**

#### Held: 1 objection of the guards

- The file has 7 rows, 93 % fewer than the 100 of the last run; 10 fewer are allowed. Make sure that the file is complete, and approve the plan if it is.

| group | add | change | remove | ban | right | reported |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| \`team\` (us) | 1 | 1 | 1 | 1 | 1 | 1 |

- \`nowhere\` (eu): the service does not know the group (ERR\\_GUID\\_NOT\\_FOUND: no such group); 3 rows of the file wait for it

- Up to 4 messages will be written into 1 group, one for each change.

<details><summary>1 to remove</summary>

| group | user | from | to | why |
| --- | --- | --- | --- | --- |
| \`team\` (us) | \`eve\` | participant |  | is not in the file |

</details>

<details><summary>1 to ban</summary>

| group | user | from | to | why |
| --- | --- | --- | --- | --- |
| \`team\` (us) | \`cleo\` |  | ban | the file asks for a ban |

</details>

<details><summary>1 to change</summary>

| group | user | from | to | why |
| --- | --- | --- | --- | --- |
| \`team\` (us) | \`anna\` | participant | moderator | the file asks for a higher scope |

</details>

<details><summary>1 to add</summary>

| group | user | from | to | why |
| --- | --- | --- | --- | --- |
| \`team\` (us) | \`-dan\` |  | participant | is not in the group |

</details>

<details><summary>1 reported, and left as they are</summary>

| group | user | from | to | why |
| --- | --- | --- | --- | --- |
| \`team\` (us) | \`boss\` | admin |  | would be removed, but owns the group and is kept unless named explicitly |

</details>
`);
  });

  test('has at most 60 kB, and says how many are left out', () => {
    const guids = Array.from({ length: 300 }, (_, at) => `${'ß'.repeat(90)}${at}`);
    const { plan } = planned(
      [...fileRows(people(9_000)), ...guids.flatMap((guid) => fileRows(people(1), guid))],
      {
        team: { members: people(9_000, 'participant', 5_000) },
        ...Object.fromEntries(guids.map((one) => [one, { members: people(2, 'admin', 7) }])),
      },
      MIRROR,
    );
    guardPlan(plan);
    const comment = planMarkdown(plan);
    expect(Buffer.byteLength(comment)).toBeGreaterThan(50_000);
    expect(Buffer.byteLength(comment)).toBeLessThanOrEqual(60_000);
    expect(comment).toMatch(/[\d,]+ more/);
    for (const section of comment.split('<details>').slice(1)) {
      const [, all = ''] = /<summary>([\d,]+) /.exec(section) ?? [];
      const [, left = ''] = /… and ([\d,]+) more users/.exec(section) ?? [];
      const number = (text: string) => Number(text.replaceAll(',', ''));
      expect(section.split('\n| `').length - 1 + number(left)).toBe(number(all));
      expect(section.trim()).toMatch(/<\/details>$/);
    }
  });

  test('takes no name for Markdown, HTML, or a person to notify', () => {
    const guid = '@everyone|<img src=x>`**`';
    const { plan } = planned(
      fileRows({ '`@octocat`': 'participant' }, guid),
      { [guid]: { listing: 'failed' } },
      MIRROR,
    );
    guardPlan(plan);
    const comment = planMarkdown(plan);
    expect(comment).toContain('`` @everyone\\|<img src=x>`**` ``');
    // Outside of code spans.
    const plain = comment.replace(/(`+).*?[^`]\1(?!`)/g, '');
    expect(plain).not.toMatch(/<img|@everyone|@octocat|(?<!\\)\*\*`/);
  });
});
