import { DEPARTMENTS, type Home, OFFICES } from './company.ts';
import { type Culture, fullName } from './names.ts';

/**
 * What makes somebody's rows end in another way than `added`.
 * - new: has no account in the chat yet
 * - leaver: is banned from everything
 * - returner: was banned from the office's group, and is added again
 * - disputed: is added to the office's group in one row and banned from it in another
 */
export type Story = 'ordinary' | 'new' | 'leaver' | 'returner' | 'disputed';

export interface Person {
  readonly region: Home;
  readonly uid: string;
  readonly name: string;
  readonly office: string;
  readonly department: string;
  readonly story: Story;
}

/** Everybody of a region, office by office, in the order of their UIDs. */
export function peopleOf(region: Home): readonly Person[] {
  const named = new Map<Culture, number>();
  const people = OFFICES[region].flatMap(({ city, people: count, culture }) => {
    const before = named.get(culture) ?? 0;
    named.set(culture, before + count);
    const names = Array.from({ length: count }, (_, index) => fullName(culture, before + index));
    return names.sort((a, b) => (a.uid < b.uid ? -1 : 1)).map((person) => ({ ...person, region, office: city }));
  });
  const departments = departmentOf(people.length);
  return people.map((person, index) => ({ ...person, department: departments[index] ?? '', story: storyOf(index) }));
}

/** `count` of the people, spread evenly over them; another `start` gives others. */
export function some<Item>(people: readonly Item[], count: number, start: number): Item[] {
  // Prime and no divisor of their number, so that nobody is met twice.
  const stride = [37, 53, 71].find((prime) => people.length % prime !== 0) ?? 1;
  const at = (turn: number) => people[(start * 29 + turn * stride) % people.length];
  return Array.from({ length: Math.min(count, people.length) }, (_, turn) => at(turn)).filter(
    (one) => one !== undefined,
  );
}

/** The department of each of `count` people. */
function departmentOf(count: number): readonly string[] {
  const places = DEPARTMENTS.flatMap(([name, percent]) =>
    Array.from<string>({ length: Math.ceil((count * percent) / 100) }).fill(name),
  );
  return some(places.slice(0, count), count, 0);
}

function storyOf(index: number): Story {
  if (index % 97 === 20) return 'new';
  if (index % 71 === 30) return 'leaver';
  if (index % 150 === 75) return 'returner';
  return index % 200 === 90 ? 'disputed' : 'ordinary';
}
