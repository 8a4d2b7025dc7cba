import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ChatClient, createChatClient } from '../../src/chat/chat-client.ts';
import type { ListPages } from '../../src/chat/list-client.ts';
import type { ListedMember } from '../../src/chat/replies.ts';
import { mapStore, READINGS, readBanned, readList } from '../../src/chat/whole-lists.ts';
import { isError } from '../../src/errors/rollcall-error.ts';
import { foldId } from '../../src/membership/membership.ts';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { runs } from '../runs.ts';
import { uids } from '../sandbox/open-sandbox.ts';
import { connect, json, rejection, serve } from './chat-server.ts';
import { withList } from './with-list.ts';

/** Codes of a call that failed. */
const FAILURES = [
  'REFUSED',
  'MALFORMED_REPLY',
  'CONNECT_FAILED',
  'CONNECT_TIMEOUT',
  'HEADERS_TIMEOUT',
  'BODY_TIMEOUT',
  'CONNECTION_LOST',
] as const;

/** Marks the banned users among the listed ones; the list of banned users decides. */
function markBanned(
  listed: readonly ListedMember[],
  banned: ReadonlySet<string>,
): (ListedMember & { readonly banned: boolean })[] {
  return listed.map((member) => ({ ...member, banned: banned.has(foldId(member.uid)) }));
}

async function readMembers(
  pages: ListPages,
  guid: string,
  options?: Parameters<typeof readList>[4],
): Promise<ListedMember[]> {
  const found = mapStore<ListedMember>();
  await readList(found, pages, 'members', guid, options);
  return [...found.values()];
}

interface Service {
  readonly sandbox: Sandbox;
  readonly chat: ChatClient;
  /** A new group with these members, all of them participants. */
  group(members: readonly string[], banned?: readonly string[]): Promise<string>;
}

/** A sandbox and a client of its region us, for one test. */
async function service(options: SandboxOptions = { users: 'any', groups: 'any' }): Promise<Service> {
  const sandbox = await startSandbox(options);
  const chat = createChatClient({ ...sandbox.apps.us, region: 'us', host: sandbox.host, ca: sandbox.caPem });
  onTestFinished(async () => {
    await chat.close();
    await sandbox.close();
  });
  let groups = 0;
  return {
    sandbox,
    chat,
    async group(members, banned = []) {
      groups += 1;
      const guid = `made-${groups}`;
      for (let from = 0; from < members.length; from += 25) {
        await chat.addMembers(guid, { participants: members.slice(from, from + 25) });
      }
      for (let from = 0; from < banned.length; from += 25) {
        await chat.addMembers(guid, { usersToBan: banned.slice(from, from + 25) });
      }
      return guid;
    },
  };
}

const uidsOf = (members: readonly { readonly uid: string }[]) => members.map(({ uid }) => uid);
const seeded = (participants: string[]): SandboxOptions => ({
  seed: { regions: { us: { members: { team: { participants } } } } },
});

describe('a whole list', () => {
  test.each([
    [0, 1],
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [2500, 3],
  ])('of %i members takes %i calls', async (members, calls) => {
    const { chat, sandbox } = await service({ ...seeded(uids(members)), groups: 1 });
    const guid = members === 0 ? 'group-1' : 'team';
    expect(uidsOf(await readMembers(chat, guid))).toEqual(uids(members));
    expect(sandbox.calls.us.requests).toBe(calls);
  });

  test('has each member with its scope and time of joining', async () => {
    const { chat } = await service({ users: 9, groups: 1, now: () => 1_800_000_000_000 });
    await chat.addMembers('group-1', { admins: ['user-1'], moderators: ['user-2'], participants: ['user-3'] });
    expect(await readMembers(chat, 'group-1')).toEqual([
      { uid: 'user-1', scope: 'admin', joinedAt: 1_800_000_000, name: 'user-1' },
      { uid: 'user-2', scope: 'moderator', joinedAt: 1_800_000_000, name: 'user-2' },
      { uid: 'user-3', scope: 'participant', joinedAt: 1_800_000_000, name: 'user-3' },
    ]);
  });

  test('tells after every page how far it is', async () => {
    const { chat } = await service(seeded(uids(25)));
    const progress: unknown[] = [];
    await readMembers(chat, 'team', { perPage: 10, onPage: (one) => progress.push(one) });
    expect(progress).toEqual([
      { page: 1, entries: 10 },
      { page: 2, entries: 20 },
      { page: 3, entries: 25 },
    ]);
  });

  test.each<Behaviour['pagination']>(['right', 'absent', 'odd', 'sample'])(
    'is exactly the members and the banned, whatever their number and the size of a page, with page numbers %s',
    async (pagination) => {
      const { chat, group } = await service({ users: 'any', groups: 'any', behaviour: { pagination } });
      await fc.assert(
        fc.asyncProperty(fc.nat(40), fc.nat(12), fc.integer({ min: 1, max: 15 }), async (joined, barred, perPage) => {
          const members = uids(joined);
          const banned = uids(barred, joined + 1);
          const guid = await group(members, banned);
          const listed = await readMembers(chat, guid, { perPage });
          const found = markBanned(listed, await readBanned(chat, guid, { perPage }));
          expect(uidsOf(found.filter((member) => !member.banned))).toEqual(members);
          expect(uidsOf(found.filter((member) => member.banned))).toEqual(banned);
        }),
        { numRuns: runs(100) },
      );
    },
  );

  test('the list of the banned decides who is banned, in whatever case', () => {
    const listed = ['Ann', 'bob'].map((uid) => ({ uid, scope: 'admin', joinedAt: null }));
    expect(markBanned(listed, new Set(['ann', 'eve'])).map(({ uid, banned }) => [uid, banned])).toEqual([
      ['Ann', true],
      ['bob', false],
    ]);
  });
});

