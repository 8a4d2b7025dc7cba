import { createKey, deleteKey, getKey, listKeys, updateKey } from './api-keys.ts';
import type { Operation } from './call.ts';
import { importGroups, importMembers, importUsers } from './data-import.ts';
import { addMembers, banMember, changeScope, removeMember, unbanMember } from './group-members.ts';
import { createGroup, deleteGroup, getGroup, listBanned, listGroups, listMembers, updateGroup } from './groups.ts';
import type { FaultyCall } from './injected-faults.ts';
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

/** An operation of an app, and the keys that open it (docs/chat-service.md, 9). */
interface Route {
  readonly operation: Operation;
  /** Whether a key of the scope authOnly opens it too. */
  readonly authOnly?: true;
  /** For the faults that hit only such calls. */
  readonly faulty?: FaultyCall;
}

/**
 * The operations, by method and path below the version prefix, in which a segment in braces is a parameter.
 * @param banned address of the banned users of a group; documentation has two
 */
const routesWith = (banned: string): Readonly<Record<string, Route>> => ({
  'POST groups/{guid}/members': { operation: addMembers, faulty: 'add-members' },
  'GET groups/{guid}/members': { operation: listMembers, faulty: 'list' },
  'PUT groups/{guid}/members/{uid}': { operation: changeScope },
  'DELETE groups/{guid}/members/{uid}': { operation: removeMember },
  [`GET groups/{guid}/${banned}`]: { operation: listBanned, faulty: 'list' },
  [`POST groups/{guid}/${banned}/{uid}`]: { operation: banMember },
  [`DELETE groups/{guid}/${banned}/{uid}`]: { operation: unbanMember },
  'GET groups/{guid}': { operation: getGroup },
  'PUT groups/{guid}': { operation: updateGroup },
  'DELETE groups/{guid}': { operation: deleteGroup },
  'GET groups': { operation: listGroups, faulty: 'list' },
  'POST groups': { operation: createGroup, faulty: 'create' },
  'GET users': { operation: listUsers, faulty: 'list' },
  'PUT users': { operation: reactivateUsers },
  'DELETE users': { operation: deactivateUsers },
  'GET users/{uid}': { operation: getUser },
  'PUT users/{uid}': { operation: updateUser },
  'DELETE users/{uid}': { operation: deleteUser },
  'POST users': { operation: createUser, authOnly: true, faulty: 'create' },
  'POST users/{uid}/auth_tokens': { operation: createAuthToken, authOnly: true },
  'POST data_import/members': { operation: importMembers, faulty: 'add-members' },
  'POST data_import/users': { operation: importUsers, faulty: 'create' },
  'POST data_import/groups': { operation: importGroups, faulty: 'create' },
  'GET apikeys': { operation: listKeys },
  'POST apikeys': { operation: createKey },
  'GET apikeys/{apiKey}': { operation: getKey },
  'PUT apikeys/{apiKey}': { operation: updateKey },
  'DELETE apikeys/{apiKey}': { operation: deleteKey },
  'POST messages': { operation: sendMessage },
});

/** Finds the operation of a method and path, if there is one, with the parameters of the path. */
export function routerWith(banned: string): (called: string) => (Route & { params: readonly string[] }) | undefined {
  const routes = Object.entries(routesWith(banned)).map(([place, route]) => {
    return { ...route, pattern: new RegExp(`^${place.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) };
  });
  return (called) => {
    for (const { pattern, ...route } of routes) {
      const found = pattern.exec(called);
      if (found === null) continue;
      try {
        return { ...route, params: found.slice(1).map(decodeURIComponent) };
      } catch {
        return undefined; // a broken percent escape
      }
    }
    return undefined;
  };
}
