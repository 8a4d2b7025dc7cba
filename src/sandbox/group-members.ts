import { z } from 'zod';
import { addMembersRequest, type MemberResult, type ServiceError } from '../chat/contract.ts';
import { MEMBER_LISTS, type MemberList, SCOPE_OF_LIST } from '../chat/service/lists.ts';
import type { Behaviour } from './behaviour.ts';
import {
  type ActionWord,
  actingUser,
  actionMessage,
  activeUser,
  badRequest,
  type Call,
  obstacleError,
  Refusal,
  readBody,
  refusal,
  requireGroup,
  requireUser,
  seconds,
  uidNotFound,
} from './call.ts';
import { type MemberEdit, refusedAddition, requireClearanceOver } from './clearance.ts';
import type { Group, Obstacle, User } from './sandbox-app.ts';

/** One UID under the one list that counts for it. */
interface RequestedMember {
  readonly list: MemberList;
  readonly uid: string;
}

/**
 * POST /groups/{guid}/members (docs/chat-service.md, 15 to 27): adds and bans users one after another, lists in
 * the documented order, and reports the result per UID. The reply is 200 even when every single UID was refused.
 */
export function addMembers(call: Call): object {
  const { behaviour } = call;
  const strict = behaviour.unknownFields === 'refuse';
  const requested = readMemberLists(readBody(call, strict ? addMembersRequest : addMembersRequest.strip()), behaviour);
  if (requested.lists.length === 0 && behaviour.emptyRequest === 'refuse') {
    throw badRequest({ body: [`At least one of ${MEMBER_LISTS.join(', ')} must be given.`] });
  }
  const group = requireGroup(call);
  const refusals = requested.taken.map(({ list, uid }) => refusedAddition(call, group, list, uid));
  // The second says something of the acting user and not of one who is added.
  const ofAll = refusals.find(
    (one) => one && (behaviour.clearance === 'refuse-call' || one.error.code === 'ERR_GROUP_NOT_JOINED'),
  );
  if (ofAll !== undefined) throw ofAll;
  requireRoom(requested.taken, group, behaviour);
  return new Map([['data', placeMembers(call, group, requested, refusals)]]);
}

/**
 * Adds and bans one after another, and returns the lists of the reply: an entry for each UID, in the order of the request.
 * @param refusals why the acting user may not do it, in the order of `requested`
 */
export function placeMembers(
  call: Call,
  group: Group,
  { lists, taken }: RequestedMembers,
  refusals: readonly (Refusal | undefined)[] = [],
): Map<string, object> {
  const { behaviour, now } = call;
  const rules = additionRules(behaviour);
  const places = {
    admin: { scope: 'admin', banned: false, joinedAt: now },
    moderator: { scope: 'moderator', banned: false, joinedAt: now },
    participant: { scope: 'participant', banned: false, joinedAt: now },
  } as const;
  function carryOut({ list, uid }: RequestedMember, refused: Refusal | undefined): MemberResult {
    if (refused !== undefined) return refusedMember(refused.error, behaviour);
    const user = activeUser(call, uid);
    if (user === undefined) return refusedMember(uidNotFound(uid), behaviour);
    const scope = SCOPE_OF_LIST[list];
    const obstacle = scope === 'ban' ? group.ban(user.uid, now) : group.add(user.uid, places[scope], rules);
    if (obstacle !== undefined) return refusedMember(obstacleError(obstacle, user.uid, group.profile.guid), behaviour);
    if (scope === 'ban') return { success: true };
    const action = user.uid === call.onBehalfOf.toLowerCase() ? 'joined' : 'added';
    return { success: true, data: actionMessage(call, group, action, user) };
  }

  const carriedOut = call.fault === 'reset-midway' ? taken.slice(0, taken.length >> 1) : taken;
  const results = carriedOut.map((one, index) => ({ ...one, result: carryOut(one, refusals[index]) }));
  if (call.fault === 'omit-uid') results.pop();
  const replied = new Map<string, object>();
  for (const list of behaviour.replyLists === 'all' ? MEMBER_LISTS : lists) {
    const entries = results
      .filter((one) => one.list === list)
      .map(({ uid, result }) => [behaviour.replyUids === 'lowercase' ? uid.toLowerCase() : uid, result] as const);
    replied.set(list, entries.length === 0 && behaviour.emptyList === 'array' ? [] : new Map(entries));
  }
  return replied;
}