describe('a list that is not whole', () => {
  test.each([
    ['short-page', /page 1 was not full, and page 2 has entries all the same/],
    ['empty-page', /page 1 of 3 came empty/],
    ['repeat-page', /page 2 repeats what earlier pages had/],
  ])('%s: nothing is returned, and the error says which list and why', async (fault, reason) => {
    const { chat, sandbox } = await service(seeded(uids(25)));
    sandbox.faults.set(fault);
    const error = await rejection(readMembers(chat, 'team', { perPage: 10 }));
    expect(error).toMatchObject({ code: 'UNTRUSTED_LISTING', message: expect.stringMatching(reason) });
    expect(error).toMatchObject({ message: expect.stringContaining('"team"') });
  });

  test.each(['error', 'unavailable', 'truncated', 'not-json', 'reset-after', 'refuse-key'])(
    'a second page that ends in %s ends the reading',
    async (fault) => {
      const { chat, sandbox } = await service(seeded(uids(25)));
      const onPage = () => sandbox.faults.set(fault);
      const error = await rejection(readMembers(chat, 'team', { perPage: 10, onPage }));
      expect(isError(error, ...FAILURES)).toBe(true);
      await expect.poll(() => sandbox.calls.us.requests).toBe(2);
    },
  );

  test('one bad reading is made up for by the next', async () => {
    const { chat, sandbox } = await service(seeded(uids(25)));
    sandbox.faults.set('repeat-page=2');
    expect(uidsOf(await readMembers(chat, 'team', { perPage: 10 }))).toEqual(uids(25));
    expect(sandbox.calls.us.requests).toBe(5);
  });

  test('whatever goes wrong on the way, the result is all of them or an error', async () => {
    const { chat, sandbox, group } = await service();
    const kind = fc.constantFrom(
      ...(['short-page', 'empty-page', 'repeat-page', 'error', 'unavailable', 'truncated'] as const),
      ...(['not-json', 'reset-before', 'reset-after', 'too-many'] as const),
    );
    const fault = fc.oneof(
      fc.record({ kind, chance: fc.constantFrom(0.1, 0.3, 1) }),
      fc.record({ kind, count: fc.integer({ min: 1, max: 4 }) }),
    );
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 15 }), faults, async (count, perPage, wrong) => {
        const guid = await group(uids(count));
        sandbox.faults.set(wrong);
        try {
          expect(uidsOf(await readMembers(chat, guid, { perPage }))).toEqual(uids(count));
        } catch (error) {
          if (!isError(error, 'UNTRUSTED_LISTING', ...FAILURES)) throw error;
        } finally {
          sandbox.faults.clear();
        }
      }),
      { numRuns: runs(100) },
    );
  });

  interface Written {
    readonly uids: string[];
    readonly pagination?: Record<string, number>;
  }
  /** Reads a list with these pages, which is the same in every reading; after the last come empty ones. */
  async function listing(pages: readonly Written[]) {
    const server = await serve((response, request) => {
      const page = Number(new URL(request.url ?? '', 'https://localhost').searchParams.get('page'));
      const { uids: listed, pagination } = pages[page - 1] ?? { uids: [], pagination: pages.at(-1)?.pagination };
      const data = listed.map((uid) => ({ uid, scope: 'participant' }));
      json({ data, ...(pagination !== undefined && { meta: { pagination } }) })(response, request);
    });
    const outcome = await readMembers(connect(server.host), 'g1', { perPage: 2 }).then(
      uidsOf,
      (error: unknown) => error,
    );
    return { outcome, calls: server.received.length };
  }

  test.each<[what: string, pages: Written[], reason: string]>([
    [
      'fewer entries than promised',
      [{ uids: ['a', 'b'], pagination: { total: 4 } }],
      'it promised 4 entries and gave 2',
    ],
    ['fewer pages than promised', [{ uids: ['a', 'b'], pagination: { total_pages: 3 } }], 'page 2 of 3 came empty'],
    [
      'pages that are promised beyond the total',
      [{ uids: ['a', 'b'], pagination: { total: 2, total_pages: 3 } }],
      'page 2 of 3 came empty',
    ],
    [
      'fewer entries than the page counts',
      [{ uids: ['a'], pagination: { count: 2 } }],
      'page 1 says it has 2 entries and has 1',
    ],
    ['a hole in the middle', [{ uids: ['a'] }, { uids: ['b', 'c'] }], 'page 1 was not full, and page 2 has entries'],
    ['the same page again', [{ uids: ['a', 'b'] }, { uids: ['B', 'a'] }], 'page 2 repeats what earlier pages had'],
    [
      'a total that shrinks',
      [
        { uids: ['a', 'b'], pagination: { total: 4 } },
        { uids: ['c'], pagination: { total: 3 } },
      ],
      'it shrank from 4 entries to 3',
    ],
  ])('%s', async (_what, pages, reason) => {
    const { outcome, calls } = await listing(pages);
    expect(outcome).toMatchObject({ code: 'UNTRUSTED_LISTING' });
    expect(outcome).toMatchObject({ message: expect.stringContaining(reason) });
    expect(calls % READINGS).toBe(0);
  });

  test.each<[what: string, pages: Written[], calls: number]>([
    ['a total of nothing', [{ uids: ['a', 'b'], pagination: { total: 0, total_pages: 1 } }, { uids: ['c'] }], 3],
    ['a total without the banned', [{ uids: ['a', 'b'], pagination: { total: 1, total_pages: 1 } }], 2],
    [
      'a total that is met before the last page',
      [{ uids: ['a', 'b'], pagination: { total: 2, total_pages: 2 } }, { uids: ['c'] }],
      3,
    ],
    ['a size of pages that is too large', [{ uids: ['a', 'b'], pagination: { per_page: 9 } }, { uids: ['c'] }], 3],
    [
      'the numbers of a published sample: one entry more than there are, in a list of none',
      [{ uids: ['a', 'b'], pagination: { total: 0, count: 5, per_page: 100, total_pages: 1 } }],
      2,
    ],
    ['the same numbers on an empty list', [{ uids: [], pagination: { total: 0, count: 5, total_pages: 1 } }], 1],
    ['an empty list of one page', [{ uids: [], pagination: { total_pages: 1 } }], 1],
    ['an empty list that says nothing', [], 1],
    [
      'a list that grows at its front',
      [
        { uids: ['a', 'b'], pagination: { total: 3, total_pages: 2 } },
        { uids: ['b', 'c'], pagination: { total: 4, total_pages: 2 } },
      ],
      3,
    ],
    ['a page count that is too small', [{ uids: ['a', 'b'], pagination: { total_pages: 1 } }, { uids: ['c'] }], 3],
    [
      'pages that the service made smaller',
      [
        { uids: ['a'], pagination: { total: 2, per_page: 1, total_pages: 2 } },
        { uids: ['b'], pagination: { total: 2, per_page: 1, total_pages: 2 } },
      ],
      2,
    ],
    [
      'an entry that stands on two pages',
      [
        { uids: ['a', 'b'], pagination: { total: 3, total_pages: 2 } },
        { uids: ['B', 'c'], pagination: { total: 3, total_pages: 2 } },
      ],
      2,
    ],
  ])('%s is not a reason to miss anyone', async (_what, pages, calls) => {
    const found = await listing(pages);
    const everybody = new Set(pages.flatMap((page) => page.uids).map((uid) => uid.toLowerCase()));
    const { outcome } = found;
    expect(Array.isArray(outcome) && new Set(outcome.map((uid) => uid.toLowerCase()))).toEqual(everybody);
    expect(found.calls).toBe(calls);
  });
});

