import { createRequire } from 'node:module';
import type Undici from 'undici';

const load = createRequire(import.meta.url);

/** The parts of undici that calls need, each by its own path: loading all of it takes twice the time, for fetch, caches and mocks. */
export const Pool: typeof Undici.Pool = part('Pool', 'dispatcher/pool.js');
export const errors: typeof Undici.errors = part('errors', 'core/errors.js');

/** Loaded where there is a proxy, with all of undici: it needs methods that the whole adds to its parts. */
export function proxyAgent(): typeof Undici.EnvHttpProxyAgent {
  return (load('undici') as typeof Undici).EnvHttpProxyAgent;
}

/** The paths are undici's own affair, and a later version may have others. */
function part<Name extends keyof typeof Undici>(name: Name, path: string): (typeof Undici)[Name] {
  try {
    return load(`undici/lib/${path}`);
  } catch {
    return load('undici')[name];
  }
}