/** The rules by which users are added to a group. */
export function additionRules({ maxGroupMembers, addingBanned }: Behaviour) {
  return { maxMembers: maxGroupMembers, liftBan: addingBanned === 'lift-ban' };
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
): RequestedMembers {
  const lists = MEMBER_LISTS.filter((list) => request[list] !== undefined);
  let requested = lists.flatMap((list) => (request[list] ?? []).map((uid): RequestedMember => ({ list, uid })));
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

function requireRoom(
  requested: readonly RequestedMember[],
  group: Group,
  { fullGroup, maxGroupMembers }: Behaviour,
): void {
  if (fullGroup === 'per-uid') return;
  const isNew = ({ list, uid }: RequestedMember) =>
    list !== 'usersToBan' && group.memberScope(uid.toLowerCase()) === undefined;
  const additions = requested.filter(isNew).length;
  if (additions === 0 || group.membersCount + additions <= maxGroupMembers) return;
  const message = `The group with GUID ${group.profile.guid} can have ${maxGroupMembers} members in this plan.`;
  throw refusal(403, 'ERR_PLAN_QUOTA_RESTRICTION', message);
}

function refusedMember(error: ServiceError, { failureEntry }: Behaviour): MemberResult {
  if (failureEntry === 'without-success') return { error };
  const { code: _, ...withoutCode } = error;
  return { success: false, error: failureEntry === 'without-code' ? withoutCode : error };
}

/** Operations that change the place of one user in a group; shapes from public documentation, not contract. */
const changeScopeRequest = z.looseObject({ scope: z.enum(['admin', 'moderator', 'participant']) });

/** PUT /groups/{guid}/members/{uid}. */
export function changeScope(call: Call): object {
  const { scope } = readBody(call, changeScopeRequest);
  return edit(call, { what: 'scope', to: scope }, 'scopeChanged', (group, { uid }) =>
    group.changeScope(uid, scope, call.now),
  );
}

/** DELETE /groups/{guid}/members/{uid}. */
export function removeMember(call: Call): object {
  return edit(call, { what: 'remove' }, 'kicked', (group, { uid }) => group.remove(uid, call.now));
}

/** POST /groups/{guid}/bannedusers/{uid}. */
export function banMember(call: Call): object {
  return edit(call, { what: 'ban' }, 'banned', (group, { uid }) =>
    group.places.has(uid) || call.behaviour.banningStrangers === 'ban' ? group.ban(uid, call.now) : 'ERR_NOT_A_MEMBER',
  );
}

/** DELETE /groups/{guid}/bannedusers/{uid}: the user is then not a member, and can be added again. */
export function unbanMember(call: Call): object {
  return edit(call, { what: 'unban' }, 'unbanned', (group, { uid }) => group.unban(uid, call.now));
}

/** Guess, as all statuses of these refusals but that of ERR_NOT_A_MEMBER. */
const OBSTACLE_STATUS = 400;

function edit(
  call: Call,
  asked: Omit<MemberEdit, 'uid'>,
  action: ActionWord,
  change: (group: Group, user: User) => Obstacle | undefined,
): object {
  const group = requireGroup(call);
  const user = requireUser(call, call.params[1]);
  const { guid } = group.profile;
  const { uid } = user;
  requireClearanceOver(call, group, { ...asked, uid });
  const obstacle = change(group, user);
  if (obstacle !== undefined) {
    throw new Refusal(obstacle === 'ERR_NOT_A_MEMBER' ? 404 : OBSTACLE_STATUS, obstacleError(obstacle, uid, guid));
  }
  if (call.behaviour.editReply === 'action') {
    const word = action === 'kicked' && uid === actingUser(call).uid ? 'left' : action;
    return { data: actionMessage(call, group, word, user) };
  }
  if (asked.to !== undefined) {
    return { data: { guid, uid, scope: asked.to, joinedAt: seconds(group.places.get(uid)?.joinedAt ?? call.now) } };
  }
  const word = action === 'kicked' ? 'removed' : action;
  return { data: { success: true, message: `The user with UID ${uid} was ${word} from the group with GUID ${guid}.` } };
}
