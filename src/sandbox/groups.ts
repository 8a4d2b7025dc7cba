import { z } from 'zod';
import { addMembersRequest, type ServiceError } from '../chat/contract.ts';
import {
  MEMBER_LISTS,
  MEMBER_SCOPES,
  type MemberList,
  type MemberScope,
  SCOPE_OF_LIST,
  type Scope,
} from '../chat/service/lists.ts';
import type { Behaviour } from './behaviour.ts';
import {
  actingUser,
  actionMessage,
  activeUser,
  badRequest,
  type Call,
  eachPart,
  freeId,
  groupEntity,
  type Operations,
  obstacleError,
  Refusal,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  userEntity,
} from './call.ts';
import { actingScope, type Edit, refusedAddition, requireClearanceOver, requireGroupScope } from './clearance.ts';
import { isOn, pageOf, refuseQuery, searching, sorted, valuesOf } from './query.ts';
import { type Group, type MemberPlace, SYSTEM_USER } from './sandbox-app.ts';

export const groupProfile = z.object({
  name: z.string().min(1).max(100),
  type: z.enum(['public', 'private', 'password']).optional(),
  password: z.string().max(100).optional(),
  description: z.string().max(255).optional(),
  icon: z.string().max(3000).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string().max(100)).max(25).optional(),
  owner: z.string().optional(),
});
const newGroup = groupProfile.extend({ guid: z.string() });
const createGroupRequest = newGroup.extend({ members: addMembersRequest.strip().optional() });
const updateGroupRequest = groupProfile.partial();

/** Operations on groups, except changing members (docs/chat-service.md, 62 to 67); shapes from public documentation, not contract. */
export const groupOperations: Operations = {
  /**
   * A group of the named owner, else of the acting user, else of the system user. Owner and acting user are admins of it.
   * Problems with members of the body do not prevent the group from being made: they are reported per UID.
   */
  'POST groups': (call) => {
    const { behaviour, now } = call;
    const { members, ...request } = readBody(call, createGroupRequest);
    if (request.type === undefined && behaviour.groupType === 'required') {
      throw badRequest('The type is required.', 'type');
    }
    if (members !== undefined && behaviour.membersOfNewGroup === 'refuse') {
      throw badRequest('Members are added with POST /groups/{guid}/members.', 'members');
    }
    const requested = readMemberLists(members ?? {}, behaviour);
    const actor = actingUser(call);
    const group = makeGroup(call, { owner: call.onBehalfOf || undefined, ...request }, now);
    for (const uid of new Set([group.profile.owner, actor.uid])) {
      if (uid !== SYSTEM_USER.uid) group.add(uid, { scope: 'admin', banned: false, joinedAt: now });
    }
    const isWithMembers = behaviour.membersOfNewGroup !== 'ignore' && requested.taken.length > 0;
    const placed = isWithMembers && placeMembers(call, group, requested.lists, requested.taken);
    const data = { ...groupEntity(group), ...(actor !== SYSTEM_USER && ownPlace(group, actor.uid)) };
    if (!placed || behaviour.membersOfNewGroup === 'add-silently') return data;
    return new Map<string, unknown>([...Object.entries(data), ['members', placed]]);
  },
  /** Changes the fields of the body; an acting user changes no owner. */
  'PUT groups/{guid}': (call) => {
    const group = requireGroup(call);
    requireGroupScope(call, group, 'moderator');
    const request = readBody(call, updateGroupRequest);
    if (actingUser(call) !== SYSTEM_USER) delete request.owner;
    if (request.type !== group.profile.type) requirePassword(request);
    group.change(profileIn(call, request), call.now);
    return groupEntity(group);
  },
  'DELETE groups/{guid}': (call) => {
    const group = requireGroup(call);
    requireGroupScope(call, group, 'admin');
    const { guid } = group.profile;
    call.app.groups.all.delete(guid);
    return { success: true, message: `The group with GUID ${guid} was deleted.` };
  },
  /**
   * By page, filtered by `searchKey` (start of GUID or name), `tags`, and `type` or `types` (comma list); with
   * `hasJoined=true`, those of the acting user.
   */
  'GET groups': (call) => {
    refuseQuery(call, ['affix', 'updatedAt', 'onlyDeactivated']);
    const types = valuesOf(call, 'types') ?? valuesOf(call, 'type');
    const isFound = searching(call, 'guid');
    const hasJoined = isOn(call, 'hasJoined');
    if (hasJoined && call.onBehalfOf === '') throw badRequest('hasJoined needs the header onBehalfOf.', 'hasJoined');
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
  },
  /** From the acting user's point of view where one is named. */
  'GET groups/{guid}': (call) => {
    const group = requireGroup(call);
    const { readDelayMs } = call.behaviour;
    const membersCount =
      readDelayMs === 0 ? group.membersCount : listed(call, group).filter(([, { banned }]) => !banned).length;
    return { ...groupEntity(group), membersCount, ...ownPlace(group, actingUser(call).uid) };
  },
  /** By page, filtered by `scopes` (comma list) and `status`; in the order of joining. */
  'GET groups/{guid}/members': (call) => {
    const group = visibleGroup(call);
    const scopes = call.query.get('scopes')?.split(',');
    // No user connects to the sandbox, so every user is offline.
    const places = call.query.get('status') === 'available' ? [] : listed(call, group);
    const wanted = scopes === undefined ? places : places.filter(([, place]) => scopes.includes(place.scope));
    return pageOf(call, wanted, (entry) => placeEntity(call, entry, 'joinedAt'));
  },
  'GET groups/{guid}/bannedusers': (call) => {
    const banned = [...visibleGroup(call).places].filter(([, place]) => place.banned);
    return pageOf(call, banned, (entry) => placeEntity(call, entry, 'bannedAt'));
  },
};

