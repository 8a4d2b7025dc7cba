import { z } from 'zod';
import { MEMBER_LISTS } from '../chat/contract.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS, type Scope } from '../membership/membership.ts';
import { type App, storedId } from './app.ts';
import { type Group, SCOPE_OF_LIST } from './group.ts';

const id = z.string().refine((text) => storedId(text) !== undefined, {
  error: (issue) =>
    `${JSON.stringify(issue.input)} cannot be an id: up to 100 letters, digits, "-" and "_" are allowed`,
});
const ids = z.array(id);
const inGroup = z
  .strictObject({ admins: ids, moderators: ids, participants: ids, usersToBan: ids, owner: id })
  .partial();
const population = { users: ids.optional(), groups: ids.optional() };
const regionSeed = z.strictObject({ ...population, members: z.record(id, inGroup).optional() });

/**
 * What a sandbox starts with: users and groups of every region, and those of one region with its members.
 * Whoever stands among the members, and their groups, need not be listed besides. A group's owner, who is an admin of
 * it unless the lists say otherwise, can stand beside them.
 */
export const seedDocument = z.strictObject({
  ...population,
  regions: z
    .strictObject(Object.fromEntries(REGIONS.map((region) => [region, regionSeed])))
    .partial()
    .optional(),
});
export type SeedDocument = z.infer<typeof seedDocument>;

export class SeedError extends RollcallError {
  constructor(source: string, problems: readonly string[]) {
    super('BAD_SEED', `the seed in ${source} cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads a seed document.
 * @param source what the errors name, for example the file
 * @throws SeedError with every problem and its place
 */
export function parseSeed(text: string, source: string): SeedDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new SeedError(source, [`it is not valid JSON: ${error instanceof Error ? error.message : error}`]);
  }
  const parsed = seedDocument.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new SeedError(
    source,
    parsed.error.issues.map(
      ({ path, message }) => `${path.length === 0 ? 'the document' : path.join('.')}: ${message}`,
    ),
  );
}

/** Makes user-1, user-2… and group-1, group-2… */
export function seedNumbers(app: App, users: number, groups: number): void {
  for (let number = 1; number <= users; number += 1) app.addUser(`user-${number}`);
  for (let number = 1; number <= groups; number += 1) app.addGroup(`group-${number}`);
}

/** Makes what the document holds for the app's region. */
export function seedApp(app: App, seed: SeedDocument): void {
  const own = seed.regions?.[app.region] ?? {};
  for (const uid of [...(seed.users ?? []), ...(own.users ?? [])]) app.addUser(uid);
  // Before the groups, because a group gets its owner when it is made.
  for (const [guid, { owner, ...lists }] of Object.entries(own.members ?? {})) {
    const group = app.addGroup(guid, owner === undefined ? {} : { owner: owner.toLowerCase() });
    if (group === undefined) continue; // the schema lets no impossible id through
    for (const list of MEMBER_LISTS) seat(app, group, lists[list] ?? [], SCOPE_OF_LIST[list]);
    if (owner !== undefined) seat(app, group, [owner], 'admin');
  }
  for (const guid of [...(seed.groups ?? []), ...(own.groups ?? [])]) app.addGroup(guid);
}

const SEED_RULES = { maxMembers: Number.POSITIVE_INFINITY, liftBan: false };

/** Whoever has a place in the group already keeps it, but for a ban, which ends a membership. */
function seat(app: App, group: Group, uids: readonly string[], scope: Scope): void {
  for (const uid of uids) {
    const user = app.addUser(uid);
    if (user === undefined) continue; // as above
    if (scope === 'ban') group.ban(user.uid, app.createdAt);
    else group.add(user.uid, { scope, banned: false, joinedAt: app.createdAt }, SEED_RULES);
  }
}
