import type { JobJson, Queue } from 'bullmq';
import { sumOf } from '../text/wording.ts';
import { type JobKinds, MAX_SET_ASIDE, SET_ASIDE } from './job-queue.ts';
import type { RedisConnection } from './redis.ts';

/**
 * Jobs as Redis keeps them. Redis may lose a part of one, and other programs write there: nothing that a field holds may
 * stop the jobs behind it. BullMQ stops at most of it.
 */

export interface Kept {
  readonly connection: RedisConnection;
  /** Prefix of all keys of the queue. */
  readonly base: string;
}

export function keptIn(connection: RedisConnection, queue: Pick<Queue, 'toKey'>): Kept {
  return { connection, base: queue.toKey('') };
}

/** Takes a job out of all lists. */
const TAKE_OUT = `
  local function takeOut(base, id)
    local key = base .. id
    for _, set in ipairs({'prioritized', 'delayed', 'failed', 'completed', 'waiting-children'}) do
      redis.call('ZREM', base .. set, id)
    end
    for _, list in ipairs({'active', 'wait', 'paused'}) do redis.call('LREM', base .. list, 0, id) end
    redis.call('SREM', base .. 'stalled', id)
    redis.call('DEL', key, key .. ':lock', key .. ':logs', key .. ':dependencies')
  end`;

/** Arguments: id, reason, most that are kept. Resolves with what there was. */
const SET_ASIDE_ONE = `${TAKE_OUT}
  local base, id = KEYS[1], ARGV[1]
  local key, kept = base .. id, base .. '${SET_ASIDE}'
  local kind = redis.call('TYPE', key).ok
  local fields = kind == 'hash' and redis.call('HGETALL', key) or {}
  local isLost = kind == 'hash' and redis.call('HEXISTS', key, 'data') == 0
  local found = kind == 'none' and 'nothing' or isLost and 'lost' or 'set-aside'
  if found == 'set-aside' and redis.call('HLEN', kept) < tonumber(ARGV[3]) then
    redis.call('HSET', kept, id, cjson.encode({reason = ARGV[2], type = kind, fields = fields}))
  end
  takeOut(base, id)
  return found`;

/**
 * Whether a job is in the queue as it was added: it is in a list, or a worker has it, and its name is one whose payload
 * begins so.
 */
const STANDS = `
  local function stands(base, id, kinds)
    local key = base .. id
    if redis.call('EXISTS', key .. ':lock') == 1 then return true end
    if redis.call('TYPE', key).ok ~= 'hash' then return false end
    local name, data = unpack(redis.call('HMGET', key, 'name', 'data'))
    local head = name and kinds[name]
    if not head or not data or string.sub(data, 1, #head) ~= head then return false end
    return redis.call('ZSCORE', base .. 'prioritized', id) or redis.call('ZSCORE', base .. 'delayed', id)
      or redis.call('LPOS', base .. 'active', id) or redis.call('LPOS', base .. 'wait', id)
  end`;

/** Arguments: the beginning of a payload by kind, as JSON; `clear` takes away what is left of the lost; ids. Resolves with the lost. */
const LOST = `${TAKE_OUT}${STANDS}
  local kinds, lost = cjson.decode(ARGV[1]), {}
  for at = 3, #ARGV do
    if not stands(KEYS[1], ARGV[at], kinds) then
      if ARGV[2] == 'clear' then takeOut(KEYS[1], ARGV[at]) end
      lost[#lost + 1] = ARGV[at]
    end
  end
  return lost`;

/** Ids that one round trip looks at. */
const CHUNK = 500;

/** Does what JobQueue.lost says. @param clear takes away what is left of them */
export async function lostOf(
  { connection, base }: Kept,
  ids: readonly string[],
  kinds: JobKinds,
  clear = false,
): Promise<string[]> {
  // Each payload begins with its version.
  const heads = Object.fromEntries(kinds.map(({ name, version }) => [name, JSON.stringify({ version }).slice(0, -1)]));
  const lost: string[] = [];
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const found = await connection.eval(LOST, 1, base, JSON.stringify(heads), clear ? 'clear' : '', ...some);
    lost.push(...(found as string[]));
  }
  return lost;
}

/** `lost`: Redis has no payload of it any more, and a person nothing to look at. `nothing`: it was taken away before. */
export type Found = 'set-aside' | 'lost' | 'nothing';

export async function setAside({ connection, base }: Kept, id: string, reason: string): Promise<Found> {
  return (await connection.eval(SET_ASIDE_ONE, 1, base, id, reason, MAX_SET_ASIDE)) as Found;
}