export function makeGroup(call: Call, { guid, ...request }: z.infer<typeof newGroup>, createdAt: number) {
  const stored = freeId(call, 'group', guid);
  requirePassword(request);
  call.app.groups.add(stored, { ...profileIn(call, request), createdAt });
  return requireGroup(call, stored);
}

function requirePassword({ type, password }: z.infer<typeof updateGroupRequest>) {
  if (type !== 'password' || password) return;
  throw refusal(400, 'ERR_EMPTY_GROUP_PASS', 'A group of the type password needs a password.');
}

/** The fields of a body that are kept. */
function profileIn(call: Call, { password: _, owner, ...profile }: z.infer<typeof updateGroupRequest>) {
  return { ...profile, owner: owner && requireUser(call, owner).uid };
}

const SORTING = {
  guid: ({ profile: { guid } }: Group) => guid,
  name: ({ profile: { name } }: Group) => name.toLowerCase(),
  createdAt: ({ profile: { createdAt } }: Group) => createdAt,
  updatedAt: ({ profile: { createdAt }, updatedAt }: Group) => updatedAt ?? createdAt,
  membersCount: ({ membersCount }: Group) => membersCount,
};

/** The fields of a group that say whether the acting user is a member. */
function ownPlace(group: Group, uid: string) {
  const scope = group.memberScope(uid);
  if (scope === undefined) return { hasJoined: false };
  return { hasJoined: true, scope, joinedAt: seconds(group.places.get(uid)?.joinedAt ?? 0) };
}

/** The group whose lists the acting user may see. */
function visibleGroup(call: Call) {
  const group = requireGroup(call);
  actingScope(call, actingUser(call), group);
  return group;
}

/** A user in a list of a group, with the time of being there. */
function placeEntity({ app }: Call, [uid, place]: readonly [string, MemberPlace], since: 'joinedAt' | 'bannedAt') {
  const at = seconds(place[since] ?? place.joinedAt);
  return { ...userEntity(app.users.get(uid) ?? SYSTEM_USER), scope: place.scope, [since]: at };
}

