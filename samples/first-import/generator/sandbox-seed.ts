import type { SeedDocument } from '../../../src/sandbox/seed.ts';
import { CLASS_WITH_WRONG_ACTOR, HOMES, type Home, MISSING_GROUP, WRONG_ACTOR } from './company.ts';
import { GROUPS, type Group, officeGroup } from './memberships.ts';
import { CONTRACTOR } from './mistakes.ts';
import { type Person, peopleOf } from './people.ts';

/** Users besides the people of the company. */
const OTHER_USERS: Readonly<Record<Home, readonly string[]>> = { us: [CONTRACTOR], eu: [], in: [WRONG_ACTOR] };

/** What the chat holds before the import: most of the groups and people, and a few memberships. */
export function sandboxSeed(): SeedDocument {
  return { regions: Object.fromEntries(HOMES.map((region) => [region, regionSeed(region)])) };
}

function regionSeed(region: Home): object {
  const groups = GROUPS.filter((group) => group.region === region && group.guid !== MISSING_GROUP);
  const users = peopleOf(region).filter(({ story }) => story !== 'new');
  const members = groups.map((group) => [group.guid, placesIn(group)] as const);
  return {
    users: [...users.map(({ uid }) => uid), ...OTHER_USERS[region]],
    groups: groups.map(({ guid }) => guid),
    members: Object.fromEntries(members.filter(([, places]) => Object.keys(places).length > 0)),
  };
}

/** Who is in a group, or banned from it, before the import. */
function placesIn(group: Group): Readonly<Record<string, readonly string[]>> {
  const teacher = group.guid.startsWith('class-') && group.guid !== CLASS_WITH_WRONG_ACTOR;
  const lists = {
    admins: teacher ? group.people.slice(0, 1) : [],
    participants: group.people.filter((person, index) => isIn(group, person, index)),
    usersToBan: group.people.filter((person, index) => isBanned(group, person, index)),
  };
  return Object.fromEntries(
    Object.entries(lists)
      .filter(([, people]) => people.length > 0)
      .map(([list, people]) => [list, people.map(({ uid }) => uid)]),
  );
}

/** Leavers are still in the group of everybody; the offices of Lyon and Portland had begun to fill theirs by hand. */
function isIn({ guid, region }: Group, { story }: Person, index: number): boolean {
  if (story === 'leaver') return guid === 'all-hands' && region !== 'in';
  if (story !== 'ordinary') return false;
  return (guid === 'office-lyon' && index < 30) || (guid === 'office-portland' && index % 4 === 0);
}

function isBanned({ guid, region }: Group, person: Person, index: number): boolean {
  if (person.story === 'leaver') return guid === 'all-hands' && region === 'in' && index % 2 === 0;
  return person.story === 'returner' && guid === officeGroup(person);
}
