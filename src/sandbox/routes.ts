import type { KeyScope } from '../chat/contract.ts';
import { addMembers } from './add-members.ts';
import type { Operation } from './call.ts';
import { createGroup, getGroup, listMembers } from './groups.ts';
import { createAuthToken, createUser, listUsers, sendMessage } from './users.ts';

/** An operation of an app: where it is, which keys open it (section 5.3), and what it does. */
interface Route {
  readonly method: string;
  /** Below the version prefix; a segment in braces is a parameter. */
  readonly path: string;
  readonly scopes: readonly KeyScope[];
  readonly operation: Operation;
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: 'groups/{guid}/members', scopes: ['fullAccess'], operation: addMembers },
  { method: 'GET', path: 'groups/{guid}/members', scopes: ['fullAccess'], operation: listMembers },
  { method: 'GET', path: 'groups/{guid}', scopes: ['fullAccess'], operation: getGroup },
  { method: 'POST', path: 'groups', scopes: ['fullAccess'], operation: createGroup },
  { method: 'GET', path: 'users', scopes: ['fullAccess'], operation: listUsers },
  { method: 'POST', path: 'users', scopes: ['fullAccess', 'authOnly'], operation: createUser },
  { method: 'POST', path: 'users/{uid}/auth_tokens', scopes: ['fullAccess', 'authOnly'], operation: createAuthToken },
  { method: 'POST', path: 'messages', scopes: ['fullAccess'], operation: sendMessage },
];

const SPLIT_ROUTES = ROUTES.map((route) => ({ ...route, segments: route.path.split('/') }));

export interface Match {
  readonly scopes: readonly KeyScope[];
  readonly operation: Operation;
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
