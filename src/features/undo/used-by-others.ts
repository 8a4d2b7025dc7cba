import type { Coordinator } from '../../imports/life/coordinator.ts';
import type { CreatedThing } from '../../imports/record/created.ts';
import type { MembershipDone } from '../../imports/report/import-reader.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { counted } from '../../text/wording.ts';

/** Outcomes after which a user has a place in the group, as a member or banned. */
const PLACED: ReadonlySet<Outcome> = new Set(['added', 'already_member', 'changed', 'banned']);
const LEFT: ReadonlySet<Outcome> = new Set(['removed', 'unbanned']);

/** Another import of the data directory, and what it did to these users (UIDs). */
interface OtherImport {
  readonly id: string;
  readonly membershipsOf: (uids: readonly string[]) => Promise<readonly MembershipDone[]>;
}

type MadeUser = Pick<CreatedThing, 'id' | 'kind' | 'region' | 'name' | 'outcome'>;

/** The same, by the other imports of the data directory. */
export function usersOfOthers(coordinator: Pick<Coordinator, 'others' | 'reading'>) {
  return (id: string, things: readonly MadeUser[]) =>
    usedByOthers(
      things,
      coordinator
        .others(id)
        .map((other) => ({ id: other.id, membershipsOf: coordinator.reading.of(other.ledger).membershipsOf })),
    );
}

/**
 * Returns the reasons why users are kept: other imports have put them into groups, and no import has taken them out
 * since.
 * @param others oldest first
 * @returns the reasons, by id of the user
 */
async function usedByOthers(
  things: readonly MadeUser[],
  others: readonly OtherImport[],
): Promise<ReadonlyMap<number, string>> {
  const users = things.filter(({ kind, outcome }) => kind === 'user' && outcome === 'created');
  if (users.length === 0) return new Map();
  const uids = users.map(({ name }) => name);
  /** By user, and for each group the import that put the user there last. */
  const places = new Map(users.map(({ region, name }) => [`${region} ${name}`, new Map<string, string>()]));
  for (const { id, membershipsOf } of others) {
    for (const { region, guid, uid, outcome } of await membershipsOf(uids)) {
      const groups = places.get(`${region} ${uid}`);
      if (PLACED.has(outcome)) groups?.set(guid, id);
      else if (LEFT.has(outcome)) groups?.delete(guid);
    }
  }
  return new Map(
    users.flatMap(({ id, region, name }) => {
      const [first, ...more] = places.get(`${region} ${name}`) ?? [];
      if (first === undefined) return [];
      const rest = more.length === 0 ? '' : `, and ${counted(more.length, 'more membership')}`;
      return [[id, `import ${first[1]} put it into the group ${first[0]}${rest}`] as const];
    }),
  );
}
