import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { FoundMember, MemberNow } from '../../src/api/members.ts';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { whereNow } from '../../src/server/member-routes.ts';
import { askerOf } from '../sandbox/open-sandbox.ts';
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
    expect(members.map(({ uid, newest: { file } }) => [uid, file])).toEqual([
      ['hannah', 'newest.csv'],
      ['Anna-S', 'staged.csv'],
      ['not anna!', 'staged.csv'],
      ['joanna', 'oldest.csv'],
    ]);
    expect(members[0]?.newest).toEqual({ importId: newest.id, file: 'newest.csv', createdAt: newest.createdAt });
    expect(nextCursor).toBeNull();
  });

  test('finds the same over pages of any size, each user once in an import', async () => {
    for (const limit of [1, 2, 3]) {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { members, nextCursor }: Page = await page(`text=anna&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(members.length).toBeLessThanOrEqual(limit);
        found.push(...members.map(({ uid, newest: { file } }) => `${uid.toLowerCase()} in ${file}`));
        cursor = nextCursor;
      }
      expect(new Set(found).size, `${limit} a page`).toBe(found.length);
      expect(new Set(found.map((one) => one.replace(/ in .*/, '')))).toEqual(
        new Set(['hannah', 'anna-s', 'not anna!', 'joanna']),
      );
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

describe('the question where a user is now', () => {
  let server: TestServer;
  /** The service, past the server. */
  let service: ChatClient;
  let saysJoined = true;
  const ask = (uid: string) => server.json<MemberNow>(`/v1/members/${uid}/ask`, { method: 'POST' });
  const inShort = ({ groups }: MemberNow) =>
    groups.map(({ guid, now, scope, differs, history }) => [guid, now, scope, differs, history?.status ?? null]);

  beforeAll(async () => {
    server = await startTestServer({
      sandbox: { groups: 0 },
      chat: (chat) => {
        service = chat;
        const listJoined: ChatClient['listJoined'] = async (uid, options) => {
          const { entries, pagination: _, ...meta } = await chat.listPage('groups', '', 1, options);
          if (saysJoined) return chat.listJoined(uid, options);
          return { ...meta, groups: entries.map(({ guid }) => ({ guid, hasJoined: null, scope: null })) };
        };
        return { ...chat, listJoined };
      },
    });
    for (const guid of ['stays', 'left', 'barred', 'rose', 'closed', 'out', 'forgiven', 'back', 'outside']) {
      server.sandbox.addGroup('us', guid);
    }
    await server.run(
      'guid,uid,scope\nstays,Otto,participant\nleft,otto,participant\nbarred,otto,participant\nrose,otto,participant\nclosed,otto,participant\nout,otto,ban\nout,other,participant\nforgiven,otto,ban\nstays,be!n,participant\n',
      'name=otto.csv',
    );
    await server.run('guid,uid,action\nback,otto,add\n', 'name=back.csv&shape={"actions":{}}');
    await server.run('guid,uid,action\nback,otto,remove\n', 'name=gone.csv&shape={"actions":{}}');
    await service.removeMember('left', 'otto');
    await service.addMembers('barred', { usersToBan: ['otto'] });
    await service.changeScope('rose', 'otto', 'admin');
    const sandbox = askerOf(server.sandbox);
    expect((await sandbox.ask('DELETE', '/v3/groups/closed')).status).toBe(200);
    await sandbox.end();
    await service.unbanMember('forgiven', 'otto');
    await service.addMembers('outside', { moderators: ['otto'] });
    await service.addMembers('back', { participants: ['otto'] });
  });

  afterAll(() => server.close());

  test('says of each group where the user is, as the service says, and what is not as imports left it', async () => {
    const answer = await ask('OTTO');
    expect(inShort(answer)).toEqual([
      ['back', 'member', 'participant', true, 'removed'],
      ['barred', 'banned', null, true, 'added'],
      ['closed', 'no-group', null, true, 'added'],
      ['forgiven', 'not-member', null, true, 'banned'],
      ['left', 'not-member', null, true, 'added'],
      ['rose', 'member', 'admin', true, 'added'],
      ['out', 'banned', null, false, 'banned'],
      ['outside', 'member', 'moderator', false, null],
      ['stays', 'member', 'participant', false, 'added'],
    ]);
    expect(answer.regions).toEqual([{ region: 'us', problem: null, isWhole: true }]);
    expect(answer.historyIsWhole).toBe(true);
  });

  test('asks of each group where the service does not say which groups are the user’s', async () => {
    saysJoined = false;
    const answer = await ask('otto');
    saysJoined = true;
    expect(inShort(answer)).toEqual([
      ['back', 'member', 'participant', true, 'removed'],
      ['barred', 'banned', null, true, 'added'],
      ['closed', 'no-group', null, true, 'added'],
      ['forgiven', 'not-member', null, true, 'banned'],
      ['left', 'not-member', null, true, 'added'],
      ['rose', 'member', 'admin', true, 'added'],
      ['out', 'banned', null, false, 'banned'],
      ['stays', 'member', 'participant', false, 'added'],
    ]);
    expect(answer.regions).toEqual([{ region: 'us', problem: null, isWhole: false }]);
  });

  test('of more groups than are asked about one by one tells where the user is in those of the newest imports', async () => {
    const older = Array.from({ length: 20 }, (_, at) => `older-${at}`);
    for (const guid of [...older, 'newer']) server.sandbox.addGroup('us', guid);
    await server.run(`guid,uid\n${older.map((guid) => `${guid},mary\n`).join('')}`);
    await server.run('guid,uid\nnewer,mary\n');
    saysJoined = false;
    const { groups } = await ask('mary');
    saysJoined = true;
    expect(groups).toHaveLength(21);
    expect(groups.filter(({ now }) => now === 'unknown').map(({ guid }) => guid)).toEqual(['older-19']);
  });

  test('is in the audit log with the name of the user', async () => {
    await ask('otto');
    expect(server.access.audit({ limit: 1 })).toMatchObject([{ action: 'member.ask', target: 'otto' }]);
  });

  test('that gets no answer, in time or at all, says so of its region', async () => {
    server.sandbox.faults.set('refuse-key');
    const { regions } = await ask('otto');
    server.sandbox.faults.clear();
    expect(regions).toEqual([{ region: 'us', problem: expect.stringContaining('be asked'), isWhole: false }]);
    const signal = AbortSignal.abort(new DOMException('', 'TimeoutError'));
    const never = () => Promise.reject(signal.reason);
    const pages = { listJoined: never, getMembership: never, listPage: never };
    const late = await whereNow('us', [], { uid: 'otto', pages, signal });
    expect(late.region.problem).toContain('in time');
  });

  test('looks at imports of another version as far as it can read them', async () => {
    using catalog = new DatabaseSync(server.dir.catalog);
    const { id } = await server.run('guid,uid\nstays,nina\n');
    const change = catalog.prepare("update imports set options = json_set(options, '$.later', 1) where id = ?");
    expect(change.run(id).changes).toBe(1);
    expect(inShort(await ask('nina'))).toEqual([['stays', 'member', 'participant', false, 'added']]);
  });

  test('names a region without an app', async () => {
    expect(await server.problem('/v1/members/otto/ask?region=eu', { method: 'POST' })).toMatchObject({
      code: 'REGION_WITHOUT_APP',
      field: 'region',
    });
  });

  test('about a user whom the service does not know says so, and claims nothing of groups', async () => {
    server.sandbox.setActive('us', 'otto', false);
    const { groups, regions } = await ask('otto');
    server.sandbox.setActive('us', 'otto', true);
    expect(regions).toEqual([{ region: 'us', problem: expect.stringContaining('such user'), isWhole: false }]);
    expect(new Set(groups.map(({ now }) => now))).toEqual(new Set(['unknown']));
  });
});
