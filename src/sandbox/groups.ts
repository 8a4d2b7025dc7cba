import { z } from 'zod';
import { addMembersRequest } from '../chat/contract.ts';
import {
  actingUser,
  badRequest,
  type Call,
  groupEntity,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  userEntity,
} from './call.ts';
import { actingScope, requireGroupScope } from './clearance.ts';
import { placeMembers, readMemberLists } from './group-members.ts';
import { isOn, pageOf, refuseQuery, searching, sorted, valuesOf } from './query.ts';
import { type Group, type MemberPlace, SYSTEM_USER, storedId } from './sandbox-app.ts';

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
const newGroup = z.looseObject({ guid: z.string(), ...groupProfile });
const createGroupRequest = newGroup.extend({ members: addMembersRequest.strip().optional() });
const updateGroupRequest = z.looseObject({ ...groupProfile, name: groupProfile.name.optional() });

/**
 * POST /groups: a group of the named owner, else of the acting user, else of the system user. Owner and acting user are admins
 * of it. Problems with members of the body do not prevent the group from being made: they are reported per UID.
 */
export function createGroup(call: Call): object {
  const { behaviour, now } = call;
  const { members, ...request } = readBody(call, createGroupRequest);
  if (request.type === undefined && behaviour.groupType === 'required') {
    throw badRequest({ type: ['The type is required.'] });
  }
  if (members !== undefined && behaviour.membersOfNewGroup === 'refuse') {
    throw badRequest({ members: ['Members are added with POST /groups/{guid}/members.'] });
  }
  const requested = readMemberLists(members ?? {}, behaviour);
  const actor = actingUser(call);
  const group = makeGroup(call, { owner: call.onBehalfOf || undefined, ...request }, now);
  for (const uid of new Set([group.profile.owner, actor.uid])) {
    if (uid !== SYSTEM_USER.uid) {
      group.add(uid, { scope: 'admin', banned: false, joinedAt: now }, { maxMembers: 2, liftBan: false });
    }
  }
  const isWithMembers = behaviour.membersOfNewGroup !== 'ignore' && requested.taken.length > 0;
  const placed = isWithMembers ? placeMembers(call, group, requested) : undefined;
  const data = { ...groupEntity(group), ...(actor !== SYSTEM_USER && ownPlace(group, actor.uid)) };
  if (placed === undefined || behaviour.membersOfNewGroup === 'add-silently') return { data };
  return new Map([['data', new Map<string, unknown>([...Object.entries(data), ['members', placed]])]]);
}

/** A group of its own that a body describes. */
export function makeGroup(call: Call, { guid, ...request }: z.infer<typeof newGroup>, createdAt: number): Group {
  const { app, behaviour } = call;
  const stored = storedId(guid);
  if (stored === undefined) throw badRequest({ guid: ['A GUID has up to 100 letters, digits, "-" and "_".'] });
  if (app.groups.get(stored) !== undefined) {
    const message = `The group with GUID ${stored} already exists.`;
    throw refusal(behaviour.duplicateStatus, 'ERR_GUID_ALREADY_EXISTS', message);
  }
  requirePassword(request.type, request.password);
  app.groups.add(stored, { ...profileIn(call, request), createdAt });
  return requireGroup(call, stored);
}

function requirePassword(type: string | undefined, password: string | undefined): void {
  if (type !== 'password' || password) return;
  throw refusal(400, 'ERR_EMPTY_GROUP_PASS', 'A group of the type password needs a password.');
}

/** PUT /groups/{guid}: changes the fields of the body; an acting user changes no owner. */
export function updateGroup(call: Call): object {
  const group = requireGroup(call);
  requireGroupScope(call, group, 'moderator');
  const request = readBody(call, updateGroupRequest);
  if (actingUser(call) !== SYSTEM_USER) delete request.owner;
  if (request.type !== group.profile.type) requirePassword(request.type, request.password);
  group.change(profileIn(call, request), call.now);
  return { data: groupEntity(group) };
}

/** The fields of a body that are kept. */
function profileIn(call: Call, body: z.infer<typeof updateGroupRequest>) {
  const { name, type, description, icon, tags, metadata, owner } = body;
  return { name, type, description, icon, tags, metadata, owner: owner && requireUser(call, owner).uid };
}

/** DELETE /groups/{guid}. */
export function deleteGroup(call: Call): object {
  const group = requireGroup(call);
  requireGroupScope(call, group, 'admin');
  const { guid } = group.profile;
  call.app.groups.all.delete(guid);
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
  const found = [...call.app.groups.all.values()].filter((group) => {
    const { guid, name, type, tags } = group.profile;
    const isOfActor = !hasJoined || group.memberScope(actor.uid) !== undefined;
    return (types === undefined || types.includes(type)) && isFound(guid, name, tags) && isOfActor;
  });
  return pageOf(call, sorted(call, found, SORTING), (group) => ({
    ...groupEntity(group),
    ...(hasJoined && { hasJoined, scope: group.memberScope(actor.uid) }),
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
  const { readDelayMs } = call.behaviour;
  const membersCount =
    readDelayMs === 0 ? group.membersCount : listed(call, group).filter(([, { banned }]) => !banned).length;
  return { data: { ...groupEntity(group), membersCount, ...ownPlace(group, actingUser(call).uid) } };
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
  return pageOf(call, wanted, ([uid, { scope, joinedAt }]) => ({
    ...userEntity(call.app.users.get(uid) ?? SYSTEM_USER),
    scope,
    joinedAt: seconds(joinedAt),
  }));
}

/** GET /groups/{guid}/bannedusers: by page. */
export function listBanned(call: Call): object {
  const group = requireGroup(call);
  actingScope(call, actingUser(call), group);
  const banned = [...group.places].filter(([, place]) => place.banned);
  return pageOf(call, banned, ([uid, { scope, joinedAt, bannedAt = joinedAt }]) => ({
    ...userEntity(call.app.users.get(uid) ?? SYSTEM_USER),
    scope,
    bannedAt: seconds(bannedAt),
  }));
}

/** The users that lists show at this moment. */
function listed({ behaviour, now }: Call, group: Group): (readonly [string, MemberPlace])[] {
  return [...group.places].filter(
    ([, place]) => now - place.joinedAt >= behaviour.readDelayMs && (behaviour.listBanned || !place.banned),
  );
}
