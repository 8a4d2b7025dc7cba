import { z } from 'zod';
import { addMembersRequest } from '../chat/contract.ts';
import {
  actingUser,
  badRequest,
  type Call,
  freeId,
  groupEntity,
  type Operations,
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
const updateGroupRequest = groupProfile.extend({ name: groupProfile.shape.name.optional() });

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
        group.add(
          uid,
          { scope: 'admin', banned: false, joinedAt: now },
          { maxGroupMembers: 2, addingBanned: 'refuse' },
        );
      }
    }
    const isWithMembers = behaviour.membersOfNewGroup !== 'ignore' && requested.taken.length > 0;
    const placed = isWithMembers ? placeMembers(call, group, requested) : undefined;
    const data = { ...groupEntity(group), ...(actor !== SYSTEM_USER && ownPlace(group, actor.uid)) };
    if (placed === undefined || behaviour.membersOfNewGroup === 'add-silently') return data;
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
    if (hasJoined && call.onBehalfOf === '')
      throw badRequest({ hasJoined: ['hasJoined needs the header onBehalfOf.'] });
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
  /** By page. */
  'GET groups/{guid}/bannedusers': (call) => {
    const banned = [...visibleGroup(call).places].filter(([, place]) => place.banned);
    return pageOf(call, banned, (entry) => placeEntity(call, entry, 'bannedAt'));
  },
};

/** A group that a body describes. */
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
