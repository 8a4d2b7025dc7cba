import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

/** Calls that add members: each waits until the test lets one go. */
const held: (() => void)[] = [];
const GROUPS = ['choir', 'band', 'crew', 'cast', 'staff'];
const areHeld = Promise.withResolvers<void>();

const browser = useBrowser();
const server = useServer({
  chat: (chat) => ({
    ...chat,
    addMembers: async (...call) => {
      await new Promise<void>((go) => {
        held.push(go);
        if (held.length === GROUPS.length) areHeld.resolve();
      });
      return chat.addMembers(...call);
    },
  }),
});

let running: string;
let staged: string;
beforeAll(async () => {
  staged = await server.upload('guid,uid\nteam,ada\n', 'name=staged.csv&dryRun=true');
  running = await server.upload(
    `guid,uid\n${GROUPS.map((guid) => `${guid},ada\n`).join('')}`,
    'name=running.csv&banCheck=false',
  );
  await areHeld.promise;
});
// Before the server ends, which waits for its calls.
afterAll(() => {
  for (const go of held) go();
});

/** Counted in the page itself, before its own scripts: the test hears of a request later. */
const COUNTER = `
  // After an answer, the page rests in proportion to the time that it took: the clock of the test leaps over that.
  performance.now = () => 0;
  globalThis.asked = [];
  globalThis.followed = new Set();
  globalThis.EventSource = class extends EventSource {
    constructor(path) {
      super(path);
      this.addEventListener('imports', () => followed.add(path));
    }
  };
  globalThis.underWay = 0;
  const { fetch: real } = globalThis;
  globalThis.fetch = async (path, ...more) => {
    asked.push(String(path));
    underWay += 1;
    try {
      const answer = await real(path, ...more);
      // To its end: only then the page goes on.
      await answer.clone().text();
      return answer;
    } finally {
      underWay -= 1;
    }
  };
`;
const asked = (page: Page) => page.evaluate<string[]>('asked');
const TEN_MINUTES = 600_000;

/** A page whose clock is the test's. */
async function opened(): Promise<Page> {
  const page = await browser.open('about:blank');
  await page.clock.install();
  await page.addInitScript(COUNTER);
  return page;
}

/** Goes to a page and lets everything happen that belongs to its beginning. */
async function settle(page: Page, path: string, sight: string): Promise<void> {
  await page.goto(server.url + path);
  await page.getByText(sight).first().waitFor();
  // What a stream brings at first may be asked about.
  await eventually(() => page.evaluate('followed.size')).toBe(1);
  let [quiet, before] = [0, 0];
  // Twice: an answer may bring the next question.
  await eventually(async () => {
    await page.clock.runFor(10_000);
    const [now, underWay] = [(await asked(page)).length, await page.evaluate<number>('underWay')];
    quiet = underWay === 0 && now === before ? quiet + 1 : 0;
    before = now;
    return quiet;
  }).toBe(2);
}

test('a page asks for nothing while nothing changes; progress needs no answer, and the page of an import asks for its rows after some have got their outcome, once the answer before has come', async () => {
  const page = await opened();
  for (const [path, sight] of [
    ['/', 'running.csv'],
    ['/imports', 'running.csv'],
    [`/imports/${staged}`, 'staged.csv'],
    [`/imports/${running}`, 'running.csv'],
    ['/syncs', 'No syncs yet'],
    ['/schedules', 'No schedules yet'],
    ['/exports', 'No exports yet'],
  ] as const) {
    await settle(page, path, sight);
    const before = await asked(page);
    expect(before.length, path).toBeGreaterThan(0);
    // They are counted over all rows.
    expect(before.filter((one) => one.endsWith('/problems')).length, path).toBeLessThanOrEqual(1);
    await page.clock.runFor(TEN_MINUTES);
    expect((await asked(page)).slice(before.length), path).toEqual([]);
  }

  await settle(page, '/imports', 'running.csv');
  const beforeProgress = await asked(page);
  held.shift()?.();
  await page.getByText('1 of 5 rows').waitFor();
  await page.clock.runFor(TEN_MINUTES);
  expect((await asked(page)).slice(beforeProgress.length)).toEqual([]);

  await settle(page, '/', 'running.csv');
  await page.route('**/v1/overview', () => undefined);
  await page.getByText('20 %: 1 of 5 rows').waitFor();
  held.shift()?.();
  await page.getByText('40 %: 2 of 5 rows').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  await settle(page, `/imports/${running}`, 'running.csv');
  const outcomes = page.getByRole('table', { name: 'Rows of the file' }).getByText('added', { exact: true });
  await eventually(() => outcomes.count()).toBe(2);
  const answer = Promise.withResolvers<void>();
  const isAnswered = Promise.withResolvers<void>();
  // The first answer is late: it says how it was before the second outcome.
  await page.route(/\/rows\?/, async (route) => {
    const response = await route.fetch();
    isAnswered.resolve();
    await answer.promise;
    await route.fulfill({ response });
  });
  const before = (await asked(page)).length;
  const more = async () => (await asked(page)).slice(before).filter((path) => path.includes('/rows?'));
  held.shift()?.();
  await page.getByRole('img', { name: /^All rows by outcome: 3 added/ }).waitFor();
  await eventually(async () => {
    await page.clock.runFor(10_000);
    return (await more()).length;
  }).toBe(1);
  await isAnswered.promise;
  held.shift()?.();
  await page.getByRole('img', { name: /^All rows by outcome: 4 added/ }).waitFor();
  await page.clock.runFor(TEN_MINUTES);
  expect(await more()).toHaveLength(1);
  answer.resolve();
  await eventually(() => outcomes.count()).toBe(3);
  await eventually(async () => {
    await page.clock.runFor(TEN_MINUTES);
    return outcomes.count();
  }).toBe(4);
  expect(new Set(await more())).toHaveLength(1);

  held.shift()?.();
  await page.getByText('All 5 rows succeeded; every row is accounted for.').first().waitFor();
  await eventually(() => outcomes.count()).toBe(5);
});
