import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { apiUrl, lookupHost, managementUrl } from '../../src/chat/service-address.ts';

describe('base addresses', () => {
  test('app id, region and host make the address of the chat operations', () => {
    expect(apiUrl({ appId: 'app1', region: 'eu', host: 'chat.example' })).toBe('https://app1.api-eu.chat.example/v3');
  });

  test('an app may have an address of its own', () => {
    const url = 'https://chat.corp.example/v3';
    expect(apiUrl({ appId: 'app1', region: 'eu', host: '', url })).toBe(url);
  });

  test('the management address knows neither app nor region', () => {
    expect(managementUrl('chat.example')).toBe('https://apimgmt.chat.example');
  });

  test('a host may carry a port', () => {
    expect(apiUrl({ appId: 'app1', region: 'us', host: 'localhost:8443' })).toBe(
      'https://app1.api-us.localhost:8443/v3',
    );
  });

  test.each(['', '-app', 'app.other', 'app/..', 'app@evil', 'a'.repeat(64), 'app id', 'app\n'])(
    'app id %j is refused, with the value in the message',
    (appId) => {
      const build = () => apiUrl({ appId, region: 'us', host: 'chat.example' });
      expect(build).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
      expect(build).toThrow(JSON.stringify(appId));
    },
  );

  test.each([
    '',
    'https://chat.example',
    'chat.example/v3',
    'chat.example?x',
    'chat..example',
    'chat.example:',
    'chat.example:0',
    'chat.example:65536',
    'chat.example:1:2',
    '[::1]:8443',
    'chat example',
    `${'a.'.repeat(100)}example`,
  ])('host %j is refused, with the value in the message', (host) => {
    const build = () => apiUrl({ appId: 'app1', region: 'us', host });
    expect(build).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
    expect(build).toThrow(JSON.stringify(host));
  });

  test('plain http is refused, and the message says why', () => {
    expect(() => apiUrl({ appId: 'app1', region: 'us', host: 'http://chat.example' })).toThrow('plain http is refused');
    expect(() => managementUrl('http://chat.example')).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
  });

  test('an IP address is refused, and the message names the way out', () => {
    expect(() => apiUrl({ appId: 'app1', region: 'us', host: '127.0.0.1:8443' })).toThrow('localhost:8443');
  });

  test('a password in a host is not repeated', () => {
    expect(() => managementUrl('https://user:hunter2@chat.example')).not.toThrow('hunter2');
    expect(() => managementUrl('https://user:hunter2@chat.example')).toThrow('…@chat.example');
  });
});

describe('looking up a host', () => {
  const lookup = promisify(lookupHost) as unknown as (name: string, options: object) => Promise<unknown>;
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];

  test.each(['localhost', 'app1.api-us.localhost', 'APP1.API-US.LOCALHOST', 'localhost.'])(
    '%s is this machine',
    async (name) => {
      expect(await lookup(name, { all: true })).toEqual(loopback);
      expect(await lookup(name, {})).toBe('127.0.0.1');
    },
  );

  test('a wanted address family is respected', async () => {
    expect(await lookup('a.localhost', { all: true, family: 6 })).toEqual([loopback[1]]);
    expect(await lookup('a.localhost', { family: 'IPv6' })).toBe('::1');
    expect(await lookup('a.localhost', { all: true, family: 4 })).toEqual([loopback[0]]);
  });

  test('any other name goes to the system', async () => {
    // An address is its own answer, so that no resolver is asked.
    expect(await lookup('192.0.2.7', { all: true })).toEqual([{ address: '192.0.2.7', family: 4 }]);
  });
});
