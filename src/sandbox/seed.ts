import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { MEMBER_LISTS, SCOPE_OF_LIST } from '../chat/service/lists.ts';
import { messageOf, RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS, type Scope } from '../membership/membership.ts';
import { groupProfile } from './groups.ts';
import { type App, type Group, storedId, userProfile } from './sandbox-app.ts';

const idProblem = (text: unknown) =>
  `${JSON.stringify(text)} cannot be an id: up to 100 letters, digits, "-" and "_" are allowed`;
const id = z.string().refine((text) => storedId(text) !== undefined, { error: ({ input }) => idProblem(input) });
const ids = z.array(id);

/** An id alone, or an object with it and more. */
function idOr<Shape extends z.ZodType>(shape: Shape) {
  return z.union([id, shape], {
    error: ({ input, errors }) =>
      typeof input === 'string'
        ? idProblem(input)
        : errors?.[1]?.map(({ path, message }) => [...path, message].join(': ')).join('; '),
  });
}

/** A user: its UID alone, or with a profile. A role that is named here exists. */
const userSeed = idOr(
  z.strictObject({
    uid: id,
    ...userProfile.partial().shape,
    deactivated: z.boolean().optional(),
  }),
);

const groupSeed = idOr(
  z.strictObject({
    guid: id,
    ...groupProfile.partial().omit({ password: true, owner: true }).shape,
  }),
);

const inGroup = z
  .strictObject({ admins: ids, moderators: ids, participants: ids, usersToBan: ids, owner: id })
  .partial();
const population = {
  users: z.array(userSeed).optional(),
  groups: z.array(groupSeed).optional(),
  /** Roles that users can be created with, in addition to `default` and those of the users here. */
  roles: z.array(z.string().min(1)).optional(),
};
const regionSeed = z.strictObject({ ...population, members: z.record(id, inGroup).optional() });

/**
 * The contents with which a sandbox starts: users and groups of every region, and those of one region with its members.
 * Users and groups that are named under the members need not be listed again. A group's owner, who is an admin of it
 * unless the lists say otherwise, can be named beside them.
 */
const seedDocument = z.strictObject({
  ...population,
  regions: z
    .strictObject(Object.fromEntries(REGIONS.map((region) => [region, regionSeed])))
    .partial()
    .optional(),
});
export type SeedDocument = z.infer<typeof seedDocument>;

function badSeed(source: string, problems: readonly string[]) {
  const lines = problems.map((problem) => `  ${problem}`);
  return new RollcallError('BAD_SEED', { what: [`the seed in ${source} cannot be used:`, ...lines].join('\n') });
}

/** @param source what errors name, such as the file @throws BAD_SEED, with every problem and its place */
export function parseSeed(text: string, source: string) {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw badSeed(source, [`it is not valid JSON: ${messageOf(error)}`]);
  }
  const parsed = seedDocument.safeParse(json);
  if (parsed.success) return parsed.data;
  throw badSeed(
    source,
    parsed.error.issues.map(
      ({ path, message }) => `${path.length === 0 ? 'the document' : path.join('.')}: ${message}`,
    ),
  );
}

/** Makes user-1, user-2… and group-1, group-2… */
export function seedNumbers(app: App, users: number, groups: number) {
  for (let number = 1; number <= users; number += 1) app.users.add(`user-${number}`);
  for (let number = 1; number <= groups; number += 1) app.groups.add(`group-${number}`);
}

/** Makes what the document holds for the app's region. */
export function seedApp(app: App, seed: SeedDocument) {
  const own = seed.regions?.[app.region] ?? {};
  const users = [...(seed.users ?? []), ...(own.users ?? [])].map((one) =>
    typeof one === 'string' ? { uid: one } : one,
  );
  for (const role of [...(seed.roles ?? []), ...(own.roles ?? [])]) app.roles.add(role);
  for (const { uid, deactivated: _, ...profile } of users) {
    if (profile.role !== undefined) app.roles.add(profile.role);
    app.users.add(uid, profile);
  }
  // If a group is given in several places, its owner is that of `members` and its profile that of `groups`.
  const profiles = new Map<string, Exclude<z.infer<typeof groupSeed>, string>>();
  for (const one of [...(seed.groups ?? []), ...(own.groups ?? [])]) {
    const profile = typeof one === 'string' ? { guid: one } : one;
    profiles.set(profile.guid.toLowerCase(), profile);
  }
  for (const [guid, { owner, ...lists }] of Object.entries(own.members ?? {})) {
    const made = app.groups.add(guid, { ...profiles.get(guid.toLowerCase()), owner: owner?.toLowerCase() });
    if (made === undefined) continue; // the schema lets no impossible id through
    for (const list of MEMBER_LISTS) seat(app, made, lists[list] ?? [], SCOPE_OF_LIST[list]);
    if (owner !== undefined) seat(app, made, [owner], 'admin');
  }
  for (const [guid, profile] of profiles) app.groups.add(guid, profile);
  // Last, because members are active users when they join.
  for (const { uid, deactivated } of users) if (deactivated) app.setActive(uid, false, app.createdAt);
}

/** A user who has a place in the group already keeps it, unless banned, which ends a membership. */
function seat(app: App, group: Group, uids: readonly string[], scope: Scope) {
  for (const uid of uids) {
    const user = app.users.add(uid);
    if (user === undefined) continue; // as above
    if (scope === 'ban') group.ban(user.uid, app.createdAt);
    else group.add(user.uid, { scope, banned: false, joinedAt: app.createdAt });
  }
}

/** @throws BAD_SEED */
export async function readSeed(path: string) {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = messageOf(error);
    throw new RollcallError('BAD_SEED', { what: `the seed file ${path} cannot be read: ${why}` }, { cause: error });
  }
  return parseSeed(text, path);
}
