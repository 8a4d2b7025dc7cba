import { z } from 'zod';
import { addMembersRequest } from '../chat/contract.ts';
import { actingScope, requireGroupScope } from './clearance.ts';
import { groupEntity, SYSTEM_USER, seconds, userEntity } from './entities.ts';
import type { Group, MemberPlace } from './group.ts';
import { placeMembers, readMemberLists, writtenObject } from './group-members.ts';
import { isOn, pageOf, refuseQuery, searching, sorted, valuesOf } from './query.ts';
import { badRequest, Refusal, serviceError } from './refusal.ts';
import { storedId } from './sandbox-app.ts';
import { actingUser, type Call, readBody, requireGroup, requireUser, WrittenReply } from './sandbox-call.ts';

/** Operations on groups, except adding members (docs/chat-service.md, 62 to 67); shapes from public documentation, not contract. */

export const groupProfile = {
  name: z.string().min(1).max(100),
  type: z.enum(['public', 'private', 'password']).optional(),
  password: z.string().max(100).optional(),
  description: z.string().max(255).optional(),
  icon: z.string().max(3000).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string().max(100)).max(25).optional(),
  owner: z.string().optional(),
};
const createGroupRequest = z.looseObject({
  guid: z.string(),
  ...groupProfile,
  members: addMembersRequest.strip().optional(),
});
const updateGroupRequest = z.looseObject({ ...groupProfile, name: groupProfile.name.optional() });

/**
 * POST /groups: a group of the named owner, else of the acting user, else of the system user. Owner and acting user are admins
 * of it. Problems with members of the body do not prevent the group from being made: they are reported per UID.
 */
export function createGroup(call: Call): object | WrittenReply {
  const { behaviour, app, now } = call;
  const request = readBody(call, createGroupRequest);
  const { name, type, password, description = '', icon, tags = [], metadata, owner, members } = request;
  const stored = storedId(request.guid);
  if (stored === undefined) throw badRequest({ guid: ['A GUID has up to 100 letters, digits, "-" and "_".'] });
  if (type === undefined && behaviour.groupType === 'required') throw badRequest({ type: ['The type is required.'] });
  if (members !== undefined && behaviour.membersOfNewGroup === 'refuse') {
    throw badRequest({ members: ['Members are added with POST /groups/{guid}/members.'] });
  }
  const requested = readMemberLists(members ?? {}, behaviour);
  refuseTakenGuid(call, stored);
  requirePassword(type, password);
  const actor = actingUser(call);
  const ownedBy = owner === undefined ? actor.uid : requireUser(call, owner).uid;
  app.addGroup(stored, {
    name,
    type: type ?? 'public',
    description,
    tags,
    createdAt: now,
    ...(icon !== undefined && { icon }),
    ...(metadata !== undefined && { metadata }),
    owner: ownedBy,
  });
  const group = requireGroup(call, stored);
  for (const uid of new Set([ownedBy, actor.uid])) {
    if (uid !== SYSTEM_USER.uid) {
      group.add(uid, { scope: 'admin', banned: false, joinedAt: now }, { maxMembers: 2, liftBan: false });
    }
  }
  const isWithMembers = behaviour.membersOfNewGroup !== 'ignore' && requested.taken.length > 0;
  const placed = isWithMembers ? placeMembers(call, group, requested) : '';
  const data = { ...groupEntity(group), ...(actor !== SYSTEM_USER && ownPlace(group, actor.uid)) };
  if (placed === '' || behaviour.membersOfNewGroup === 'add-silently') return { data };
  const fields = Object.entries(data).map(([field, value]) => [field, JSON.stringify(value)] as const);
  return new WrittenReply(writtenObject([['data', writtenObject([...fields, ['members', placed]])]]));
}

export function refuseTakenGuid({ app, behaviour }: Call, guid: string): void {
  if (!app.hasGroup(guid)) return;
  throw new Refusal(
    behaviour.duplicateStatus,
    serviceError('ERR_GUID_ALREADY_EXISTS', `The group with GUID ${guid} already exists.`),
  );
}

export function requirePassword(type: string | undefined, password: string | undefined): void {
  if (type !== 'password' || password) return;
  throw new Refusal(400, serviceError('ERR_EMPTY_GROUP_PASS', 'A group of the type password needs a password.'));
}

/** PUT /groups/{guid}: changes the fields of the body; an acting user changes no owner. */
export function updateGroup(call: Call): object {
  const group = requireGroup(call);
  requireGroupScope(call, group, 'moderator');
  const { owner: named, ...fields } = readBody(call, updateGroupRequest);
  const owner = actingUser(call) === SYSTEM_USER ? named : undefined;
  if (fields.type !== group.profile.type) requirePassword(fields.type, fields.password);
  group.change(groupProfileIn(call, { ...fields, owner }), call.now);
  return { data: groupEntity(group) };
}

