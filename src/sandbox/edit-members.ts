import { z } from 'zod';
import type { MemberScope } from '../chat/service/lists.ts';
import type { User } from './app.ts';
import { actingScope, actingUser, type Call, readBody, requireGroup, requireUser } from './call.ts';
import { seconds } from './entities.ts';
import type { Group, Obstacle } from './group.ts';
import { obstacleError, Refusal, serviceError } from './refusal.ts';

/** Operations that change the place of one user in a group; shapes from public documentation, not contract. */

const changeScopeRequest = z.looseObject({ scope: z.enum(['admin', 'moderator', 'participant']) });

/** PUT /groups/{guid}/members/{uid}. */
export function changeScope(call: Call): object {
  const { scope } = readBody(call, changeScopeRequest);
  const { group, user } = edit(call, [], (place, { uid }) => place.changeScope(uid, scope, call.now));
  const joinedAt = seconds(group.places.get(user.uid)?.joinedAt ?? call.now);
  return { data: { guid: group.profile.guid, uid: user.uid, scope, joinedAt } };
}

/** DELETE /groups/{guid}/members/{uid}. */
export function removeMember(call: Call): object {
  const { group, user } = edit(call, ['participant'], (place, { uid }) => place.remove(uid, call.now));
  return done(`The user with UID ${user.uid} was removed from the group with GUID ${group.profile.guid}.`);
}

/** POST /groups/{guid}/bannedusers/{uid}. */
export function banMember(call: Call): object {
  const { group, user } = edit(call, ['participant'], (place, { uid }) =>
    place.places.has(uid) || call.behaviour.banningStrangers === 'ban' ? place.ban(uid, call.now) : 'ERR_NOT_A_MEMBER',
  );
  return done(`The user with UID ${user.uid} was banned from the group with GUID ${group.profile.guid}.`);
}

/** DELETE /groups/{guid}/bannedusers/{uid}: the user is then not a member, and can be added again. */
export function unbanMember(call: Call): object {
  const { group, user } = edit(call, ['participant'], (place, { uid }) => place.unban(uid, call.now));
  return done(`The user with UID ${user.uid} was unbanned from the group with GUID ${group.profile.guid}.`);
}

function done(message: string): object {
  return { data: { success: true, message } };
}

/** Guess, as all statuses of these refusals but that of ERR_NOT_A_MEMBER. */
const OBSTACLE_STATUS = 400;

/** @param moderated whom a moderator may change */
function edit(
  call: Call,
  moderated: readonly MemberScope[],
  change: (group: Group, user: User) => Obstacle | undefined,
): { group: Group; user: User } {
  const group = requireGroup(call);
  const user = requireUser(call, call.params[1] ?? '');
  requireClearance(call, group, user, moderated);
  const obstacle = change(group, user);
  if (obstacle === undefined) return { group, user };
  const status = obstacle === 'ERR_NOT_A_MEMBER' ? 404 : OBSTACLE_STATUS;
  throw new Refusal(status, obstacleError(obstacle, user.uid, group.profile.guid));
}

/** No one may change the owner or themselves; an admin may change everyone else, a participant no one. Guess: the scopes' order. */
function requireClearance(call: Call, group: Group, user: User, moderated: readonly MemberScope[]): void {
  const { guid, owner } = group.profile;
  const actor = actingUser(call);
  const scope = actingScope(call, actor, group);
  if (user.uid === owner) {
    const message = `The user with UID ${owner} owns the group with GUID ${guid}, and cannot be changed in it.`;
    throw new Refusal(403, serviceError('ERR_GROUP_NO_CLEARANCE', message));
  }
  if (user.uid === actor.uid) {
    const message = `The user with UID ${user.uid} cannot do this to itself.`;
    throw new Refusal(403, serviceError('ERR_GROUP_NO_SELF_ACTION', message));
  }
  const userScope = group.places.get(user.uid)?.scope ?? 'participant';
  if (scope === 'admin' || (scope === 'moderator' && moderated.includes(userScope))) return;
  const message = `A ${scope} of the group with GUID ${guid} cannot do this to a ${userScope}.`;
  throw new Refusal(403, serviceError('ERR_GROUP_NO_CLEARANCE', message));
}
