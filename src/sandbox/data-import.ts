import { z } from 'zod';
import { seconds } from './entities.ts';
import type { Group } from './group.ts';
import { writtenObject } from './group-members.ts';
import { groupProfile, groupProfileIn, refuseTakenGuid, requirePassword } from './groups.ts';
import { badRequest, obstacleError, Refusal, serviceError } from './refusal.ts';
import type { User } from './sandbox-app.ts';
import { type Call, readBody, requireGroup, requireUser, WrittenReply } from './sandbox-call.ts';
import { profileIn, refuseTakenUid, userProfile } from './users.ts';

/** Bulk import of users, groups and members (docs/chat-service.md, 72 to 78): public documentation, not contract. */

/** Entities in one call. */
const MAX_ENTITIES = 50;

/** Seconds since 1970; the documentation shows them as numbers and as texts. */
const time = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]);

const importedUser = z.looseObject({ uid: z.string(), ...userProfile, createdAt: time.optional() });
const importedGroup = z.looseObject({ guid: z.string(), ...groupProfile, createdAt: time.optional() });
const importedMember = z.looseObject({
  memberId: z.string(),
  guid: z.string(),
  uid: z.string(),
  scope: z.enum(['admin', 'moderator', 'participant']).default('participant'),
  isBanned: z.boolean().default(false),
  joinedAt: time.optional(),
  userDetails: importedUser.optional(),
  groupDetails: importedGroup.optional(),
});

/** Codes that say of an entity that it is there already, which is no damage to the rest of the call. */
const REPEATED = new Set(['ERR_UID_ALREADY_EXISTS', 'ERR_GUID_ALREADY_EXISTS', 'ERR_ALREADY_JOINED']);

/** POST /data_import/users. */
export function importUsers(call: Call): WrittenReply {
  return importEach(call, 'users', 'ERR_IMPORT_INVALID_USER_FORMAT', importedUser, ({ uid }) => uid, importUser);
}

/** POST /data_import/groups. */
export function importGroups(call: Call): WrittenReply {
  return importEach(call, 'groups', 'ERR_IMPORT_INVALID_GROUP_FORMAT', importedGroup, ({ guid }) => guid, importGroup);
}

/** POST /data_import/members: of any groups. */
export function importMembers(call: Call): WrittenReply {
  const keyOf = ({ memberId }: z.infer<typeof importedMember>) => memberId;
  return importEach(call, 'members', 'ERR_IMPORT_INVALID_MEMBER_FORMAT', importedMember, keyOf, importMember);
}

/** Carries out the entities of a body one after another, and reports each under its key. */
function importEach<T>(
  call: Call,
  name: string,
  invalid: string,
  schema: z.ZodType<T>,
  keyOf: (entity: T) => string,
  carryOut: (call: Call, entity: T) => object,
): WrittenReply {
  const body = readBody(call, z.looseObject({ [name]: z.record(z.string(), z.unknown()) }));
  const entities = Object.entries(body[name] ?? {});
  if (entities.length > MAX_ENTITIES) {
    throw badRequest({ [name]: [`At most ${MAX_ENTITIES} can be imported in one call, got ${entities.length}.`] });
  }
  function importOne(key: string, written: unknown): object {
    const entity = schema.safeParse(written);
    if (!entity.success || keyOf(entity.data) !== key) {
      const why = entity.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ');
      throw new Refusal(400, serviceError(invalid, `The entity ${key} is invalid: ${why ?? 'its id is not its key'}.`));
    }
    return carryOut(call, entity.data);
  }
  const taken = call.fault === 'reset-midway' ? entities.slice(0, entities.length >> 1) : entities;
  const results = taken.map(
    ([key, entity]) => [key, JSON.stringify(result(call, () => importOne(key, entity)))] as const,
  );
  if (call.fault === 'omit-uid') results.pop();
  const data = writtenObject(results);
  return new WrittenReply(
    writtenObject([['data', call.behaviour.importReply === 'twice' ? writtenObject([['data', data]]) : data]]),
  );
}

/** The result of one entity; or the end of the whole call, after those before were carried out. */
function result({ behaviour }: Call, carryOut: () => object): object {
  try {
    return { success: true, data: carryOut() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (behaviour.importFailure === 'per-key' || REPEATED.has(error.error.code ?? '')) {
      return { success: false, error: error.error };
    }
    throw new Refusal(500, serviceError('ERR_EXCEPTION', 'Something went wrong.'));
  }
}

function importUser(call: Call, { uid, createdAt, ...profile }: z.infer<typeof importedUser>): object {
  refuseTakenUid(call, uid);
  const made = call.app.addUser(uid, {
    ...profileIn(call, profile),
    createdAt: milliseconds(createdAt) ?? call.now,
  });
  if (made === undefined) throw invalidId('UID', uid);
  return { uid: made.uid, name: made.name };
}

function importGroup(call: Call, group: z.infer<typeof importedGroup>): object {
  const { guid, name, type = 'public' } = group;
  refuseTakenGuid(call, guid);
  requirePassword(type, group.password);
  const profile = groupProfileIn(call, group);
  const made = call.app.addGroup(guid, { ...profile, type, createdAt: milliseconds(group.createdAt) ?? call.now });
  if (made === undefined) throw invalidId('GUID', guid);
  return { guid: made.profile.guid, name, type };
}

function importMember(call: Call, { guid, uid, scope, isBanned, ...member }: z.infer<typeof importedMember>): object {
  const { app, behaviour, now } = call;
  const group = groupOf(call, guid, member.groupDetails);
  const user = userOf(call, uid, member.userDetails);
  const joinedAt = milliseconds(member.joinedAt) ?? now;
  if (joinedAt < group.profile.createdAt || joinedAt > now) {
    const message = `joinedAt of ${member.memberId} must be after the group's createdAt and before now.`;
    throw new Refusal(400, serviceError('ERR_IMPORT_INVALID_JOINEDAT', message));
  }
  const rules = { maxMembers: behaviour.maxGroupMembers, liftBan: behaviour.addingBanned === 'lift-ban' };
  const obstacle = isBanned
    ? group.ban(user.uid, joinedAt)
    : group.add(user.uid, { scope, banned: false, joinedAt }, rules);
  if (obstacle !== undefined) throw new Refusal(400, obstacleError(obstacle, user.uid, group.profile.guid));
  if (behaviour.importMessages === 'written') app.nextMessageId();
  return { guid: group.profile.guid, uid: user.uid, scope, joinedAt: seconds(joinedAt) };
}

/** The group, which the details of a member may make. */
function groupOf(call: Call, guid: string, details: z.infer<typeof importedGroup> | undefined): Group {
  if (details !== undefined && call.behaviour.importDetails === 'create' && !call.app.hasGroup(guid)) {
    importGroup(call, { ...details, guid });
  }
  return requireGroup(call, guid);
}

/** The user, whom the details of a member may make. */
function userOf(call: Call, uid: string, details: z.infer<typeof importedUser> | undefined): User {
  if (details !== undefined && call.behaviour.importDetails === 'create' && call.app.anyUser(uid) === undefined) {
    importUser(call, { ...details, uid });
  }
  return requireUser(call, uid);
}

function invalidId(kind: string, id: string): Refusal {
  return badRequest({ [kind]: [`A ${kind} has up to 100 letters, digits, "-" and "_", got ${JSON.stringify(id)}.`] });
}

function milliseconds(time: number | undefined): number | undefined {
  return time === undefined ? undefined : time * 1000;
}
