import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { option, words } from '../errors/named-options.ts';
import { messageOf } from '../errors/rollcall-error.ts';
import { shown, shownPath } from '../imports/read/intake-error.ts';
import { defined } from '../platform/defined.ts';
import { isLoopback } from '../platform/hosts.ts';
import { addressName, schemeOf } from '../text/address-text.ts';
import {
  type Adapter,
  badSource,
  type Content,
  type Opened,
  type Remedies,
  type SourceRequest,
  type SourceSettings,
  sourceRefusal,
  trusted,
  UNKNOWN_AUTHORITY,
} from './source.ts';

/** All databases: one query in one transaction that only reads, with values as in the database's own CSV output. */

/** One statement, as the database measures it. */
const STATEMENT_MS = 10 * 60_000;
export const CONNECT_MS = 10_000;
export const ROWS_AT_ONCE = 2_000;

const MAX_QUERY_BYTES = 1024 * 1024;

export interface Database {
  /** Quotes a part of the name of a table. */
  readonly quote: (name: string) => string;
  /** Begins a transaction that only reads, and the query in it. */
  readonly query: (asked: Query) => Promise<Rows>;
  /** Code of an error, its number or its message → what to do. */
  readonly remedies: Remedies;
}

export interface Query {
  readonly request: SourceRequest;
  readonly sql: string;
  readonly statementMs: number;
  readonly signal: AbortSignal;
  /** Ends the connection, behind the rows or after an error. */
  readonly closing: AsyncDisposableStack;
}

export interface Rows {
  readonly columns: readonly string[];
  readonly pieces: AsyncIterable<readonly (readonly string[])[]>;
}

export const ADVICE = {
  isWrite: 'the query may only read: write one SELECT, and call no function that writes',
  noTls: 'turn TLS on in the server, or add ?sslmode=disable to the address where the network is trusted',
  isSlow: 'ask for fewer rows, or add an index',
  noDatabase: 'check the name of the database',
  noTable: 'check the name of the table',
  noColumn: 'check the names of the columns',
  isMalformed: 'correct the query; the file holds one SELECT',
  brokeOff: 'try again, and look into the log of the database',
};

const QUERY_REMEDY = words`name a table with ${option('table')}, or a file with one SELECT with ${option('query')}`;

export function sqlSource(database: Database, statementMs = STATEMENT_MS): Adapter {
  return (request) => {
    const { query, table } = request.settings;
    const name = addressName(request.address);
    if ((query === undefined) === (table === undefined)) {
      throw badSource(`${shown(name)} is a database, of which one table or one query is read`, QUERY_REMEDY);
    }
    return { name, open: (signal) => open(database, request, name, statementMs, signal) };
  };
}

async function open(
  database: Database,
  request: SourceRequest,
  name: string,
  statementMs: number,
  signal: AbortSignal,
): Promise<Opened> {
  const sql = await sqlOf(request.settings, database.quote);
  const closing = new AsyncDisposableStack();
  const failed = (error: unknown): never => {
    throw sourceRefusal(error, { name, signal, remedies: { ...NETWORK, ...database.remedies } });
  };
  try {
    signal.throwIfAborted();
    const rows = await database.query({ request, sql, statementMs, signal, closing });
    return {
      name,
      version: undefined,
      content: contentOf(rows, name, failed),
      close: () => closing.disposeAsync(),
    };
  } catch (error) {
    await closing.disposeAsync();
    return failed(error);
  }
}

function contentOf({ columns, pieces }: Rows, name: string, failed: (error: unknown) => never): Content {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) {
    throw badSource(
      `the query of ${shown(name)} has two columns ${shown(twice)}`,
      'give one of them another name with AS',
    );
  }
  if (columns.length === 0) throw badSource(`the query of ${shown(name)} gives no columns`, ADVICE.isWrite);
  const checked = async function* () {
    try {
      yield* pieces;
    } catch (error) {
      failed(error);
    }
  };
  return { kind: 'rows', columns, pieces: checked() };
}

async function sqlOf({ query, table }: SourceSettings, quote: Database['quote']) {
  if (query === undefined) return `select * from ${(table ?? '').split('.').map(quote).join('.')}`;
  const sql = await readFile(query).catch((cause: unknown) => {
    throw badSource(`the query ${shownPath(query)} cannot be read: ${messageOf(cause)}`, undefined, { cause });
  });
  const text = sql
    .toString()
    .replace(/^\ufeff/, '')
    .trim();
  if (text !== '' && sql.length <= MAX_QUERY_BYTES) return text;
  throw badSource(
    `the file ${shownPath(query)} ${text === '' ? 'is empty' : 'is larger than a query'}`,
    'write one SELECT into it',
  );
}

const NETWORK: Remedies = {
  ECONNREFUSED: 'check host and port, and whether the database runs',
  ENOTFOUND: 'check the name of the host',
  EAI_AGAIN: 'check the name of the host',
  ETIMEDOUT: 'check host and port, and firewalls on the way',
  ECONNRESET: ADVICE.brokeOff,
  ...UNKNOWN_AUTHORITY,
};

/** Returns the place of a database, its user and the present password. TLS is always used outside of this machine, unless the address says `?sslmode=disable`. @throws BAD_SOURCE */
export function databasePlace({ address, ca, secret }: SourceRequest) {
  if (!URL.canParse(address)) {
    throw badSource(
      `${shown(addressName(address))} is not a valid address`,
      `write it as ${schemeOf(address)}://user@host:port/database`,
    );
  }
  const { hostname, port, username, pathname, searchParams } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const database = decodeURIComponent(pathname.slice(1));
  const mode = searchParams.get('sslmode') ?? (isLoopback(hostname) ? 'disable' : 'verify-full');
  if (!/^(?:disable|require|verify-ca|verify-full)$/.test(mode)) {
    throw badSource(
      `sslmode=${mode} is not possible`,
      'write sslmode=verify-full, or sslmode=disable where the network is trusted',
    );
  }
  const isName = isIP(host) === 0;
  return {
    ...defined({
      port: port === '' ? undefined : Number(port),
      user: username === '' ? undefined : decodeURIComponent(username),
      database: database === '' ? undefined : database,
    }),
    host,
    password: secret('password'),
    tls:
      mode === 'disable'
        ? undefined
        : {
            rejectUnauthorized: true as const,
            ...defined({ servername: isName ? host : undefined, ca: ca && trusted(ca) }),
          },
  };
}
