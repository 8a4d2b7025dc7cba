import { keyOperations } from './api-keys.ts';
import type { Operations } from './call.ts';
import { importOperations } from './data-import.ts';
import { memberOperations } from './group-members.ts';
import { groupOperations } from './groups.ts';
import type { FaultyCall } from './injected-faults.ts';
import { userOperations } from './users.ts';

const OPERATIONS: Operations = {
  ...memberOperations,
  ...groupOperations,
  ...userOperations,
  ...importOperations,
  ...keyOperations,
};

/** Operations that a key of the scope authOnly opens too (docs/chat-service.md, 9). */
const AUTH_ONLY: ReadonlySet<string> = new Set(['POST users', 'POST users/{uid}/auth_tokens']);

/** Operations that have faults of their own. */
const FAULTY: Readonly<Record<string, FaultyCall>> = {
  'POST groups/{guid}/members': 'add-members',
  'POST data_import/members': 'add-members',
  'GET groups/{guid}/members': 'list',
  'GET groups/{guid}/bannedusers': 'list',
  'GET groups': 'list',
  'GET users': 'list',
  'POST groups': 'create',
  'POST users': 'create',
  'POST data_import/groups': 'create',
  'POST data_import/users': 'create',
};

/**
 * Returns the function that finds the operation of a method and path, if there is one, with the parameters of the path.
 * @param banned address of the banned users of a group; documentation has two
 */
export function routerWith(banned: string) {
  const routes = Object.entries(OPERATIONS).map(([place, operation]) => {
    const path = place.replace('bannedusers', banned).replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    return { operation, authOnly: AUTH_ONLY.has(place), faulty: FAULTY[place], pattern: new RegExp(`^${path}$`) };
  });
  return (called: string) => {
    for (const { pattern, ...route } of routes) {
      const found = pattern.exec(called);
      if (found === null) continue;
      const params = Object.entries(found.groups ?? {});
      try {
        return { ...route, params: Object.fromEntries(params.map(([name, text]) => [name, decodeURIComponent(text)])) };
      } catch {
        return undefined; // a broken percent escape
      }
    }
    return undefined;
  };
}
