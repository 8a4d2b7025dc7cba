import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

/** Requests of one client are bounded work for the thread that answers all. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const post = (body: string | Buffer) =>
  server.fetch('/v1/look', { method: 'POST', headers: { 'content-type': 'text/csv' }, body });

/** CPU time that this thread, which is the server's, takes until the answer is there, in microseconds. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const SMALL = `guid,uid\n${Array.from({ length: 20 }, (_, at) => `g,u${at}`).join('\n')}\n`;

describe('a preview costs the server about what any other costs', () => {
  let usual: number;
  beforeAll(async () => {
    for (let warm = 0; warm < 5; warm += 1) await (await post(SMALL)).text();
    usual = Math.max(
      ...(await Promise.all(Array.from({ length: 3 }, () => cost(async () => (await post(SMALL)).text())))),
    );
  });

  test.each<[what: string, body: string | Buffer]>([
    ['a header of five thousand columns without a name', `guid,uid${','.repeat(5_000)}\ng,u\n`],
    ['a header that repeats one name', `guid,uid${',name'.repeat(5_000)}\ng,u\n`],
    ['blank lines, gzipped', gzipSync(`guid,uid\n${'\n'.repeat(60_000)}g,u\n`)],
    ['a gzipped file that unpacks to many times its size', gzipSync(`guid,uid\n${'g,u\n'.repeat(2_000_000)}`)],
    [
      'a JSON element with thousands of keys',
      `[{"guid":"g","uid":"u",${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`)}}]`,
    ],
  ])('%s', async (_, body) => {
    const taken = await cost(async () => (await post(body)).text());
    expect(taken).toBeLessThan(30 * Math.max(usual, 10_000));
  });
});

describe('a page of rows is bounded in bytes, too', () => {
  interface Page {
    readonly rows: readonly { readonly row: number; readonly original: Record<string, string> }[];
    readonly nextCursor: string | null;
  }
  const COLUMNS = 900;
  const ROWS = 900;
  let id: string;
  beforeAll(async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => `g,u${at},x`).join('\n');
    ({ id } = await server.run(`guid,uid${',column'.repeat(COLUMNS)}\n${rows}\n`));
  });

  test('and all rows are there, each once, when one goes on from page to page', async () => {
    const seen: number[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const response = await server.fetch(`/v1/imports/${id}/rows?limit=1000${cursor && `&cursor=${cursor}`}`);
      const text = await response.text();
      expect(text.length).toBeLessThan(5 * 1024 * 1024);
      const page: Page = JSON.parse(text);
      expect(Object.keys(page.rows[0]?.original ?? {})).toHaveLength(COLUMNS + 2);
      seen.push(...page.rows.map(({ row }) => row));
      cursor = page.nextCursor;
      pages += 1;
    }
    expect(pages).toBeGreaterThan(2);
    expect(seen).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1));
  });

  test('and costs the thread that answers everyone a fraction of what reading it costs', async () => {
    const ask = (limit: number) =>
      cost(async () => (await server.fetch(`/v1/imports/${id}/rows?limit=${limit}`)).body?.cancel());
    await ask(1);
    const one = await ask(1);
    expect(await ask(1_000)).toBeLessThan(30 * Math.max(one, 10_000));
  });
});