export function countSetAside({ connection, base }: Kept): Promise<number> {
  return connection.hlen(`${base}${SET_ASIDE}`);
}

/** @returns the number in a field of a job; undefined where there is none */
export async function numberOf({ connection, base }: Kept, id: string, field: string): Promise<number | undefined> {
  const text = await connection.hget(`${base}${id}`, field).catch(damageSaidBy);
  return text !== null && WHOLE.test(text) ? Number(text) : undefined;
}

const WHOLE = /^\d{1,15}$/;

/** Fields with a whole number, by their names in Redis. */
const NUMBERS = ['timestamp', 'delay', 'priority', 'ats', 'atm', 'stc'];
/** Fields of things that rollcall's jobs do not have. */
const FOREIGN = ['parent', 'parentKey', 'rjk', 'deid', 'attemptsMade'];
/** A job that a worker could not even begin, which BullMQ ends so. */
const STALLED = 'job stalled more than allowable limit';

type Fields = Readonly<Record<string, string>>;

/** Jobs of a worker that has met an error, by their ids. */
interface Suspects {
  /** They run, so that their damage does no harm. */
  readonly running: ReadonlySet<string>;
  /** BullMQ could not read them. */
  readonly unread: ReadonlySet<string>;
  /** It has run, and may be in no list any more. */
  readonly ended: string | undefined;
}

/**
 * Sets aside the damaged ones among the jobs that workers have: BullMQ stops at such a job, and does not say at which.
 * @returns how many there were, with an `ended` one that was set aside before
 */
export async function setAsideDamaged(
  kept: Kept,
  { running, unread, ended }: Suspects,
  tell: (id: string, reason: string, found: Found) => void,
): Promise<number> {
  const { connection, base } = kept;
  const ids = new Set(await connection.lrange(`${base}active`, 0, -1));
  if (ended !== undefined && (await connection.exists(`${base}${ended}`)) > 0) ids.add(ended);
  // Another worker sees the damage of a job that runs here, and may have set it aside before it could be ended.
  const before = ended === undefined ? 0 : await connection.hexists(`${base}${SET_ASIDE}`, ended);
  const found = await Promise.all(
    [...ids]
      .filter((id) => !running.has(id))
      .map(async (id) => {
        const seen = await connection.hgetall(`${base}${id}`).then(damageIn, damageSaidBy);
        const reason = seen ?? (unread.has(id) ? 'BullMQ cannot read it' : undefined);
        if (reason === undefined) return 0;
        tell(id, reason, await setAside(kept, id, reason));
        return 1;
      }),
  );
  return before + sumOf(found);
}

function damageSaidBy(error: Error): string {
  if (error.message.startsWith('WRONGTYPE')) return 'its key holds something else';
  throw error;
}

function damageIn(fields: Fields): string | undefined {
  if (fields['name'] === undefined || fields['data'] === undefined) return 'it has no name or no payload';
  const bad = (names: readonly string[], isGood: (text: string) => boolean) =>
    names.find((name) => fields[name] !== undefined && !isGood(fields[name]));
  const number = bad(NUMBERS, (text) => WHOLE.test(text));
  if (number !== undefined) return `its field ${number} is no whole number`;
  const text = bad(['data', 'progress'], (json) => parsed(json) !== undefined) ?? bad(['opts'], isObject);
  if (text !== undefined) return `its field ${text} cannot be read`;
  if (!(Number(parsed(fields['progress'] ?? '0')) <= Number(fields['ats'] ?? 0))) return 'its field progress is wrong';
  const foreign = bad(FOREIGN, () => false) ?? bad(['defa'], (text) => text === STALLED);
  return foreign && `its field ${foreign} belongs to no job of rollcall`;
}

function isObject(json: string): boolean {
  const value = parsed(json);
  return typeof value === 'object' && value !== null;
}

/** @returns undefined where the text is not JSON */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether BullMQ has read what a job needs. */
export function isWhole(json: JobJson): boolean {
  const { name, timestamp, delay, priority, attemptsStarted = 0, attemptsMade = 0, stalledCounter = 0 } = json;
  const numbers = [timestamp, delay, priority, attemptsStarted, attemptsMade, stalledCounter];
  const { progress, parent, parentKey, repeatJobKey, deduplicationId, deferredFailure = STALLED } = json;
  const foreign = [parent, parentKey, repeatJobKey, deduplicationId].some(Boolean);
  const areNumbers = numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0);
  return (
    name !== undefined &&
    areNumbers &&
    !foreign &&
    deferredFailure === STALLED &&
    Number(progress ?? 0) <= attemptsStarted
  );
}
