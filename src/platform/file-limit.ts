import { readFileSync } from 'node:fs';
import { RollcallError } from '../errors/rollcall-error.ts';

/** Open files that one import needs (`ulimit -n`): each call in flight has a connection, 240 in three regions. */
const NEEDED = 512;
/** The same for a server with many imports, pages and uploads at once. */
const NEEDED_BY_SERVER = 1_024;

/** The file in which Linux lists the limits of a process. */
const LIMITS = '/proc/self/limits';

/** Refuses too few open files before anything begins; warns where a server needs more. @throws TOO_FEW_FILES */
export function checkFileLimit(isServer: boolean, limit: number = fileLimit()) {
  if (limit < NEEDED) {
    throw new RollcallError('TOO_FEW_FILES', { limit, needed: NEEDED, enough: NEEDED_BY_SERVER });
  }
  if (!isServer || limit >= NEEDED_BY_SERVER) return undefined;
  return `this process may have ${limit} files open; a server with many imports and visitors needs ${NEEDED_BY_SERVER} (\`ulimit -n\`)`;
}

/** Node has raised the soft limit to the hard one. Infinity where the system does not say it. */
function fileLimit() {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync(LIMITS, 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
