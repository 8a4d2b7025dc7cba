import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceReader } from '../../src/sources/obtain.ts';
import { isAway, type SourceSettings } from '../../src/sources/source.ts';
import { rejection } from '../chat/chat-server.ts';
import { freePort } from '../servers/program.ts';
import { tempDir } from '../temp-dir.ts';

const VALUES: Record<string, string> = { KEY: 'key' };
const key = 'env:KEY';

function error(source: string, given: SourceSettings = {}): Promise<unknown> {
  return rejection(
    sourceReader({ sources: [], named: {}, ca: undefined, environment: (variable) => VALUES[variable] })(
      { source, given, maxBytes: 1_000, copy: null, restricted: false },
      { folder: join(tempDir(), 'kept'), signal: new AbortController().signal },
    ),
  );
}

test.each<[string, (at: string) => readonly [address: string, settings?: SourceSettings]]>([
  ['a web server', (at) => [`https://${at}/members.csv`]],
  ['a database of Postgres', (at) => [`postgres://ann@${at}/hr`, { table: 'members' }]],
  ['a database of MySQL', (at) => [`mysql://ann@${at}/hr`, { table: 'members' }]],
  ['an SFTP server', (at) => [`sftp://ann@${at}/members.csv`, { secrets: { password: key } }]],
  [
    'a bucket',
    (at) => [
      's3://hr/members.csv',
      { endpoint: `http://${at}`, region: 'eu', secrets: { accessKeyId: key, secretAccessKey: key } },
    ],
  ],
])('%s at which nothing listens may answer later', async (_, source) => {
  const found = await error(...source(`127.0.0.1:${await freePort()}`));
  expect(String(found)).toMatch(/ECONNREFUSED|reached/);
  expect(isAway(found)).toBe(true);
});

test('a file that is not there, and a source without what it needs, stay as they are', async () => {
  expect(isAway(await error(join(tempDir(), 'members.csv')))).toBe(false);
  expect(isAway(await error('postgres://ann@127.0.0.1/hr'))).toBe(false);
  expect(isAway(new Error('connect ECONNREFUSED'))).toBe(false);
});
