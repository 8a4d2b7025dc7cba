import { z } from 'zod';
import { storedId } from './app.ts';
import { actingScope, actingUser, type Call, readBody, requireGroup } from './call.ts';
import { groupEntity, SYSTEM_USER, seconds, userEntity } from './entities.ts';
import type { Group, Place } from './group.ts';
import { pageOf } from './paging.ts';
import { badRequest, Refusal, serviceError } from './refusal.ts';

/** Operations on groups besides adding members; shapes from public documentation, not contract. */

const createGroupRequest = z.looseObject({
  guid: z.string(),
  name: z.string().min(1).max(100),
  type: z.enum(['public', 'private', 'password']).default('public'),
  description: z.string().max(255).default(''),
  icon: z.string().max(3000).optional(),
  tags: z.array(z.string().max(100)).max(25).default([]),
  owner: z.string().optional(),
  members: z.never('The sandbox takes no members here: add them with POST /groups/{guid}/members.').optional(),
});

/** POST /groups: an empty group of the named owner or the system user. */
export function createGroup(call: Call): object {
  const { guid, name, type, description, icon, tags, owner } = readBody(call, createGroupRequest);
  const stored = storedId(guid);
  if (stored === undefined) throw badRequest({ guid: ['A GUID has up to 100 letters, digits, "-" and "_".'] });
  if (call.app.hasGroup(stored)) {
    const error = serviceError('ERR_GUID_ALREADY_EXISTS', `The group with GUID ${stored} already exists.`);
    throw new Refusal(call.behaviour.duplicateStatus, error);
  }
  const ownerUid = owner === undefined ? {} : { owner: owner.toLowerCase() };
  call.app.addGroup(stored, {
    name,
    type,
    description,
    tags,
    createdAt: call.now,
    ...(icon !== undefined && { icon }),
    ...ownerUid,
  });
  return { data: groupEntity(requireGroup(call, stored)) };
}

/** GET /groups/{guid}, from the acting user's point of view where one is named. */
export function getGroup(call: Call): object {
  const group = requireGroup(call);
  const actor = actingUser(call);
  const { readDelayMs } = call.behaviour;
  const count = readDelayMs === 0 ? group.membersCount : listed(call, group).filter(([, { banned }]) => !banned).length;
  const scope = actor === SYSTEM_USER ? undefined : group.memberScope(actor.uid);
  const own = scope === undefined ? {} : { scope, joinedAt: seconds(group.places.get(actor.uid)?.joinedAt ?? 0) };
  return { data: { ...groupEntity(group, count), hasJoined: scope !== undefined, ...own } };
}

/** GET /groups/{guid}/members: by page, filtered by `scopes` (comma list) and `status`; in the order of joining. */
export function listMembers(call: Call): object {
  const group = requireGroup(call);
  actingScope(call, actingUser(call), group);
  const scopes = call.query.get('scopes')?.split(',');
  // Nobody ever connects to the sandbox, so every user is offline.
  const places = call.query.get('status') === 'available' ? [] : listed(call, group);
  const wanted = scopes === undefined ? places : places.filter(([, place]) => scopes.includes(place.scope));
  return pageOf(call, wanted, ([uid, place]) => ({
    ...userEntity(call.app.users.get(uid) ?? SYSTEM_USER),
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
    ...userEntity(call.app.users.get(uid) ?? SYSTEM_USER),
    scope: place.scope,
  }));
}

/** Who shows up in reads at this moment. */
function listed({ behaviour, now }: Call, group: Group): (readonly [string, Place])[] {
  return [...group.places].filter(
    ([, place]) => now - place.joinedAt >= behaviour.readDelayMs && (behaviour.listBanned || !place.banned),
  );
}
