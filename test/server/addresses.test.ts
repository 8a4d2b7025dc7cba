import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { addressesForOthers } from '../../src/platform/hosts.ts';

const four = { netmask: '', mac: '', cidr: null, family: 'IPv4' } as const;
const six = { netmask: '', mac: '', cidr: null, family: 'IPv6', scopeid: 0 } as const;
const INTERFACES: Record<string, NetworkInterfaceInfo[]> = {
  lo: [
    { ...four, internal: true, address: '127.0.0.1' },
    { ...six, internal: true, address: '::1' },
  ],
  eth0: [
    { ...four, internal: false, address: '192.0.2.7' },
    { ...six, internal: false, address: '2001:db8::7' },
    // Only reachable with the name of the interface.
    { ...six, internal: false, address: 'fe80::7', scopeid: 2 },
  ],
};

test.each([
  ['127.0.0.1', []],
  ['0.0.0.0', ['http://192.0.2.7:7700']],
  ['::', ['http://192.0.2.7:7700', 'http://[2001:db8::7]:7700']],
])('a server that listens on %s can be opened from other machines at %j', (host, others) => {
  expect(addressesForOthers('http://127.0.0.1:7700', host, INTERFACES)).toEqual(others);
});
