import { expect, test } from 'vitest';
import { checkRedirect } from '../../src/syncs/schedule/download.ts';

/** Where a source may lead: names and their addresses are given, nothing is asked of the network. */

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'files.example': ['93.184.215.14'],
  'cdn.example': ['93.184.215.15', '2606:2800::1'],
  'inside.example': ['93.184.215.16', '10.0.0.5'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'intranet.example': ['192.168.1.2'],
};
const resolve = async (host: string) => (ADDRESSES[host] ?? [host]).map((address) => ({ address }));
const follow = (from: string, to: string) =>
  checkRedirect(new URL(`https://${from}/a.csv`), new URL(`https://${to}/b.csv`), 'the source', resolve);

test.each(['inside.example', 'mapped.example', 'intranet.example', '169.254.169.254', '[::1]', '10.1.2.3'])(
  'a public source does not lead to %s',
  async (to) => {
    await expect(follow('files.example', to)).rejects.toThrow(/private network/);
  },
);

test.each([
  ['files.example', 'cdn.example'],
  ['files.example', 'files.example'],
  ['intranet.example', '10.1.2.3'],
  ['intranet.example', 'cdn.example'],
])('%s may lead to %s', async (from, to) => {
  await expect(follow(from, to)).resolves.toBeUndefined();
});
