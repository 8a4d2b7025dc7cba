import { isUtf8 } from 'node:buffer';
import { addAbortListener } from 'node:events';
import { createConnection } from 'mysql2';
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

export const mysql: Database = {
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  query,
  remedies: {
    ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: ADVICE.isWrite,
    ER_ACCESS_DENIED_ERROR: 'check user and password',
    ER_DBACCESS_DENIED_ERROR: 'grant the user SELECT on the database',
    ER_TABLEACCESS_DENIED_ERROR: 'grant the user SELECT on the table',
    ER_COLUMNACCESS_DENIED_ERROR: 'grant the user SELECT on the column',
    ER_BAD_DB_ERROR: ADVICE.noDatabase,
    ER_NO_SUCH_TABLE: ADVICE.noTable,
    ER_BAD_FIELD_ERROR: ADVICE.noColumn,
    ER_PARSE_ERROR: ADVICE.isMalformed,
    ER_NO_DB_ERROR: 'name the database behind the host: mysql://user@host/database',
    // MariaDB's, which has no name in mysql2.
    1969: ADVICE.isSlow,
    ER_QUERY_TIMEOUT: ADVICE.isSlow,
    HANDSHAKE_NO_SSL_SUPPORT: ADVICE.noTls,
    PROTOCOL_CONNECTION_LOST: ADVICE.brokeOff,
  },
};

export const adapter = sqlSource(mysql);

async function query({ request, sql, statementMs, signal, closing }: Query): Promise<Rows> {
  const { tls, password, ...place } = databasePlace(request);
  const connection = createConnection({
    ...place,
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { ssl: tls }),
    connectTimeout: CONNECT_MS,
    charset: 'utf8mb4',
  });
  // The query that is running gets the error; without a listener it would also end the process.
  connection.on('error', () => {});
  closing.defer(() => connection.destroy());
  closing.use(addAbortListener(signal, () => connection.destroy()));
  const ask = (text: string) => connection.promise().query(text);
  const [[about]] = (await ask('select version() as version')) as unknown as [[{ readonly version: string }]];
  const limit = about.version.includes('MariaDB')
    ? `max_statement_time = ${statementMs / 1000}`
    : `max_execution_time = ${statementMs}`;
  await ask(`set session ${limit}`);
  await ask('set session transaction isolation level repeatable read');
  await ask('set session transaction read only');
  await ask('start transaction with consistent snapshot, read only');
  const asked = connection.query({ sql, rowsAsArray: true, typeCast: fieldText });
  const columns = new Promise<string[]>((resolve, reject) => {
    asked.once('fields', (fields?: readonly { readonly name: string }[]) =>
      resolve((fields ?? []).map(({ name }) => name)),
    );
    asked.once('error', reject);
    asked.once('end', () => resolve([]));
  });
  const rows = asked.stream({ highWaterMark: ROWS_AT_ONCE });
  // The promises of the columns and of the rows report the error.
  rows.on('error', () => {});
  return { columns: await columns, pieces: pieces(rows) };
}

interface Field {
  readonly type: string;
  buffer(): Buffer | null;
}

/** The text that the server sends. Bytes that are no text are written as Postgres writes them. */
function fieldText(field: Field): string | null {
  const bytes = field.buffer();
  if (bytes === null) return null;
  if (field.type === 'BIT') return String(BigInt(`0x${bytes.toString('hex') || '0'}`));
  return isUtf8(bytes) ? bytes.toString() : `\\x${bytes.toString('hex')}`;
}

async function* pieces(rows: AsyncIterable<readonly (string | null)[]>) {
  let piece: string[][] = [];
  for await (const cells of rows) {
    if (piece.push(cells.map((cell) => cell ?? '')) < ROWS_AT_ONCE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
