import {
  CLASS_WITH_WRONG_ACTOR,
  CLASSES,
  CLUBS,
  DEPARTMENTS,
  HOMES,
  type Home,
  OFFICES,
  WRONG_ACTOR,
} from './company.ts';
import { type Person, peopleOf, some } from './people.ts';

export interface Row {
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  /** As people write it; empty for a participant. */
  readonly role: string;
  readonly onBehalfOf: string;
  readonly name: string;
  readonly department: string;
  readonly office: string;
}

/** A group and its people as the file asks for them, the one in charge first. */
export interface Group {
  readonly region: Home;
  readonly guid: string;
  readonly people: readonly Person[];
  /** UID on whose behalf all others than the first are added. */
  readonly actor?: string;
}

/** All groups of all regions. */
export const GROUPS: readonly Group[] = HOMES.flatMap((region) => {
  const people = peopleOf(region);
  const active = people.filter(({ story }) => story !== 'leaver' && story !== 'new');
  const inOffice = (city: string) => people.filter(({ office }) => office === city);
  const inDepartment = (name: string) => people.filter(({ department }) => department === name);
  const group = (guid: string, members: readonly Person[], actor?: string): Group => ({
    region,
    guid: slug(guid),
    people: members,
    ...(actor !== undefined && { actor }),
  });
  const everybody = (guid: string, members: readonly Person[]) => group(guid, some(members, members.length, 4));
  return [
    everybody('all-hands', people),
    ...DEPARTMENTS.map(([name]) => everybody(`dept-${name}`, inDepartment(name))),
    ...OFFICES[region].map(({ city }) => everybody(`office-${city}`, inOffice(city))),
    ...OFFICES[region].flatMap(({ city, people: count }, turn) => {
      const here = inOffice(city).filter((person) => active.includes(person));
      return [
        group(`fire-wardens-${city}`, some(here, Math.max(3, Math.ceil(count / 40)), turn)),
        group(`first-aid-${city}`, some(here, Math.max(4, Math.ceil(count / 25)), turn + 7)),
      ];
    }),
    ...CLASSES[region].map(([name, size], turn) => {
      const guid = `class-${name}`;
      const [teacher, ...pupils] = some(active, size, turn + 3);
      const actor = guid === CLASS_WITH_WRONG_ACTOR ? WRONG_ACTOR : teacher?.uid;
      return group(guid, teacher === undefined ? pupils : [teacher, ...pupils], actor);
    }),
    ...CLUBS[region].map(([name, size], turn) => group(`club-${name}`, some(active, size, turn * 5))),
  ];
});

/** What the file asks for, person by person, as an HR system exports it. */
export function memberships(): readonly Row[] {
  const order = new Map(HOMES.flatMap(peopleOf).map((person, index) => [`${person.region} ${person.uid}`, index]));
  const position = ({ region, uid }: Row) => order.get(`${region} ${uid}`) ?? -1;
  return GROUPS.flatMap(rowsOf).sort((a, b) => position(a) - position(b));
}

function rowsOf(group: Group): Row[] {
  return group.people.flatMap((person, index) => {
    const onBehalfOf = index > 0 ? (group.actor ?? '') : '';
    const row = rowFor(group, person, person.story === 'leaver' ? 'ban' : roleOf(group, index), onBehalfOf);
    const disputed = person.story === 'disputed' && group.guid === officeGroup(person);
    return disputed ? [row, { ...row, role: 'ban' }] : [row];
  });
}

export function rowFor({ region, guid }: Group, person: Person, role: string, onBehalfOf = ''): Row {
  const { uid, name, department, office } = person;
  return { region, guid, uid, role, onBehalfOf, name, department, office };
}

/** Roles in the words of whoever keeps that list: offices in full, clubs only where there is something to say. */
function roleOf({ guid, people }: Group, index: number): string {
  if (index === 0) return guid.startsWith('office-') ? 'Admin' : 'admin';
  if (index <= 2 && people.length > 40) return guid.startsWith('office-') ? 'Moderator' : 'moderator';
  return guid.startsWith('club-') ? '' : 'participant';
}

export function officeGroup({ office }: Person): string {
  return slug(`office-${office}`);
}

/** "office-Kraków" → "office-krakow". */
function slug(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
