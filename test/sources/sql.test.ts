import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isError, type RollcallError } from '../../src/errors/rollcall-error.ts';
import { mysql } from '../../src/sources/mysql-source.ts';
import { postgres } from '../../src/sources/postgres-source.ts';
import { sourceAt } from '../../src/sources/schemes.ts';
import type { SourceRequest, SourceSettings } from '../../src/sources/source.ts';
import { spool } from '../../src/sources/spool.ts';
import { type Database, sqlSource } from '../../src/sources/sql.ts';
import { sqlite } from '../../src/sources/sqlite-source.ts';
import { startMariadb } from '../servers/mariadb.ts';
import { startPostgres } from '../servers/postgres.ts';
import type { TestServer } from '../servers/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-sql-'));

interface Kind {
  readonly database: Database;
  readonly address: () => string;
  /** Runs a statement that may write. */
  readonly run: (sql: string) => Promise<void>;
  /** Rows 1 to 5,000, the last of which is an error, that have been sent in part before. */
  readonly breaks: string;
  readonly endless: string;
}

const servers: TestServer[] = [];
const file = join(folder, 'members.db');

const KINDS: Readonly<Record<string, Kind>> = {
  postgres: {
    database: postgres,
    address: () => servers[0]?.url ?? '',
    run: async (sql) => {
      const client = new Client({ connectionString: servers[0]?.url });
      await client.connect();
      await client.query(sql);
      await client.end();
    },
    breaks: 'select i as uid, 1 / (5000 - i) as guid from generate_series(1, 5000) as i',
    endless: 'select pg_sleep(1000)',
  },
  mariadb: {
    database: mysql,
    address: () => servers[1]?.url ?? '',
    run: async (sql) => {
      const connection = await createConnection({ uri: servers[1]?.url ?? '', multipleStatements: true });
      await connection.query(sql);
      await connection.end();
    },
    breaks: 'select seq as uid, if(seq = 5000, (select seq from seq_1_to_2), 1) as guid from seq_1_to_5000',
    endless: 'select sleep(1000)',
  },
  sqlite: {
    database: sqlite,
    address: () => `sqlite:${file}`,
    run: async (sql) => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    },
    breaks:
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select i as uid, case when i = 5000 then abs(-9223372036854775808) else 1 end as guid from n',
    endless: 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) as uid from n',
  },
};

