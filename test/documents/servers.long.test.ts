import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../chat/chat-server.ts';
import { createAuthority } from '../chat/tls-authority.ts';
import { members, openSandboxPlace } from '../cli/workplace.ts';
import { startMariadb } from '../servers/mariadb.ts';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import { startSshd } from '../servers/sshd.ts';
import { KEYS, startS3 } from '../sources/s3-server.ts';
import { blocksOf } from './blocks.ts';
import { readAlong } from './reader.ts';

/** Documents whose commands need servers. */

const TEAM = members([
  ['team', 'ann'],
  ['team', 'ben'],
]);

test('docs/workers.md: its commands do what they should, over Redis', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const place = await openSandboxPlace();
  place.file('members.csv', TEAM);
  const own = { 'redis://queue.internal:6379': redis.url, '9090': '0' };
  expect(await readAlong('docs/workers.md', place, { own })).toEqual([]);
  expect(place.sandbox.members('us', 'team').size).toBe(2);
});

test('docs/addresses.md: its commands do what they should, with files, buckets and databases of servers', async () => {
  const place = await openSandboxPlace();
  const at = (name: string) => join(place.root, name);
  const [sshd, postgres, mariadb, s3] = await Promise.all([startSshd(), startPostgres(), startMariadb(), startS3()]);
  onTestFinished(async () => void (await Promise.all([sshd.stop(), postgres.stop(), mariadb.stop(), s3.close()])));

  mkdirSync(join(sshd.dir, 'files/out'));
  for (const name of ['members.csv', 'members-1.csv']) writeFileSync(join(sshd.dir, 'files/out', name), TEAM);
  writeFileSync(join(sshd.dir, 'files/out/people.csv'), 'uid,email\nann,ann@x.example\n');
  place.file('m.csv', 'guid,E-mail\nteam,ann@x.example\n');
  mkdirSync(at('.ssh'));
  cpSync(sshd.knownHosts, at('.ssh/known_hosts'));

  const modifiedAt = new Date('2026-11-20');
  s3.objects.set('members.csv', { bytes: Buffer.from(TEAM), modifiedAt });
  s3.objects.set('groups.csv', { bytes: Buffer.from('name,guid\nteam,all-staff\n'), modifiedAt });
  s3.objects.set('members/2026-11.csv.gz', { bytes: gzipSync(TEAM), modifiedAt });

  const tables = [
    'create table memberships (region varchar(9), group_id varchar(100), user_id varchar(100))',
    "insert into memberships values ('us', 'team', 'ann'), ('us', 'team', 'ben')",
  ];
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const connection = await createConnection({ uri: mariadb.url });
  const sqlite = new DatabaseSync(at('app.db'));
  for (const sql of tables) {
    await client.query(sql);
    await connection.query(sql);
    sqlite.exec(sql);
  }
  await client.end();
  await connection.query("create user reader@'127.0.0.1' identified by 'of the database'");
  await connection.query("grant select on memberships to reader@'127.0.0.1'");
  await connection.end();
  sqlite.close();

  const { ca, issue } = await createAuthority();
  const web = createServer(await issue(['localhost']), ({ url = '', headers }, reply) => {
    const [, page] = /^\/members\?page=(\d)$/.exec(url) ?? [];
    if (page === undefined) return reply.end(TEAM);
    const data = ['ann', 'ben'].map((uid) => ({ uid: `${uid}-${page}`, guid: 'team' }));
    const next = page === '3' ? null : `https://${headers.host}/members?page=${Number(page) + 1}`;
    return reply.end(JSON.stringify({ data, next }));
  });
  const authorities = place.file('authorities.pem', `${place.sandbox.caPem}\n${ca}`);
  Object.assign(place.env, {
    ROLLCALL_CA_FILE: at(authorities),
    CURL_CA_BUNDLE: at(authorities),
    EXPORT_TOKEN: 'of the export',
    DB_PASSWORD: 'of the database',
    AWS_ENDPOINT_URL: s3.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  });
  const own = {
    'sftp://feeds@hr.example.com': sshd.url,
    'https://hr.example.com': `https://${await listen(web)}`,
    '~/.ssh/hr_key': sshd.keyFile,
    '/etc/rollcall/hr_key': sshd.keyFile,
    'https://minio.internal': s3.endpoint,
    'postgres://reader@db.internal/app': postgres.url,
    'mysql://reader@db.internal/app': mariadb.url.replace('root@', 'reader@'),
    '/run/secrets/db': at(place.file('password', 'of the database')),
    '/srv/app/app.db': at('app.db'),
  };
  place.file('members.sql', 'select region, group_id as guid, user_id as uid from memberships');
  for (const [name, script] of [
    ['export-members', `printf '${TEAM.replaceAll('\n', '\\n')}'`],
    ['count-members', 'echo 2'],
  ] as const) {
    place.file(name, `#!/bin/sh\n${script}\n`);
    chmodSync(at(name), 0o755);
  }
  let [settings = ''] = blocksOf('docs/addresses.md').flatMap(({ language, text }) =>
    language === 'json' ? text : [],
  );
  for (const [example, value] of Object.entries(own)) settings = settings.replaceAll(example, value);
  place.file('rollcall.config.json', settings);
  const before = { 'rollcall import m.csv --min-rows': { files: { 'm.csv': TEAM } } };
  // Two rows are fewer than a thousand.
  const ends = { 'rollcall import m.csv --min-rows': 2 };
  // The home has the keys of known hosts.
  const atHome = /sftp:|hr:|sources/;
  expect(await readAlong('docs/addresses.md', place, { own, before, ends, atHome })).toEqual([]);
});

test('docs/nightly.md: a table becomes groups that follow it, word by word', async () => {
  const place = await openSandboxPlace();
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('create table memberships (user_id text, group_id text, left_at timestamptz)');
  await client.query(
    "insert into memberships values ('ann', 'team', null), ('ben', 'team', null), ('old', 'team', now())",
  );
  await client.end();
  place.env['SOURCE_APP_PASSWORD'] = 'of the database';
  const [settings = ''] = blocksOf('docs/nightly.md').flatMap(({ language, text }) =>
    language === 'json' ? text : [],
  );
  const [query = ''] = blocksOf('docs/nightly.md').flatMap(({ language, text }) => (language === 'sql' ? text : []));
  place.file('rollcall.config.json', settings.replace('postgres://reader@db.internal/app', postgres.url));
  place.file('members.sql', query);
  expect(await readAlong('docs/nightly.md', place, {})).toEqual([]);
  expect([...place.sandbox.members('us', 'team').keys()]).toEqual(['ann', 'ben']);
});
