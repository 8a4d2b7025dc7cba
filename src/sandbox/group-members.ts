import { z } from 'zod';
import { addMembersRequest, type MemberResult, type ServiceError } from '../chat/contract.ts';
import { MEMBER_LISTS, type MemberList } from '../chat/service/lists.ts';
import type { Behaviour } from './behaviour.ts';
import { type MemberEdit, refusedAddition, requireClearanceOver } from './clearance.ts';
import { type ActionWord, actionMessage, SYSTEM_USER, seconds } from './entities.ts';
import type { Group, Obstacle } from './group.ts';
import { badRequest, obstacleError, Refusal, serviceError, uidNotFound } from './refusal.ts';
import type { User } from './sandbox-app.ts';
import { actingUser, type Call, readBody, requireGroup, requireUser, WrittenReply } from './sandbox-call.ts';

/** One UID under the one list that counts for it. */
interface RequestedMember {
  readonly list: MemberList;
  readonly uid: string;
}

/**
 * POST /groups/{guid}/members (docs/chat-service.md, 15 to 27): adds and bans users one after another, lists in
 * the documented order, and reports the result per UID. The reply is 200 even when every single UID was refusedMember.
 */
export function addMembers(call: Call): WrittenReply {
  const { behaviour } = call;
  const strict = behaviour.unknownFields === 'refuse';
  const request = readBody(call, strict ? addMembersRequest : addMembersRequest.strip());
  const requested = readMemberLists(request, behaviour);
  if (requested.lists.length === 0 && behaviour.emptyRequest === 'refuse') {
    throw badRequest({ body: [`At least one of ${MEMBER_LISTS.join(', ')} must be given.`] });
  }
  const group = requireGroup(call);
  const refusals = requested.taken.map(({ list, uid }) => refusedAddition(call, group, list, uid));
  const ofAll = behaviour.clearance === 'refuse-call' ? refusals.find(isRefusal) : refusals.find(isOfActor);
  if (ofAll !== undefined) throw ofAll;
  requireRoom(requested.taken, group, behaviour);
  return new WrittenReply(writtenObject([['data', placeMembers(call, group, requested, refusals)]]));
}

function isRefusal(refusal: Refusal | undefined): refusal is Refusal {
  return refusal !== undefined;
}

/** Whether it says something of the acting user and not of one who is added. */
function isOfActor(refusal: Refusal | undefined): refusal is Refusal {
  return refusal?.error.code === 'ERR_GROUP_NOT_JOINED';
}

/**
 * Adds and bans one after another, and returns the lists of the reply as JSON: an entry for each UID.
 * @param refusals why the acting user may not do it, in the order of `requested`
 */
export function placeMembers(
  call: Call,
  group: Group,
  requested: RequestedMembers,
  refusals: readonly (Refusal | undefined)[] = [],
): string {
  const { app, behaviour, now } = call;
  const by = senderOf(call);
  const rules = { maxMembers: behaviour.maxGroupMembers, liftBan: behaviour.addingBanned === 'lift-ban' };
  const places = {
    admins: { scope: 'admin', banned: false, joinedAt: now },
    moderators: { scope: 'moderator', banned: false, joinedAt: now },
    participants: { scope: 'participant', banned: false, joinedAt: now },
  } as const;

  function carryOut({ list, uid }: RequestedMember, refusal: Refusal | undefined): MemberResult {
    if (refusal !== undefined) return refusedMember(refusal.error, behaviour);
    const user = app.user(uid);
    if (user === undefined) return refusedMember(uidNotFound(uid), behaviour);
    const obstacle = list === 'usersToBan' ? group.ban(user.uid, now) : group.add(user.uid, places[list], rules);
    if (obstacle !== undefined) return refusedMember(obstacleError(obstacle, user.uid, group.profile.guid), behaviour);
    return list === 'usersToBan'
      ? { success: true }
      : { success: true, data: actionMessage(app, group, actionOf(user), { by, on: user, at: now }) };
  }

  const actionOf = ({ uid }: User) => (uid === call.onBehalfOf.toLowerCase() ? 'joined' : 'added');
  const carriedOut =
    call.fault === 'reset-midway' ? requested.taken.slice(0, requested.taken.length >> 1) : requested.taken;
  const results = carriedOut.map((one, index) => ({ ...one, result: carryOut(one, refusals[index]) }));
  if (call.fault === 'omit-uid') results.pop();

  const lists = behaviour.replyLists === 'all' ? MEMBER_LISTS : requested.lists;
  const data = lists.map((list) => {
    const entries = results
      .filter((one) => one.list === list)
      .map((one) => [behaviour.replyUids === 'lowercase' ? one.uid.toLowerCase() : one.uid, one.result] as const);
    const empty = entries.length === 0 && behaviour.emptyList === 'array';
    return [list, empty ? '[]' : writtenObject(entries.map(([uid, result]) => [uid, JSON.stringify(result)]))] as const;
  });
  return writtenObject(data);
}

