import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isWaitedFor } from '../../src/queue/patience.ts';

/** An error with this name, as ioredis throws it. */
function error(message: string, name = 'Error', code?: string): Error {
  const made = Object.assign(new Error(message), code !== undefined && { code });
  Object.defineProperty(made, 'name', { value: name });
  return made;
}

const reply = (message: string) => error(message, 'ReplyError');

describe('an error of the queue that passes is waited for', () => {
  test.each([
    "READONLY You can't write against a read only replica.",
    'NOREPLICAS Not enough good replicas to write.',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    "OOM command not allowed when used memory > 'maxmemory'. script: 3f0d, on @user_script:12.",
    'LOADING Redis is loading the dataset in memory',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
    'CLUSTERDOWN The cluster is down',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'MOVED 3999 127.0.0.1:6381',
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    'ERR max number of clients reached',
    "ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -READONLY You can't write against a read only replica.",
  ])('a refusal of Redis: %s', (message) => {
    expect(isWaitedFor(reply(message))).toBe(true);
  });

  test.each([
    error('Command aborted due to connection close', 'AbortError'),
    error('Reached the max retries per request limit (which is 20).', 'MaxRetriesPerRequestError'),
    error('Failed to refresh slots cache.', 'ClusterAllFailedError'),
    error('Protocol error, got "H" as reply type byte', 'ParserError'),
    error('read ECONNRESET', 'Error', 'ECONNRESET'),
    error('getaddrinfo EAI_AGAIN redis', 'Error', 'EAI_AGAIN'),
    error('certificate has expired', 'Error', 'CERT_HAS_EXPIRED'),
    error('self-signed certificate', 'Error', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    new Error('a job failed', { cause: error('write EPIPE', 'Error', 'EPIPE') }),
  ])('a connection that broke: $message', (broken) => {
    expect(isWaitedFor(broken)).toBe(true);
  });

  test.each([
    reply('WRONGTYPE Operation against a key holding the wrong kind of value'),
    reply('ERR hash value is not an integer'),
    reply('ERR DB index is out of range'),
    reply('CROSSSLOT Keys in request don’t hash to the same slot'),
    error('Missing lock for job a-1. moveToFinished'),
    error('disk I/O error', 'Error', 'ERR_SQLITE_ERROR'),
    'READONLY',
  ])('and no other one is: %s', (other) => {
    expect(isWaitedFor(other)).toBe(false);
  });
});

/** Messages in the sources of ioredis and BullMQ that are no trouble of a connection: wrong use, or said of one job. */
const NOT_OF_A_CONNECTION = [
  /must (?:be|contain)|Invalid|Duplicate HIMPORT|Requires |Unknown|should contain|is not implemented|cannot be (?:used|restarted)/i,
  /subscriber mode|monitoring mode|Pipeline cannot be used|only supported with protocol 3|already connecting|the same slot/,
  /Expected "all"|CROSSSLOT|subscriber for/,
];

test('every error that ioredis makes of a connection is known', () => {
  const thrown = globSync(
    'node_modules/ioredis/built/{*.js,cluster/*.js,connectors/**/*.js,redis/*.js,utils/*.js}',
  ).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/new (?:\w+\.)?(\w*Error)\((["'`])((?:[A-Z]|connect ).{8,}?)\2/g)].map(
      ([, name = '', , message = '']) => ({ name, message }),
    ),
  );
  expect(thrown.length).toBeGreaterThan(25);
  const unknown = thrown
    .filter(({ message }) => !NOT_OF_A_CONNECTION.some((pattern) => pattern.test(message)))
    .filter(({ name, message }) => !isWaitedFor(error(message, name)));
  expect(unknown).toEqual([]);
});
