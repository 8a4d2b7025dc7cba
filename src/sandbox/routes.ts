import type { KeyScope } from '../chat/contract.ts';
import { addMembers, banMember, changeScope, removeMember, unbanMember } from './group-members.ts';
import { createGroup, deleteGroup, getGroup, listBanned, listGroups, listMembers, updateGroup } from './groups.ts';
import type { FaultyCall } from './injected-faults.ts';
import type { Operation } from './sandbox-call.ts';
import {
  createAuthToken,
  createUser,
  deactivateUsers,
  deleteUser,
  getUser,
  listUsers,
  reactivateUsers,
  sendMessage,
  updateUser,
} from './users.ts';

/** An operation of an app: where it is, which keys open it (docs/chat-service.md, 9), and what it does. */
interface Route {
  readonly method: string;
  /** Below the version prefix; a segment in braces is a parameter. */
  readonly path: string;
  readonly scopes: readonly KeyScope[];
  readonly operation: Operation;
  /** For the faults that hit only such calls. */
  readonly faulty?: FaultyCall;
}

/** Addresses of the banned users of a group; documentation has both. */
export const BANNED_ADDRESSES: readonly string[] = ['bannedusers', 'banned_members'];

const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: 'groups/{guid}/members',
    scopes: ['fullAccess'],
    operation: addMembers,
    faulty: 'add-members',
  },
  { method: 'GET', path: 'groups/{guid}/members', scopes: ['fullAccess'], operation: listMembers, faulty: 'list' },
  { method: 'PUT', path: 'groups/{guid}/members/{uid}', scopes: ['fullAccess'], operation: changeScope },
  { method: 'DELETE', path: 'groups/{guid}/members/{uid}', scopes: ['fullAccess'], operation: removeMember },
  // The service has one of these addresses (`bannedAddress`).
  ...BANNED_ADDRESSES.flatMap((list): Route[] => [
    { method: 'GET', path: `groups/{guid}/${list}`, scopes: ['fullAccess'], operation: listBanned, faulty: 'list' },
    { method: 'POST', path: `groups/{guid}/${list}/{uid}`, scopes: ['fullAccess'], operation: banMember },
    { method: 'DELETE', path: `groups/{guid}/${list}/{uid}`, scopes: ['fullAccess'], operation: unbanMember },
  ]),
  { method: 'GET', path: 'groups/{guid}', scopes: ['fullAccess'], operation: getGroup },
  { method: 'PUT', path: 'groups/{guid}', scopes: ['fullAccess'], operation: updateGroup },
  { method: 'DELETE', path: 'groups/{guid}', scopes: ['fullAccess'], operation: deleteGroup },
  { method: 'GET', path: 'groups', scopes: ['fullAccess'], operation: listGroups, faulty: 'list' },
  { method: 'POST', path: 'groups', scopes: ['fullAccess'], operation: createGroup, faulty: 'create' },
  { method: 'GET', path: 'users', scopes: ['fullAccess'], operation: listUsers, faulty: 'list' },
  { method: 'PUT', path: 'users', scopes: ['fullAccess'], operation: reactivateUsers },
  { method: 'DELETE', path: 'users', scopes: ['fullAccess'], operation: deactivateUsers },
  { method: 'GET', path: 'users/{uid}', scopes: ['fullAccess'], operation: getUser },
  { method: 'PUT', path: 'users/{uid}', scopes: ['fullAccess'], operation: updateUser },
  { method: 'DELETE', path: 'users/{uid}', scopes: ['fullAccess'], operation: deleteUser },
  { method: 'POST', path: 'users', scopes: ['fullAccess', 'authOnly'], operation: createUser, faulty: 'create' },
  { method: 'POST', path: 'users/{uid}/auth_tokens', scopes: ['fullAccess', 'authOnly'], operation: createAuthToken },
  { method: 'POST', path: 'messages', scopes: ['fullAccess'], operation: sendMessage },
];

const SPLIT_ROUTES = ROUTES.map((route) => ({ ...route, segments: route.path.split('/') }));

export interface Match extends Pick<Route, 'scopes' | 'operation' | 'faulty'> {
  readonly params: readonly string[];
}

/** The operation at a method and path (the decoded segments below the version prefix), if there is one. */
export function matchRoute(method: string, path: readonly string[]): Match | undefined {
  const isParam = (segment: string) => segment.startsWith('{');
  const found = SPLIT_ROUTES.find(
    ({ segments, ...route }) =>
      route.method === method &&
      segments.length === path.length &&
      segments.every((segment, at) => (isParam(segment) ? path[at] !== '' : segment === path[at])),
  );
  if (found === undefined) return undefined;
  return { ...found, params: path.filter((_, at) => isParam(found.segments[at] ?? '')) };
}