beforeAll(async () => {
  servers.push(await startPostgres(), await startMariadb());
  for (const { run } of Object.values(KINDS)) {
    await run('create table members (uid varchar(100), guid varchar(100), big bigint, price decimal(30, 10))');
    await run(
      `insert into members values ('anna', 'g1', 9007199254740993, 12345678901234567890.5), ('bo, "b"', 'g2', null, null), ('cy', null, -1, 0.5)`,
    );
  }
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function request(address: string, settings: SourceSettings, secret?: string): SourceRequest {
  return { address, settings, environment: () => undefined, secret: () => secret, ca: undefined };
}

let files = 0;
function queryFile(sql: string): string {
  files += 1;
  const path = join(folder, `query-${files}.sql`);
  writeFileSync(path, sql);
  return path;
}

/** Returns the stored copy of a source. */
async function kept(kind: Kind, settings: SourceSettings, statementMs?: number, signal?: AbortSignal) {
  const asked = request(kind.address(), settings);
  const source = statementMs ? sqlSource(kind.database, statementMs)(asked) : await sourceAt(asked);
  files += 1;
  const path = join(folder, `kept-${files}.csv`);
  await spool(source, { path, maxBytes: 1e9, signal: signal ?? new AbortController().signal });
  return readFileSync(path, 'utf8');
}

async function refusal(attempt: Promise<unknown>): Promise<RollcallError> {
  const error = await attempt.then(
    () => new Error('it was not refused'),
    (cause: unknown) => cause,
  );
  if (isError(error, 'BAD_SOURCE')) return error;
  throw error;
}

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  test('a table is read with its columns by name; big integers and decimals keep all their digits, and NULL is empty', async () => {
    const decimals =
      name === 'sqlite' ? ['12345678901234567000', '', '0.5'] : ['12345678901234567890.5000000000', '', '0.5000000000'];
    expect(await kept(kind, { table: 'members' })).toBe(
      `uid,guid,big,price\nanna,g1,9007199254740993,${decimals[0]}\n"bo, ""b""",g2,,${decimals[1]}\ncy,,-1,${decimals[2]}\n`,
    );
  });

  test('a query in a file is read; without rows, its columns are there', async () => {
    const all = queryFile('-- the members\nselect guid, uid as member from members order by uid;\n-- that is all\n');
    expect(await kept(kind, { query: all })).toBe('guid,member\ng1,anna\ng2,"bo, ""b"""\n,cy\n');
    expect(await kept(kind, { query: queryFile('select uid from members where 1 = 0') })).toBe('uid\n');
  });

  test('many rows are all there', async () => {
    const rows = queryFile(kind.breaks.replace(/1 \/ \(5000 - i\)|if\(.*\), 1\)|case .* end/, '7'));
    const lines = (await kept(kind, { query: rows })).trimEnd().split('\n');
    expect(lines).toEqual(['uid,guid', ...Array.from({ length: 5_000 }, (_, at) => `${at + 1},7`)]);
  });

  test.each([
    'insert into members values (null, null, null, null)',
    'delete from members',
    'drop table members',
    'create table other (a int)',
  ])('a query that writes is refused, and changes nothing: %s', async (sql) => {
    const error = await refusal(kept(kind, { query: queryFile(sql) }));
    expect(error.message).toMatch(/read.?only|no columns/i);
    expect(String(error.remedy)).toContain('only read');
    expect((await kept(kind, { table: 'members' })).split('\n')).toHaveLength(5);
  });

  test('two statements are refused', async () => {
    expect(
      (await refusal(kept(kind, { query: queryFile('select 1 as a; delete from members') }))).remedy,
    ).toBeDefined();
    expect((await kept(kind, { table: 'members' })).split('\n')).toHaveLength(5);
  });

  test('a query that ends with an error after rows leaves nothing', async () => {
    const path = join(folder, `${name}-broken.csv`);
    const source = await sourceAt(request(kind.address(), { query: queryFile(kind.breaks) }));
    await refusal(spool(source, { path, maxBytes: 1e9, signal: new AbortController().signal }));
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });

  test('a query that never returns is ended, by its time and by who asked', async () => {
    const query = queryFile(kind.endless);
    const slow = await refusal(kept(kind, { query }, 300));
    expect(slow.remedy).toBe('ask for fewer rows, or add an index');
    const stop = new AbortController();
    const reading = kept(kind, { query }, 100_000, stop.signal);
    reading.catch(() => {});
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(reading).rejects.toThrow('stopped');
  });

  test.each([
    ['no such table', { table: 'nothing' }, /nothing/, 'check the name of the table'],
    ['no such column', { query: 'select nix from members' }, /nix/, 'check the names of the columns'],
    ['what is no SQL', { query: 'selekt uid from members' }, /syntax/i, 'correct the query'],
    ['two columns of one name', { query: 'select uid, guid as uid from members' }, /two columns "uid"/, 'AS'],
    ['an empty query', { query: '' }, /is empty/, 'write one SELECT into it'],
  ])('%s is refused with what to do', async (_, { table, query }: { table?: string; query?: string }, what, remedy) => {
    const settings = table === undefined ? { query: queryFile(query ?? '') } : { table };
    const error = await refusal(kept(kind, settings));
    expect(error.message).toMatch(what);
    expect(String(error.remedy)).toContain(remedy);
  });

  test('a query file that is not there is named, and neither a table nor a query is refused', async () => {
    expect((await refusal(kept(kind, { query: join(folder, 'none.sql') }))).message).toContain('none.sql');
    expect(() => sqlSource(kind.database)(request(kind.address(), {}))).toThrow('one table');
  });
});

