import { randomBytes } from 'node:crypto';
import type { RedisConnection } from './redis.ts';

/**
 * A server that starts again with a snapshot or whose machine is set back, and a replica that takes the place of its master,
 * go back in time: jobs that were done stand in the queue once more. Each history of a server's data has an id, which is another
 * one from such a moment on. A job keeps the id with which it was added: in another history it may have been run.
 *
 * The id is the server's own, which is new after a start and a failover, and that of an epoch. Processes with calls count
 * beats beside the queue, and each remembers how many there were. The process that finds fewer begins a new epoch.
 */
export type History = ReturnType<typeof historyOf>;

/** The fields of the hash beside the queue that count time. */
interface Epoch {
  readonly beats: number;
  readonly epoch: string;
}

/** Begins a new epoch where `seen` beats were found before, and there are fewer. */
export const TURN = `
  local function turn(seen, fresh)
    if tonumber(redis.call('hget', KEYS[1], 'beats') or '0') >= tonumber(seen) then return end
    redis.call('hset', KEYS[1], 'beats', seen, 'epoch', fresh)
  end`;

/** The name of an epoch that may begin. */
export function freshEpoch(): string {
  return randomBytes(4).toString('hex');
}

/** The id is empty where the server does not say its own, and while it is a replica, which takes nothing. */
const READ = `${TURN}
  local said = redis.pcall('INFO', 'replication')
  if type(said) ~= 'string' or not string.find(said, 'role:master', 1, true) then return {'', '', '0'} end
  local own = string.match(said, 'master_replid:(%x%x%x%x%x%x%x%x%x%x%x%x)') or ''
  turn(ARGV[1], ARGV[2])
  return {own, redis.call('hget', KEYS[1], 'epoch') or '', redis.call('hget', KEYS[1], 'beats') or '0'}`;

/** @param key of the hash beside the queue that has the beats */
export function historyOf(connection: RedisConnection, key: string) {
  let seen: Epoch = { beats: 0, epoch: '' };
  let known: Promise<string> | undefined;
  const forget = () => {
    known = undefined;
  };
  // A server that starts again ends its connections, and one that becomes a replica gets new ones. A cluster loses nodes.
  for (const event of ['close', '+node', '-node']) connection.on(event, forget);
  const now = async (): Promise<string> => {
    const reply = await connection.eval(READ, 1, key, seen.beats, freshEpoch());
    const [own, epoch, beats] = reply as [own: string, epoch: string, beats: string];
    if (own === '') return '';
    seen = { beats: Number(beats), epoch };
    return epoch === '' ? own : `${own}-${epoch}`;
  };
  return {
    now,
    /** The id, asked for once for each connection to a master, and again when the beats say so. */
    known: () => {
      if (known !== undefined) return known;
      const asked = now();
      known = asked;
      const forgetThis = () => {
        if (known === asked) forget();
      };
      asked.then((id) => id === '' && forgetThis(), forgetThis);
      return asked;
    },
    seen: () => seen,
    saw: (found: Epoch) => {
      if (found.epoch !== seen.epoch) forget();
      seen = found;
    },
  };
}