/** JSON of an object with its keys in this order: an object of JavaScript puts those that are numbers first. */
export function writtenObject(entries: readonly (readonly [key: string, json: string])[]): string {
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
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
    const folded = uid.toLowerCase();
    if (seen.has(folded)) return false;
    seen.add(folded);
    return true;
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
  throw new Refusal(403, serviceError('ERR_PLAN_QUOTA_RESTRICTION', message));
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
  const { group, user } = edit(call, { what: 'scope', to: scope }, (place, { uid }) =>
    place.changeScope(uid, scope, call.now),
  );
  if (call.behaviour.editReply === 'action') return done(call, group, user, 'scopeChanged');
  const joinedAt = seconds(group.places.get(user.uid)?.joinedAt ?? call.now);
  return { data: { guid: group.profile.guid, uid: user.uid, scope, joinedAt } };
}

/** DELETE /groups/{guid}/members/{uid}. */
export function removeMember(call: Call): object {
  const { group, user } = edit(call, { what: 'remove' }, (place, { uid }) => place.remove(uid, call.now));
  return done(call, group, user, user.uid === actingUser(call).uid ? 'left' : 'kicked');
}

/** POST /groups/{guid}/bannedusers/{uid}. */
export function banMember(call: Call): object {
  const { group, user } = edit(call, { what: 'ban' }, (place, { uid }) =>
    place.places.has(uid) || call.behaviour.banningStrangers === 'ban' ? place.ban(uid, call.now) : 'ERR_NOT_A_MEMBER',
  );
  return done(call, group, user, 'banned');
}

/** DELETE /groups/{guid}/bannedusers/{uid}: the user is then not a member, and can be added again. */
export function unbanMember(call: Call): object {
  const { group, user } = edit(call, { what: 'unban' }, (place, { uid }) => place.unban(uid, call.now));
  return done(call, group, user, 'unbanned');
}

function done(call: Call, group: Group, on: User, action: Exclude<ActionWord, 'added' | 'joined'>): object {
  const { app, behaviour, now } = call;
  if (behaviour.editReply === 'action') {
    return { data: actionMessage(app, group, action, { by: senderOf(call), on, at: now }) };
  }
  const word = action === 'kicked' || action === 'left' ? 'removed' : action;
  const message = `The user with UID ${on.uid} was ${word} from the group with GUID ${group.profile.guid}.`;
  return { data: { success: true, message } };
}

/** The sender of an action message. */
function senderOf(call: Call): User {
  return call.behaviour.actionSender === 'system' ? SYSTEM_USER : actingUser(call);
}

/** Guess, as all statuses of these refusals but that of ERR_NOT_A_MEMBER. */
const OBSTACLE_STATUS = 400;

function edit(
  call: Call,
  asked: Omit<MemberEdit, 'uid'>,
  change: (group: Group, user: User) => Obstacle | undefined,
): { group: Group; user: User } {
  const group = requireGroup(call);
  const user = requireUser(call, call.params[1] ?? '');
  requireClearanceOver(call, group, { ...asked, uid: user.uid });
  const obstacle = change(group, user);
  if (obstacle === undefined) return { group, user };
  const status = obstacle === 'ERR_NOT_A_MEMBER' ? 404 : OBSTACLE_STATUS;
  throw new Refusal(status, obstacleError(obstacle, user.uid, group.profile.guid));
}
