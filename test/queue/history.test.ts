import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { historyOf } from '../../src/queue/history.ts';
import type { RedisConnection } from '../../src/queue/redis.ts';

test('the history is asked for once for each connection, and again where the server is a replica, fails, or counts from another epoch', async () => {
  let reply = ['', '', '0'];
  const ask = vi.fn(async () => reply);
  const connection = Object.assign(new EventEmitter(), { eval: ask });
  const history = historyOf(connection as unknown as RedisConnection, 'key');
  const asked = async (id: string, times: number) => {
    expect(await history.known()).toBe(id);
    expect(ask).toHaveBeenCalledTimes(times);
  };
  await asked('', 1);
  ask.mockRejectedValueOnce(new Error('gone'));
  await expect(history.known()).rejects.toThrow('gone');
  reply = ['abcdefabcdef', '', '3'];
  await asked('abcdefabcdef', 3);
  await asked('abcdefabcdef', 3);
  expect(history.seen()).toEqual({ beats: 3, epoch: '' });
  history.saw({ beats: 4, epoch: '' });
  await asked('abcdefabcdef', 3);
  reply = ['abcdefabcdef', 'second', '5'];
  history.saw({ beats: 5, epoch: 'second' });
  await asked('abcdefabcdef-second', 4);
  connection.emit('close');
  await asked('abcdefabcdef-second', 5);
});
