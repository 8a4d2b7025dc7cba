import { sumOf } from '../text/wording.ts';
import { sumsOf } from './flow.ts';
import { freshEpoch, type History, TURN } from './history.ts';
import { FLOW_SILENCE_MS, type JobQueue, type SharedFlow } from './job-queue.ts';
import type { RedisConnection } from './redis.ts';

/** Time after which a queue without jobs forgets how many of them ran at once, in ms. */
const FLOW_KEPT_MS = 7 * 24 * 60 * 60_000;

/** Name of the hash beside the queue. */
export const FLOW = 'flow';

/** In the hash each process has a field with the time of its last report and its most jobs at once. */
const SHARE_FLOW = `${TURN}
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for i = 5, #ARGV, 2 do
    if ARGV[i + 1] ~= '0' then redis.call('hincrby', KEYS[1], ARGV[i], ARGV[i + 1]) end
  end
  redis.call('hset', KEYS[1], 'by:' .. ARGV[1], now .. ' ' .. ARGV[2])
  turn(ARGV[3], ARGV[4])
  redis.call('hincrby', KEYS[1], 'beats', 1)
  redis.call('pexpire', KEYS[1], ${FLOW_KEPT_MS})
  local found = redis.call('hgetall', KEYS[1])
  for i = 1, #found, 2 do
    local at = string.match(found[i + 1], '^(%d+) ')
    if string.sub(found[i], 1, 3) == 'by:' and now - tonumber(at) > ${FLOW_SILENCE_MS} then
      redis.call('hdel', KEYS[1], found[i])
    end
  end
  return {tostring(now), redis.call('hgetall', KEYS[1])}`;

/** Shares the flow of a queue in a hash of Redis. */
export function flowSharing(
  connection: Pick<RedisConnection, 'eval'>,
  key: string,
  { seen, saw }: Pick<History, 'seen' | 'saw'>,
): JobQueue<never>['shareFlow'] {
  return async (by, most, more) => {
    const counts = Object.entries(more).flat();
    const reply = await connection.eval(SHARE_FLOW, 1, key, by, most, seen().beats, freshEpoch(), ...counts);
    return readShared(reply as [string, string[]], saw);
  };
}

function readShared([now, pairs]: [string, string[]], saw: History['saw']): SharedFlow {
  const fields = new Map<string, string>();
  for (let at = 0; at < pairs.length; at += 2) fields.set(pairs[at] ?? '', pairs[at + 1] ?? '');
  const number = (name: string) => Number(fields.get(name) ?? 0);
  saw({ beats: number('beats'), epoch: fields.get('epoch') ?? '' });
  const reports = [...fields].filter(([name]) => name.startsWith('by:'));
  return {
    text: fields.get('text') ?? '',
    sums: sumsOf(number),
    most: sumOf(reports.map(([, report]) => Number(report.split(' ')[1]))),
    now: Number(now),
  };
}
