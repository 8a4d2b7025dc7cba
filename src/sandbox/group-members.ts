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
  type Operations,
  obstacleError,
  Refusal,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  uidNotFound,
} from './call.ts';
import { type Edit, refusedAddition, requireClearanceOver } from './clearance.ts';
import type { Group, MemberPlace } from './sandbox-app.ts';

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
    const requested = readMemberLists(
      readBody(call, strict ? addMembersRequest : addMembersRequest.strip()),
      behaviour,
    );
    if (requested.lists.length === 0 && behaviour.emptyRequest === 'refuse') {
      throw badRequest({ body: [`At least one of ${MEMBER_LISTS.join(', ')} must be given.`] });
    }
    const group = requireGroup(call);
    const taken = requested.taken.map((one) => ({ ...one, refused: refusedAddition(call, group, one.list, one.uid) }));
    // The second says something of the acting user and not of one who is added.
    const ofAll = taken.find(
      ({ refused }) =>
        refused && (behaviour.clearance === 'refuse-call' || refused.error.code === 'ERR_GROUP_NOT_JOINED'),
    );
    if (ofAll?.refused !== undefined) throw ofAll.refused;
    requireRoom(taken, group, behaviour);
    return placeMembers(call, group, { ...requested, taken });
  },
  'PUT groups/{guid}/members/{uid}': (call) => edit(call, 'scope', readBody(call, changeScopeRequest).scope),
  'DELETE groups/{guid}/members/{uid}': (call) => edit(call, 'remove'),
  'POST groups/{guid}/bannedusers/{uid}': (call) => edit(call, 'ban'),
  /** The user is then not a member, and can be added again. */
  'DELETE groups/{guid}/bannedusers/{uid}': (call) => edit(call, 'unban'),
};

/** Adds and bans one after another, and returns the lists of the reply: an entry for each UID, in the order of the request. */
export function placeMembers(call: Call, group: Group, { lists, taken }: RequestedMembers) {
  const { behaviour, now } = call;
  const places = new Map<Scope, MemberPlace>(
    MEMBER_SCOPES.map((scope) => [scope, { scope, banned: false, joinedAt: now }]),
  );
  function carryOut({ list, uid, refused }: RequestedMember) {
    if (refused !== undefined) return refusedMember(refused.error, behaviour);
    const user = activeUser(call, uid);
    if (user === undefined) return refusedMember(uidNotFound(uid), behaviour);
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

/** The additions that a request asks for. */
interface RequestedMembers {
  readonly lists: readonly MemberList[];
  readonly taken: readonly RequestedMember[];
}

/** The lists of the request, and its UIDs, each once: if a UID is named several times, the highest scope counts. */
export function readMemberLists(
  request: z.infer<typeof addMembersRequest>,
  { maxUidsPerCall, tooManyUids }: Behaviour,
) {
  const lists = MEMBER_LISTS.filter((list) => request[list] !== undefined);
  let requested = lists.flatMap((list) => (request[list] ?? []).map((uid) => ({ list, uid })));
  if (requested.length > maxUidsPerCall) {
    const text = `At most ${maxUidsPerCall} UIDs can be sent over all lists together, got ${requested.length}.`;
    if (tooManyUids === 'refuse') throw badRequest(Object.fromEntries(lists.map((list) => [list, [text]])));
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
