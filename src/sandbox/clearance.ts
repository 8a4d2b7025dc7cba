import type { MemberList, MemberScope } from '../chat/service/lists.ts';
import { actingUser, type Call, obstacleError, Refusal, refusal } from './call.ts';
import { type Group, SYSTEM_USER, type User } from './sandbox-app.ts';

/** Rights of an acting user by scope (docs/chat-service.md, 12). Statuses other than 401 are guesses. */

/** Whether the service itself acts, or a user who may do everything. */
function mayDoAll({ behaviour }: Call, actor: User, group: Group) {
  return actor === SYSTEM_USER || behaviour.actingUser === 'anybody' || actor.uid === group.profile.owner;
}

function notJoined({ uid }: User, { profile: { guid } }: Group) {
  return new Refusal(401, obstacleError('ERR_GROUP_NOT_JOINED', uid, guid));
}

function noClearance(code: string, message: string) {
  return refusal(403, code, message);
}

/** The scope of the acting user in the group; the system user and the owner act as admins. Refused for anyone else. */
export function actingScope(call: Call, actor: User, group: Group) {
  if (mayDoAll(call, actor, group)) return 'admin';
  const scope = group.memberScope(actor.uid);
  if (scope === undefined) throw notJoined(actor, group);
  return scope;
}

/** Changes and deletions of a group itself. */
export function requireGroupScope(call: Call, group: Group, least: 'admin' | 'moderator') {
  const scope = actingScope(call, actingUser(call), group);
  if (scope === 'admin' || scope === least) return;
  const message = `The group with GUID ${group.profile.guid} is changed so by members of the scope ${least} or higher.`;
  throw noClearance(least === 'admin' ? 'ERR_GROUP_NO_ADMIN_SCOPE' : 'ERR_GROUP_NO_MODERATOR_SCOPE', message);
}

/** Returns the reason why the acting user may not add or ban one of the users of a call; undefined where it may. */
export function refusedAddition(call: Call, group: Group, list: MemberList, uid: string) {
  const { behaviour } = call;
  const { guid } = group.profile;
  const actor = actingUser(call);
  if (actor === SYSTEM_USER || behaviour.actingUser === 'anybody') return undefined;
  const scope = mayDoAll(call, actor, group) ? 'admin' : group.memberScope(actor.uid);
  const named = uid.toLowerCase();
  if (named === actor.uid) {
    if (list === 'usersToBan') return selfAction(actor);
    if (list === 'participants' && scope !== 'admin' && behaviour.selfActions === 'join-and-leave') {
      return refusedJoin(group, actor);
    }
  }
  if (scope === undefined) return notJoined(actor, group);
  if (scope === 'admin') return undefined;
  if (scope === 'participant') {
    return noClearance(
      'ERR_GROUP_NO_CLEARANCE',
      `A participant of the group with GUID ${guid} cannot add or ban users.`,
    );
  }
  if (list === 'usersToBan') {
    const above = group.memberScope(named) ?? 'participant';
    if (above === 'participant') return undefined;
    return noClearance('ERR_GROUP_NO_CLEARANCE', `A moderator of the group with GUID ${guid} cannot ban a ${above}.`);
  }
  if (list === 'participants' && behaviour.moderatorsAdd === 'participants') return undefined;
  const message = `A moderator of the group with GUID ${guid} cannot add users as ${list}.`;
  return noClearance('ERR_GROUP_NO_SCOPE_CLEARANCE', message);
}

/** Returns the reason why a user cannot join a group; undefined where it can. Members and full groups are not looked at. */
function refusedJoin(group: Group, { uid }: User) {
  const { guid, type } = group.profile;
  if (group.memberScope(uid) !== undefined) return undefined;
  if (group.places.get(uid)?.banned) return new Refusal(403, obstacleError('ERR_BANNED_GROUPMEMBER', uid, guid));
  if (type === 'public') return undefined;
  return type === 'password'
    ? noClearance('ERR_WRONG_GROUP_PASS', `The group with GUID ${guid} is joined with its password.`)
    : noClearance('ERR_GROUP_JOIN_NOT_ALLOWED', `No one can join the group with GUID ${guid} alone.`);
}

function selfAction({ uid }: User) {
  return noClearance('ERR_GROUP_NO_SELF_ACTION', `The user with UID ${uid} cannot do this to itself.`);
}

/** A change of one member: to another scope; the others take a place away. */
export type Edit = 'remove' | 'ban' | 'unban' | 'scope';

/** Refuses a change that the acting user may not make. No one changes the owner; an admin changes everyone else. */
export function requireClearanceOver(call: Call, group: Group, user: User, what: Edit, to: MemberScope) {
  const { guid, owner } = group.profile;
  const { behaviour } = call;
  const actor = actingUser(call);
  const scope = actingScope(call, actor, group);
  if (user.uid === owner) {
    const message = `The user with UID ${owner} owns the group with GUID ${guid}, and cannot be changed in it.`;
    throw noClearance('ERR_GROUP_NO_CLEARANCE', message);
  }
  if (user.uid === actor.uid) {
    if (what === 'remove' && behaviour.selfActions === 'join-and-leave') return;
    throw selfAction(actor);
  }
  if (scope === 'admin') return;
  const held = group.places.get(user.uid)?.scope ?? 'participant';
  const changes = { moderators: ['moderator', 'participant'], participants: ['participant'], nobody: [] };
  const over = what === 'scope' ? changes[behaviour.moderatorsChange] : ['participant'];
  if (scope === 'moderator' && over.includes(held) && to !== 'admin') return;
  const message = `A ${scope} of the group with GUID ${guid} cannot do this to a ${held}.`;
  throw noClearance('ERR_GROUP_NO_CLEARANCE', message);
}
