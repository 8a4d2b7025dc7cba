import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { FoundMember } from '../../src/api/members.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Page {
  readonly members: readonly FoundMember[];
  readonly nextCursor: string | null;
}

let server: TestServer;
let newest: ImportView;
beforeAll(async () => {
  server = await startTestServer();
  await server.run('guid,uid\ng1,anna-s\ng2,ANNA-S\ng1,joanna\ng1,a_b\ng1,acb\n', 'name=oldest.csv');
  await server.run('guid,uid\ng3,Anna-S\ng3,hannah\ng3,not anna!\n', 'name=staged.csv&dryRun=true');
  newest = await server.run('guid,uid\ng4,hannah\n', 'name=newest.csv');
});
afterAll(() => server.close());

const page = (query: string) => server.json<Page>(`/v1/members?${query}`);

describe('a search for a part of a UID', () => {
  test('finds it at the beginning and inside, in any case, in all imports, the newest first', async () => {
    const { members, nextCursor } = await page('text=ANNA');
    expect(members.map(({ uid, rows, imports, newest: { file } }) => [uid, rows, imports, file])).toEqual([
      ['hannah', 2, 2, 'newest.csv'],
      ['Anna-S', 3, 2, 'staged.csv'],
      ['not anna!', 1, 1, 'staged.csv'],
      ['joanna', 1, 1, 'oldest.csv'],
    ]);
    expect(members[0]?.newest).toEqual({ importId: newest.id, file: 'newest.csv', createdAt: newest.createdAt });
    expect(nextCursor).toBeNull();
  });

  test('is the same over pages of any size, once their counts are added', async () => {
    for (const limit of [1, 2, 3]) {
      const rows = new Map<string, number>();
      let cursor: string | null = '';
      while (cursor !== null) {
        const { members, nextCursor }: Page = await page(`text=anna&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(members.length).toBeLessThanOrEqual(limit);
        for (const { uid, rows: n } of members) rows.set(uid.toLowerCase(), (rows.get(uid.toLowerCase()) ?? 0) + n);
        cursor = nextCursor;
      }
      expect(Object.fromEntries(rows), `${limit} a page`).toEqual({
        hannah: 2,
        'anna-s': 3,
        'not anna!': 1,
        joanna: 1,
      });
    }
  });

  test('takes every character as it is', async () => {
    const { members } = await page('text=a_b');
    expect(members.map(({ uid }) => uid)).toEqual(['a_b']);
    expect((await page('text=%25%25%25')).members).toEqual([]);
  });

  test('of less than three characters is refused, and says what is allowed', async () => {
    expect(await server.problem('/v1/members?text=an')).toMatchObject({
      code: 'BAD_OPTION',
      field: 'text',
      detail: 'text is "an": it must have at least 3 characters.',
    });
    expect(await server.problem('/v1/members')).toMatchObject({ code: 'BAD_OPTION', field: 'text' });
  });

  test('refuses a cursor of something else', async () => {
    expect(await server.problem('/v1/members?text=anna&cursor=x')).toMatchObject({ code: 'BAD_CURSOR' });
  });
});
