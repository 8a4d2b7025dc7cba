import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isError } from '../../src/errors/rollcall-error.ts';
import { parseQueueAddress } from '../../src/queue/queue-address.ts';

const parse = (url: string) => parseQueueAddress(url);
const PLAIN = {
  topology: 'single',
  tls: false,
  username: undefined,
  password: undefined,
  db: 0,
  master: undefined,
  namespace: 'rollcall',
};
const at = (host: string, port = 6379) => ({ host, port });

describe('the address of a queue', () => {
  test.each([
    ['redis://redis', { hosts: [at('redis')] }],
    ['redis://redis:7000/3', { hosts: [at('redis', 7000)], db: 3 }],
    ['redis://:secret@redis', { hosts: [at('redis')], password: 'secret' }],
    ['redis://anna:s%40c%3Fr%2Ft%25:@redis/', { hosts: [at('redis')], username: 'anna', password: 's@c?r/t%:' }],
    ['redis://[::1]:7000', { hosts: [at('::1', 7000)] }],
    ['rediss://redis', { hosts: [at('redis')], tls: true }],
    ['redis://redis?namespace=team_a', { hosts: [at('redis')], namespace: 'team_a' }],
    ['redis+cluster://a,b:7001', { topology: 'cluster', hosts: [at('a'), at('b', 7001)] }],
    ['redis+cluster://a/0', { topology: 'cluster', hosts: [at('a')] }],
    ['rediss+cluster://:x@a', { topology: 'cluster', hosts: [at('a')], tls: true, password: 'x' }],
    ['redis+sentinel://a,b:1/main', { topology: 'sentinel', hosts: [at('a', 26379), at('b', 1)], master: 'main' }],
  ])('%s is understood', (url, expected) => {
    expect(parse(url)).toEqual({ ...PLAIN, ...expected });
  });

  test.each([
    ['http://redis', 'begins with http://'],
    ['redis', 'does not begin with a scheme'],
    ['', 'does not begin with a scheme'],
    ['redis://', 'has "" where a host belongs'],
    ['redis://a:b', 'has "a:…" where a host belongs'],
    ['redis://a:0', 'has the port 0'],
    ['redis://a:65536', 'has the port 65536'],
    ['redis://a,b', 'names several hosts, which needs redis+cluster://'],
    ['redis://a/jobs', 'has "jobs" where the number of a database belongs'],
    ['redis+cluster://a,b/3', 'has the database 3, and a cluster has only 0'],
    ['redis+sentinel://a', 'does not name the master'],
    ['redis://a?namespace=Team-A', 'has the namespace "Team-A"'],
    ['redis://a?namespce=a', 'has the parameter "namespce"'],
    ['redis://:50%@a', 'has a user or password with a % that begins no escape'],
    ['postgres://db/jobs', 'begins with postgres://'],
  ])('%j is refused: it %s', (url, why) => {
    expect(() => parse(url)).toThrow(expect.objectContaining({ code: 'BAD_QUEUE_ADDRESS' }));
    expect(() => parse(url)).toThrow(why);
    expect(() => parse(url)).toThrow('redis://host:port/db');
  });

  test('shows no part of a password when it is refused, however it was written', () => {
    const word = fc.stringMatching(/^[A-Z]{6}$/);
    const form = fc.constantFrom(
      (first: string, second: string) => `redis://anna:${first}@${second}@a/jobs`,
      (first: string, second: string) => `redis://:${first}/${second}@a`,
      (first: string, second: string) => `redis://:${first}?${second}@a`,
      (first: string, second: string) => `redis://:${first}%${second}@a:x`,
      (first: string, second: string) => `redis://:${first}${second}@a/jobs`,
      (first: string, second: string) => `anna:${first}${second}@a:6379`,
      (first: string, second: string) => `redis:${first}${second}@a`,
      (first: string, second: string) => `redis+sentinel://:${first}${second}@a`,
      (first: string, second: string) => `http://:${first}:${second}@a`,
      (first: string, second: string) => `redis://anna:${first}${second}`,
      (first: string, second: string) => `redis+cluster://a,:${first}${second}/0`,
      (first: string, second: string) => `postgres://:${first}${second}@a:99999/`,
    );
    fc.assert(
      fc.property(word, word, form, (first, second, write) => {
        const message = refusal(write(first, second));
        for (const secret of [first, second]) expect(message).not.toContain(secret);
      }),
    );
  });
});

function refusal(url: string): string {
  try {
    parse(url);
  } catch (error) {
    if (isError(error, 'BAD_QUEUE_ADDRESS')) return error.message;
    throw error;
  }
  throw new Error(`${url} was not refused`);
}
