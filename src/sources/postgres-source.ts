import { addAbortListener } from 'node:events';
import pg from 'pg';
import Cursor from 'pg-cursor';
import {
  ADVICE,
  CONNECT_MS,
  type Database,
  databasePlace,
  type Query,
  ROWS_AT_ONCE,
  type Rows,
  sqlSource,
} from './sql.ts';

export const postgres: Database = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  query,
  remedies: {
    '25006': ADVICE.isWrite,
    '28P01': 'check user and password',
    '28000': 'check user and password, and pg_hba.conf of the server',
    '3D000': ADVICE.noDatabase,
    '42P01': 'check the name of the table, with its schema',
    '42703': ADVICE.noColumn,
    '42501': 'grant the user SELECT on it',
    '42601': ADVICE.isMalformed,
    '53300': 'try again when the database has fewer connections',
    '57014': ADVICE.isSlow,
    'The server does not support SSL connections': ADVICE.noTls,
    '57P01': 'try again when the database runs',
  },
};

export const adapter = sqlSource(postgres);

/** Everything as the text that Postgres sends, which is that of its CSV output. */
const AS_TEXT = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig;

async function query({ request, sql, statementMs, signal, closing }: Query): Promise<Rows> {
  const { tls, ...place } = databasePlace(request);
  const client = new pg.Client({
    // Without a password, PGPASSWORD or ~/.pgpass may have it, as for psql.
    ...place,
    ssl: tls ?? false,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'rollcall',
    keepAlive: true,
  });
  // The query that is running gets the error; without a listener it would also end the process.
  client.on('error', () => {});
  closing.defer(() => client.end().catch(() => {}));
  // If a query is running, this ends the connection at once, and the server notices.
  closing.use(addAbortListener(signal, () => void client.end().catch(() => {})));
  await client.connect();
  await client.query('begin transaction isolation level repeatable read, read only');
  await client.query(`set local statement_timeout = ${statementMs}`);
  await client.query(`set local idle_in_transaction_session_timeout = 0`);
  await client.query("set local datestyle = 'ISO, YMD'");
  const cursor = client.query(new Cursor(sql, [], { rowMode: 'array', types: AS_TEXT }));
  const first = await read(cursor);
  return { columns: first.fields.map(({ name }) => name), pieces: pieces(cursor, first.rows) };
}

interface Fetched {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields: readonly pg.FieldDef[];
}

function read(cursor: Cursor): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    cursor.read(ROWS_AT_ONCE, (error, rows, { fields } = { fields: [] } as never) =>
      error ? reject(error) : resolve({ rows, fields }),
    );
  });
}

async function* pieces(cursor: Cursor, first: Fetched['rows']) {
  for (let rows = first; rows.length > 0; rows = (await read(cursor)).rows) {
    yield rows.map((cells) => cells.map((cell) => cell ?? ''));
  }
}