describe('a list that changes while it is read', () => {
  /** Passes every page on, after something has happened. */
  function meanwhile(chat: ChatClient, happens: (call: number) => Promise<unknown>): ListPages {
    let calls = 0;
    return withList(chat, 'members', async (page) => {
      calls += 1;
      await happens(calls);
      return page();
    });
  }

  test('someone who joins does not disturb', async () => {
    const { chat, sandbox, group } = await service();
    const guid = await group(uids(25));
    const changing = meanwhile(chat, async (call) => call === 2 && chat.addMembers(guid, { admins: ['late'] }));
    expect(uidsOf(await readMembers(changing, guid, { perPage: 10 }))).toEqual([...uids(25), 'late']);
    expect(sandbox.calls.us.requests).toBe(1 + 3 + 1);
  });

  test('someone who leaves has the list read again', async () => {
    const { chat, group } = await service();
    const guid = await group(uids(25));
    const pages: number[] = [];
    const changing = meanwhile(chat, async (call) => call === 2 && chat.removeMember(guid, 'user-3'));
    const members = await readMembers(changing, guid, { perPage: 10, onPage: ({ page }) => pages.push(page) });
    expect(uidsOf(members)).toEqual(uids(25).filter((uid) => uid !== 'user-3'));
    expect(pages).toEqual([1, 1, 2, 3]);
  });

  test('a list that shrinks in every reading is given up', async () => {
    const { chat, group } = await service();
    const guid = await group(uids(25));
    const changing = meanwhile(chat, async (call) => call % 2 === 0 && chat.removeMember(guid, `user-${call}`));
    expect(await rejection(readMembers(changing, guid, { perPage: 10 }))).toMatchObject({
      code: 'UNTRUSTED_LISTING',
      message: expect.stringContaining(`after ${READINGS} readings: it shrank from 23 entries to 22`),
    });
  });

  /** The sandbox lists in the order of joining; the service's order is unknown, so here newcomers stand anywhere. */
  test('whoever was there all the time is in the result, wherever others join or leave between two pages', async () => {
    const change = fc.record({ joins: fc.boolean(), places: fc.array(fc.nat(30), { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.integer({ min: 1, max: 10 }),
        fc.array(change),
        async (count, perPage, changes) => {
          const list = uids(count);
          const stayed = new Set(list);
          let next = 0;
          const unused: ListPages = { listPage: () => Promise.reject(new Error('asked for another list')) };
          const changing = withList(unused, 'members', async (_, _guid, page) => {
            const { joins, places } = changes[next - 1] ?? { joins: true, places: [] };
            for (const [at, place] of places.entries()) {
              if (joins) list.splice(place, 0, `late-${next}-${at}`);
              else for (const gone of list.splice(place, 1)) stayed.delete(gone);
            }
            next += 1;
            const entries = list
              .slice((page - 1) * perPage, page * perPage)
              .map((uid) => ({ uid, scope: 'participant', joinedAt: null }));
            const totalPages = Math.max(1, Math.ceil(list.length / perPage));
            return { entries, pagination: { total: list.length, count: entries.length, perPage, totalPages } };
          });
          const found = await readMembers(changing, 'g1', { perPage }).catch((error: unknown) => {
            if (isError(error, 'UNTRUSTED_LISTING')) return undefined;
            throw error;
          });
          if (found !== undefined) expect(new Set(uidsOf(found)).isSupersetOf(stayed)).toBe(true);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

test('a reading that is given up ends in ABORTED, and asks for no further page', async () => {
  const { chat, sandbox } = await service(seeded(uids(25)));
  const controller = new AbortController();
  const reading = readMembers(chat, 'team', {
    perPage: 10,
    signal: controller.signal,
    onPage: () => controller.abort(),
  });
  expect(await rejection(reading)).toMatchObject({ code: 'ABORTED' });
  expect(sandbox.calls.us.requests).toBe(1);
});

test('the users of an app are all of them, the deactivated too, who have a list of their own as well', async () => {
  const { sandbox, chat } = await service({ users: 3 });
  const [{ uid } = { uid: '' }, ...others] = (await chat.listPage('users', '', 1)).entries;
  expect(sandbox.setActive('us', uid, false)).toBe(true);
  const listed = async (kind: 'users' | 'deactivated') =>
    (await chat.listPage(kind, '', 1)).entries.map((one) => one.uid);
  expect((await listed('users')).sort()).toEqual([uid, ...others.map((one) => one.uid)].sort());
  expect(await listed('deactivated')).toEqual([uid]);
});

test('a group that does not exist is not an empty group', async () => {
  const { chat } = await service({ groups: 1 });
  expect(await rejection(readMembers(chat, 'nowhere'))).toMatchObject({ facts: { serviceCode: 'ERR_GUID_NOT_FOUND' } });
  expect(await rejection(readBanned(chat, 'nowhere'))).toMatchObject({ facts: { serviceCode: 'ERR_GUID_NOT_FOUND' } });
});