/** The users that lists show at this moment. */
function listed({ behaviour, now }: Call, group: Group) {
  return [...group.places].filter(
    ([, place]) => now - place.joinedAt >= behaviour.readDelayMs && (behaviour.listBanned || !place.banned),
  );
}

/** One UID under the one list that counts for it. */
interface RequestedMember {
  readonly list: MemberList;
  readonly uid: string;
  /** The reason why the acting user may not do it. */
  readonly refused?: Refusal | undefined;
}

const changeScopeRequest = z.object({ scope: z.enum(['admin', 'moderator', 'participant']) });

/** Operations on the members of a group; all but adding from public documentation, not contract. */
export const memberOperations: Operations = {
  /**
   * Adds and bans users one after another, lists in the documented order, and reports the result per UID
   * (docs/chat-service.md, 15 to 27). The reply is 200 even when every single UID was refused.
   */
  'POST groups/{guid}/members': (call) => {
    const { behaviour } = call;
    const strict = behaviour.unknownFields === 'refuse';
    const request = readBody(call, strict ? addMembersRequest : addMembersRequest.strip());
    const { lists, taken } = readMemberLists(request, behaviour);
    if (lists.length === 0 && behaviour.emptyRequest === 'refuse') {
      throw badRequest(`At least one of ${MEMBER_LISTS.join(', ')} must be given.`, 'body');
    }
    const group = requireGroup(call);
    const judged = taken.map((one) => ({ ...one, refused: refusedAddition(call, group, one.list, one.uid) }));
    for (const { refused } of judged) {
      // The second says something of the acting user and not of one who is added.
      const isOfAll = behaviour.clearance === 'refuse-call' || refused?.error.code === 'ERR_GROUP_NOT_JOINED';
      if (refused && isOfAll) throw refused;
    }
    requireRoom(judged, group, behaviour);
    return placeMembers(call, group, lists, judged);
  },
  'PUT groups/{guid}/members/{uid}': (call) => edit(call, 'scope', readBody(call, changeScopeRequest).scope),
  'DELETE groups/{guid}/members/{uid}': (call) => edit(call, 'remove'),
  'POST groups/{guid}/bannedusers/{uid}': (call) => edit(call, 'ban'),
  /** The user is then not a member, and can be added again. */
  'DELETE groups/{guid}/bannedusers/{uid}': (call) => edit(call, 'unban'),
};

/** Adds and bans one after another, and returns the lists of the reply: an entry for each UID, in the order of the request. */
function placeMembers(call: Call, group: Group, lists: readonly MemberList[], taken: readonly RequestedMember[]) {
  const { behaviour, now } = call;
  const places = new Map<Scope, MemberPlace>(
    MEMBER_SCOPES.map((scope) => [scope, { scope, banned: false, joinedAt: now }]),
  );
  function carryOut({ list, uid, refused }: RequestedMember) {
    if (refused !== undefined) return refusedMember(refused.error, behaviour);
    const user = activeUser(call, uid);
    if (user === undefined) return refusedMember(obstacleError('ERR_UID_NOT_FOUND', uid), behaviour);
    const place = places.get(SCOPE_OF_LIST[list]);
    const obstacle = place === undefined ? group.ban(user.uid, now) : group.add(user.uid, place, behaviour);
    if (obstacle !== undefined) return refusedMember(obstacleError(obstacle, user.uid, group.profile.guid), behaviour);
    if (place === undefined) return { success: true };
    const action = user.uid === call.onBehalfOf.toLowerCase() ? 'joined' : 'added';
    return { success: true, data: actionMessage(call, group, action, user) };
  }

  const results = eachPart(call, taken, (one) => ({ ...one, result: carryOut(one) }));
  const replied = new Map<string, object>();
  for (const list of behaviour.replyLists === 'all' ? MEMBER_LISTS : lists) {
    const entries = results
      .filter((one) => one.list === list)
      .map(({ uid, result }) => [behaviour.replyUids === 'lowercase' ? uid.toLowerCase() : uid, result] as const);
    replied.set(list, entries.length === 0 && behaviour.emptyList === 'array' ? [] : new Map(entries));
  }
  return replied;
}