/** The fields of a profile that a body has. */
export function groupProfileIn(
  call: Call,
  { name, type, description, icon, tags, metadata, owner }: Partial<z.infer<typeof updateGroupRequest>>,
): Partial<Omit<Group['profile'], 'guid'>> {
  const given = { name, type, description, icon, tags, metadata, owner: owner && requireUser(call, owner).uid };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** DELETE /groups/{guid}. */
export function deleteGroup(call: Call): object {
  const group = requireGroup(call);
  requireGroupScope(call, group, 'admin');
  const { guid } = group.profile;
  call.app.deleteGroup(guid);
  return { data: { success: true, message: `The group with GUID ${guid} was deleted.` } };
}

/**
 * GET /groups: by page, filtered by `searchKey` (start of GUID or name), `tags`, and `type` or `types` (comma list); with
 * `hasJoined=true`, those of the acting user.
 */
export function listGroups(call: Call): object {
  refuseQuery(call, ['affix', 'updatedAt', 'onlyDeactivated']);
  const types = valuesOf(call, 'types') ?? valuesOf(call, 'type');
  const isFound = searching(call, 'guid');
  const hasJoined = isOn(call, 'hasJoined');
  if (hasJoined && call.onBehalfOf === '') throw badRequest({ hasJoined: ['hasJoined needs the header onBehalfOf.'] });
  const actor = hasJoined ? actingUser(call) : SYSTEM_USER;
  const ofActor = (group: Group) => actor === SYSTEM_USER || group.memberScope(actor.uid) !== undefined;
  const found = [...call.app.groups.values()].filter((group) => {
    const { guid, name, type, tags } = group.profile;
    return (types === undefined || types.includes(type)) && isFound(guid, name, tags) && ofActor(group);
  });
  return pageOf(call, sorted(call, found, SORTING), (group) => ({
    ...groupEntity(group),
    ...(actor !== SYSTEM_USER && { hasJoined: true, scope: group.memberScope(actor.uid) }),
  }));
}

const SORTING = {
  guid: ({ profile: { guid } }: Group) => guid,
  name: ({ profile: { name } }: Group) => name.toLowerCase(),
  createdAt: ({ profile: { createdAt } }: Group) => createdAt,
  updatedAt: ({ profile: { createdAt }, updatedAt }: Group) => updatedAt ?? createdAt,
  membersCount: ({ membersCount }: Group) => membersCount,
};

/** GET /groups/{guid}, from the acting user's point of view where one is named. */
export function getGroup(call: Call): object {
  const group = requireGroup(call);
  const actor = actingUser(call);
  const { readDelayMs } = call.behaviour;
  const count = readDelayMs === 0 ? group.membersCount : listed(call, group).filter(([, { banned }]) => !banned).length;
  return { data: { ...groupEntity(group, count), ...ownPlace(group, actor.uid) } };
}

/** The fields of a group that say whether the acting user is a member. */
function ownPlace(group: Group, uid: string): object {
  const scope = group.memberScope(uid);
  if (scope === undefined) return { hasJoined: false };
  return { hasJoined: true, scope, joinedAt: seconds(group.places.get(uid)?.joinedAt ?? 0) };
}

/** GET /groups/{guid}/members: by page, filtered by `scopes` (comma list) and `status`; in the order of joining. */
export function listMembers(call: Call): object {
  const group = requireGroup(call);
  actingScope(call, actingUser(call), group);
  const scopes = call.query.get('scopes')?.split(',');
  // No user connects to the sandbox, so every user is offline.
  const places = call.query.get('status') === 'available' ? [] : listed(call, group);
  const wanted = scopes === undefined ? places : places.filter(([, place]) => scopes.includes(place.scope));
  return pageOf(call, wanted, ([uid, place]) => ({
    ...userEntity(call.app.anyUser(uid) ?? SYSTEM_USER),
    scope: place.scope,
    joinedAt: seconds(place.joinedAt),
  }));
}

/** GET /groups/{guid}/bannedusers: by page. */
export function listBanned(call: Call): object {
  const group = requireGroup(call);
  actingScope(call, actingUser(call), group);
  const banned = [...group.places].filter(([, place]) => place.banned);
  return pageOf(call, banned, ([uid, place]) => ({
    ...userEntity(call.app.anyUser(uid) ?? SYSTEM_USER),
    scope: place.scope,
    bannedAt: seconds(place.bannedAt ?? place.joinedAt),
  }));
}

/** The users that lists show at this moment. */
function listed({ behaviour, now }: Call, group: Group): (readonly [string, MemberPlace])[] {
  return [...group.places].filter(
    ([, place]) => now - place.joinedAt >= behaviour.readDelayMs && (behaviour.listBanned || !place.banned),
  );
}
