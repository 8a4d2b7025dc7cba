import { spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { shownPath } from '../imports/read/intake-error.ts';
import { badSource } from './source.ts';
import { ADVICE, type Database, type Query, ROWS_AT_ONCE, type Rows, sqlSource } from './sql.ts';

const PROCESS = fileURLToPath(new URL(`./sqlite-process${extname(import.meta.url)}`, import.meta.url));

export const sqlite: Database = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  query,
  remedies: {},
};

export const adapter = sqlSource(sqlite);

/** Advice by SQLite's message. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/readonly database/, 'the query may only read: write one SELECT'],
  [/more than one statement/, 'leave one SELECT in the file'],
  [/no such table/, ADVICE.noTable],
  [/no such column/, ADVICE.noColumn],
  [/not a database|malformed/, 'name a database file of SQLite that is whole'],
  [/syntax error|incomplete input/, ADVICE.isMalformed],
];

async function query({ request, sql, statementMs, signal, closing }: Query): Promise<Rows> {
  const path = resolve(request.address.replace(/^\s*sqlite:(?:\/\/)?/i, ''));
  const at = shownPath(path);
  // SQLite would say only that it cannot open it.
  const status = await stat(path).catch((cause: Error) => {
    throw badSource(`there is no database ${at}: ${cause.message}`, 'check the path', { cause });
  });
  if (!status.isFile()) throw badSource(`${at} is no file`, 'name the file of the database');
  signal.throwIfAborted();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').catch(() => []);
  const slow = AbortSignal.timeout(statementMs);
  const kill = () => child.kill('SIGKILL');
  closing.use(addAbortListener(AbortSignal.any([signal, slow]), kill));
  closing.defer(async () => {
    kill();
    await ended;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ path, sql, atOnce: ROWS_AT_ONCE }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<readonly unknown[]> => {
    const { value, done } = await lines.next();
    signal.throwIfAborted();
    if (slow.aborted) throw badSource(`the query of ${at} takes longer than ${statementMs / 1000} s`, ADVICE.isSlow);
    if (done === true) throw badSource(`the query of ${at} has ended without all of its rows`);
    const said = JSON.parse(value) as readonly unknown[] | { readonly message: string };
    if (!('message' in said)) return said;
    const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(said.message)) ?? [];
    throw badSource(`${at} cannot be read: ${said.message}`, remedy);
  };
  async function* pieces() {
    // The last piece is the one that is not full.
    for (let size = ROWS_AT_ONCE; size === ROWS_AT_ONCE; ) {
      const rows = (await next()) as readonly (readonly string[])[];
      size = rows.length;
      yield rows;
    }
  }
  return { columns: (await next()) as readonly string[], pieces: pieces() };
}