describe('values are the text of the CSV output of', () => {
  test('Postgres', async () => {
    const query = queryFile(
      `select true as yes, date '2024-03-01' as day, timestamptz '2024-03-01 18:00+00' at time zone 'UTC' as at, array['a', 'b,c'] as list, '{"a": 1.50}'::jsonb as json, 'NaN'::float8 as f, 0.1::real as r, '\\x00ff'::bytea as bytes, interval '1 day' as i, 'ü👍' as text`,
    );
    const client = new Client({ connectionString: servers[0]?.url });
    expect(await kept(KINDS['postgres'] as Kind, { query })).toBe(
      'yes,day,at,list,json,f,r,bytes,i,text\nt,2024-03-01,2024-03-01 18:00:00,"{a,""b,c""}","{""a"": 1.50}",NaN,0.1,\\x00ff,1 day,ü👍\n',
    );
    await client.end();
  });

  test('MariaDB', async () => {
    const query = queryFile(
      `select true as yes, date '2024-03-01' as day, timestamp '2024-03-01 18:00:00.5' as at, json_object('a', 1.50) as json, x'00ff' as bytes, x'6162' as text, b'101' + 0 as bits, 'ü👍' as utf`,
    );
    expect(await kept(KINDS['mariadb'] as Kind, { query })).toBe(
      'yes,day,at,json,bytes,text,bits,utf\n1,2024-03-01,2024-03-01 18:00:00.5,"{""a"": 1.50}",\\x00ff,ab,5,ü👍\n',
    );
  });

  test('SQLite', async () => {
    const query = queryFile(
      `select 1.0 as r, 0.1 as d, 9223372036854775807 as i, x'00ff' as bytes, 'ü👍' as utf, null as n`,
    );
    expect(await kept(KINDS['sqlite'] as Kind, { query })).toBe(
      'r,d,i,bytes,utf,n\n1.0,0.1,9223372036854775807,\\x00ff,ü👍,\n',
    );
  });
});

describe('a database that cannot be asked', () => {
  const ask = (address: string, secret?: string) =>
    refusal(
      sourceAt(request(address, { table: 'members' }, secret)).then((source) =>
        source.open(new AbortController().signal),
      ),
    );

  test('a wrong password, an unknown database and a user without permission are named, and no password', async () => {
    await KINDS['mariadb']?.run("create user reader@'127.0.0.1' identified by 'right-one'");
    const reader = new URL(KINDS['mariadb']?.address() ?? '');
    reader.username = 'reader';
    const wrong = await ask(reader.href, 'wrong-one');
    expect(wrong.remedy).toBe('check user and password');
    expect(`${wrong.message} ${wrong.stack}`).not.toContain('wrong-one');
    expect((await ask(reader.href, 'right-one')).remedy).toContain('SELECT');

    await KINDS['postgres']?.run('create role reader login');
    const other = new URL(KINDS['postgres']?.address() ?? '');
    other.username = 'reader';
    expect((await ask(other.href)).remedy).toBe('grant the user SELECT on it');
    other.pathname = '/nothing';
    expect((await ask(other.href)).remedy).toBe('check the name of the database');
  });

  test.each(['postgres', 'mysql'])(
    '%s: a server that is not there, and one without TLS, are refused with what to do',
    async (scheme) => {
      expect((await ask(`${scheme}://reader@127.0.0.1:1/app`)).remedy).toContain('host and');
      const address = new URL(KINDS[scheme === 'mysql' ? 'mariadb' : scheme]?.address() ?? '');
      address.search = '?sslmode=verify-full';
      expect((await ask(address.href)).remedy).toContain('sslmode=disable');
      address.search = '?sslmode=maybe';
      expect((await ask(address.href)).message).toContain('sslmode=maybe');
    },
  );

  test('a database that is killed in the middle leaves nothing', async () => {
    const [server] = servers;
    const source = await sourceAt(request(server?.url ?? '', { query: queryFile(KINDS['postgres']?.endless ?? '') }));
    const reading = refusal(source.open(new AbortController().signal));
    await server?.kill();
    expect((await reading).message).toContain('be read');
    await server?.start();
  });

  test('a file that is no database of SQLite is refused', async () => {
    writeFileSync(join(folder, 'text.db'), 'uid,guid\n'.repeat(100));
    expect((await ask(`sqlite:${join(folder, 'text.db')}`)).message).toContain('not a database');
    expect((await ask(`sqlite:${join(folder, 'none.db')}`)).message).toContain('no database');
  });
});
