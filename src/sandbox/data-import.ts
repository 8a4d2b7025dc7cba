import { z } from 'zod';
import {
  badRequest,
  type Call,
  eachPart,
  type Operations,
  obstacleError,
  Refusal,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
} from './call.ts';
import { groupProfile, makeGroup } from './groups.ts';
import { userProfile } from './sandbox-app.ts';
import { makeUser } from './users.ts';

const MAX_ENTITIES = 50;

/** Seconds since 1970, read as milliseconds; the documentation shows them as numbers and as texts. */
const time = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]).transform((at) => at * 1000);

const importedUser = userProfile.extend({ uid: z.string(), createdAt: time.optional() });
const importedGroup = groupProfile.extend({ guid: z.string(), createdAt: time.optional() });
const importedMember = z.object({
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

/** Bulk import of users, groups and members, of any groups (docs/chat-service.md, 72 to 78): public documentation, not contract. */
export const importOperations: Operations = {
  'POST data_import/users': (call) => importEach(call, 'user', 'uid', importedUser, importUser),
  'POST data_import/groups': (call) => importEach(call, 'group', 'guid', importedGroup, importGroup),
  'POST data_import/members': (call) => importEach(call, 'member', 'memberId', importedMember, importMember),
};

/** Carries out the entities of a body one after another, and reports each under its key. */
function importEach<Id extends string, Entity extends Readonly<Record<Id, string>>>(
  call: Call,
  kind: string,
  id: Id,
  schema: z.ZodType<Entity>,
  carryOut: (call: Call, entity: Entity) => object,
) {
  const name = `${kind}s`;
  const body = readBody(call, z.looseObject({ [name]: z.record(z.string(), z.unknown()) }));
  const entities = Object.entries(body[name] ?? {});
  if (entities.length > MAX_ENTITIES) {
    throw badRequest(`At most ${MAX_ENTITIES} can be imported in one call, got ${entities.length}.`, name);
  }
  function importOne(key: string, written: unknown) {
    const entity = schema.safeParse(written);
    if (!entity.success || entity.data[id] !== key) {
      const why = entity.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ');
      const what = `The entity ${key} is invalid: ${why ?? 'its id is not its key'}.`;
      throw refusal(400, `ERR_IMPORT_INVALID_${kind.toUpperCase()}_FORMAT`, what);
    }
    return carryOut(call, entity.data);
  }
  const results = eachPart(
    call,
    entities,
    ([key, entity]) => [key, result(call, () => importOne(key, entity))] as const,
  );
  const data = new Map(results);
  return call.behaviour.importReply === 'twice' ? new Map([['data', data]]) : data;
}

/** The result of one entity; or the end of the whole call, after those before were carried out. */
function result({ behaviour }: Call, carryOut: () => object) {
  try {
    return { success: true, data: carryOut() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (behaviour.importFailure === 'per-key' || REPEATED.has(error.error.code ?? '')) {
      return { success: false, error: error.error };
    }
    throw refusal(500, 'ERR_EXCEPTION', 'Something went wrong.');
  }
}

function importUser(call: Call, { createdAt = call.now, ...user }: z.infer<typeof importedUser>) {
  const { uid, name } = makeUser(call, user, createdAt);
  return { uid, name };
}

function importGroup(call: Call, { createdAt = call.now, ...group }: z.infer<typeof importedGroup>) {
  const { guid, name, type } = makeGroup(call, group, createdAt).profile;
  return { guid, name, type };
}

function importMember(call: Call, member: z.infer<typeof importedMember>) {
  const { guid, uid, scope, isBanned, joinedAt = call.now, userDetails, groupDetails } = member;
  const { app, behaviour, now } = call;
  // The details of a member may make its group and user.
  const isCreating = behaviour.importDetails === 'create';
  if (groupDetails && isCreating && app.groups.get(guid) === undefined) importGroup(call, { ...groupDetails, guid });
  const group = requireGroup(call, guid);
  if (userDetails && isCreating && app.users.get(uid) === undefined) importUser(call, { ...userDetails, uid });
  const user = requireUser(call, uid);
  if (joinedAt < group.profile.createdAt || joinedAt > now) {
    const message = `joinedAt of ${member.memberId} must be after the group's createdAt and before now.`;
    throw refusal(400, 'ERR_IMPORT_INVALID_JOINEDAT', message);
  }
  const obstacle = isBanned
    ? group.ban(user.uid, joinedAt)
    : group.add(user.uid, { scope, banned: false, joinedAt }, behaviour);
  if (obstacle !== undefined) throw new Refusal(400, obstacleError(obstacle, user.uid, group.profile.guid));
  if (behaviour.importMessages === 'written') app.nextMessageId();
  return { guid: group.profile.guid, uid: user.uid, scope, joinedAt: seconds(joinedAt) };
}