/** The lists of the request, and its UIDs, each once: if a UID is named several times, the highest scope counts. */
function readMemberLists(request: z.infer<typeof addMembersRequest>, { maxUidsPerCall, tooManyUids }: Behaviour) {
  const lists = MEMBER_LISTS.filter((list) => request[list] !== undefined);
  let requested = lists.flatMap((list) => (request[list] ?? []).map((uid) => ({ list, uid })));
  if (requested.length > maxUidsPerCall) {
    const text = `At most ${maxUidsPerCall} UIDs can be sent over all lists together, got ${requested.length}.`;
    if (tooManyUids === 'refuse') throw badRequest(text, ...lists);
    requested = requested.slice(0, maxUidsPerCall);
  }
  const seen = new Set<string>();
  const taken = requested.filter(({ uid }) => {
    const isFirst = !seen.has(uid.toLowerCase());
    seen.add(uid.toLowerCase());
    return isFirst;
  });
  return { lists, taken };
}

function requireRoom(requested: readonly RequestedMember[], group: Group, { fullGroup, maxGroupMembers }: Behaviour) {
  if (fullGroup === 'per-uid') return;
  const isNew = ({ list, uid }: RequestedMember) =>
    list !== 'usersToBan' && group.memberScope(uid.toLowerCase()) === undefined;
  const additions = requested.filter(isNew).length;
  if (additions === 0 || group.membersCount + additions <= maxGroupMembers) return;
  const message = `The group with GUID ${group.profile.guid} can have ${maxGroupMembers} members in this plan.`;
  throw refusal(403, 'ERR_PLAN_QUOTA_RESTRICTION', message);
}

function refusedMember(error: ServiceError, { failureEntry }: Behaviour) {
  if (failureEntry === 'without-success') return { error };
  const { code: _, ...withoutCode } = error;
  return { success: false, error: failureEntry === 'without-code' ? withoutCode : error };
}

/** Guess, as all statuses of these refusals but that of ERR_NOT_A_MEMBER. */
const OBSTACLE_STATUS = 400;

/** The action of the message about each edit. */
const ACTIONS = { scope: 'scopeChanged', remove: 'kicked', ban: 'banned', unban: 'unbanned' } as const;

/** @param to the new scope, where that is what changes */
function edit(call: Call, what: Edit, to: MemberScope = 'participant') {
  const { behaviour, now } = call;
  const group = requireGroup(call);
  const user = requireUser(call);
  const { guid } = group.profile;
  const { uid } = user;
  requireClearanceOver(call, group, user, what, to);
  const isRefused = what === 'ban' && behaviour.banningStrangers === 'refuse' && !group.places.has(uid);
  const change = () => (what === 'scope' ? group.changeScope(uid, to, now) : group[what](uid, now));
  const obstacle = isRefused ? 'ERR_NOT_A_MEMBER' : change();
  if (obstacle !== undefined) {
    throw new Refusal(obstacle === 'ERR_NOT_A_MEMBER' ? 404 : OBSTACLE_STATUS, obstacleError(obstacle, uid, guid));
  }
  const action = ACTIONS[what];
  if (behaviour.editReply === 'action') {
    return actionMessage(call, group, what === 'remove' && uid === actingUser(call).uid ? 'left' : action, user);
  }
  if (what === 'scope') {
    return { guid, uid, scope: to, joinedAt: seconds(group.places.get(uid)?.joinedAt ?? now) };
  }
  const word = what === 'remove' ? 'removed' : action;
  return { success: true, message: `The user with UID ${uid} was ${word} from the group with GUID ${guid}.` };
}
