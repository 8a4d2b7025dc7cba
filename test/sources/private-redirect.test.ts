import type { LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { keepOutside } from '../../src/sources/https-source.ts';

/** The targets that a source may lead to: names and their addresses are given, nothing is asked of the network. */

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'files.example': ['93.184.215.14'],
  'cdn.example': ['93.184.215.15', '2606:2800::1'],
  'inside.example': ['93.184.215.16', '10.0.0.5'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'intranet.example': ['192.168.1.2'],
};

type Names = Readonly<Record<string, readonly string[]>>;

const namesOf =
  (names: () => Names): LookupFunction =>
  (host, _options, done) =>
    done(
      null,
      (names()[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

/**
 * Returns the addresses to which a source and its redirect connect, one after the other; the names may change in
 * between.
 */
async function connect(from: string, to: string, later: Names = ADDRESSES): Promise<unknown[]> {
  let names = ADDRESSES;
  const outside = keepOutside(
    new URL(`https://${from}/a.csv`),
    undefined,
    namesOf(() => names),
  );
  const look = (host: string, options: LookupOptions = { all: true }) =>
    new Promise<unknown>((resolve, reject) => {
      // Looks up like a socket: an address is not looked up.
      if (!(host in ADDRESSES)) return resolve(host);
      outside.lookup(host, options, (error, address) => (error === null ? resolve(address) : reject(error)));
    });
  const first = await look(from, { all: false });
  names = later;
  outside.check(new URL(`https://${to}/b.csv`), `https://${from}/a.csv`);
  return [first, await look(to, { all: false }), await look(to)];
}

test.each(['inside.example', 'mapped.example', 'intranet.example', '169.254.169.254', '[::1]', '10.1.2.3'])(
  'a public source does not lead to %s',
  async (to) => {
    await expect(connect('files.example', to)).rejects.toThrow(/files\.example\/a\.csv /);
  },
);

test.each([
  ['files.example', 'cdn.example'],
  ['files.example', 'files.example'],
  ['intranet.example', '10.1.2.3'],
  ['intranet.example', 'cdn.example'],
])('%s may lead to %s', async (from, to) => {
  await expect(connect(from, to)).resolves.toHaveLength(3);
});

describe('a name that has another address when the connection is made', () => {
  test.each(['cdn.example', 'files.example'])('is refused: %s', async (to) => {
    const later = { ...ADDRESSES, [to]: ['127.0.0.1'] };
    await expect(connect('files.example', to, later)).rejects.toThrow(/private network/);
  });
});

test('the connection goes to the addresses that were checked', async () => {
  expect(await connect('files.example', 'cdn.example')).toEqual([
    '93.184.215.14',
    '93.184.215.15',
    [
      { address: '93.184.215.15', family: 4 },
      { address: '2606:2800::1', family: 6 },
    ],
  ]);
});
