import { statfsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { WAIT_MS } from '../hangs.ts';
import { findProgram } from '../servers/needs.ts';

/** Each page lives for seconds: making its scripts fast takes longer than they run. */
const SCRIPTS_AS_THEY_ARE = '--js-flags=--no-opt,--no-maglev,--single-threaded';

/** Each visitor has one process: others would be started beside it, in vain. */
const ONE_PROCESS = ['--renderer-process-limit=1', '--process-per-site', '--disable-site-isolation-trials'];

/** No graphics card draws: a process for one takes more than it gives. */
const NO_GRAPHICS_PROCESS = '--in-process-gpu';

/** The browser's message when a server is not there, or a request is refused on purpose. */
const REFUSED = /Failed to load resource/;

export interface OpenOptions extends BrowserContextOptions {
  /** Whether requests are refused in this test on purpose: the browser reports each. */
  readonly refusals?: true;
}

/** For conditions that hold in the end: pages need a moment. */
export { eventually } from '../eventually.ts';

/** A file as a visitor hands it in. */
export const csvFile = (text: string, name = 'members.csv') => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
});

/** `count` rows of one group, under the usual column names. */
export function memberRows(count: number): string {
  return `guid,uid\n${Array.from({ length: count }, (_, at) => `team,user-${at}`).join('\n')}\n`;
}

/** Whether the browser would ask before it closes the page. */
export function asksBeforeClosing(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
}

/** Files of tests that run in the same process share it; it ends with the process. */
let shared: Promise<Browser> | undefined;

/**
 * A browser for the tests of a file. Each page is one visitor's, with cookies of its own. A test fails when the page had
 * an error, or when its content policy had to stop something.
 */
export function useBrowser(): { open(url: string, options?: OpenOptions): Promise<Page> } {
  let browser: Browser;
  let visitors: BrowserContext[] = [];
  let faults: string[] = [];
  beforeAll(async () => {
    // Whatever a test did to it: the next file gets one that answers.
    if ((await shared?.catch(() => undefined))?.isConnected() !== true) shared = undefined;
    shared ??= chromium.launch({
      executablePath: findProgram('chromium'),
      args: ['--no-sandbox', SCRIPTS_AS_THEY_ARE, NO_GRAPHICS_PROCESS, ...ONE_PROCESS],
      ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
      // Tests of the same process send signals to commands that run in it: these must not end the browser.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    browser = await shared;
  });
  afterEach(async () => {
    const found = faults;
    await Promise.all(
      visitors.map(async (visitor) => {
        // Requests that a test answers may be under way.
        await Promise.all(visitor.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
        await visitor.close();
      }),
    );
    visitors = [];
    faults = [];
    expect(found, 'errors in the page').toEqual([]);
  });
  return {
    open: async (url, { refusals, ...options } = {}) => {
      // Motion would be drawn sixty times a second, and its colours tell nothing about contrast until it stands still.
      const still = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
      const visitor = await browser.newContext({ ...still, ...options });
      visitors.push(visitor);
      visitor.setDefaultTimeout(WAIT_MS);
      const page = await visitor.newPage();
      page.on('pageerror', (error) => faults.push(String(error.stack)));
      page.on('dialog', (dialog) => {
        // A test that leaves the page means it.
        if (dialog.type() === 'beforeunload') return void dialog.accept();
        faults.push(`a dialog opened: ${dialog.message()}`);
        return void dialog.dismiss();
      });
      page.on('console', (message) => {
        if (message.type() !== 'error' && message.type() !== 'warning') return;
        if (refusals === true && REFUSED.test(message.text())) return;
        faults.push(`${message.text()} (${message.location().url})`);
      });
      await page.goto(url);
      return page;
    },
  };
}

/** Its processes hand each other files of memory: on a disk, they take a seventh of the CPU that a page takes. */
function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    // Containers often have 64 MB, with which a browser crashes.
    return bavail * bsize > 1024 ** 3;
  } catch {
    return false;
  }
}

/** Gives a token, on the page for it or in the dialog over another page. */
export async function logIn(place: Page | Locator, token: string): Promise<void> {
  await place.getByLabel('Token').fill(token);
  await place.getByRole('button', { name: 'Log in' }).click();
}

/** Chooses a file, and waits until its first rows are shown. */
export async function chooseFile(page: Page, text: string, name: string): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(text, name));
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
}

/** Goes on from the columns of a file to its review. */
export async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Next: review' }).click();
  await sendButton(page).waitFor();
}

/** The button of a review that sends, or ends it where no row is valid. */
export function sendButton(page: Page): Locator {
  return page.getByRole('button', { name: /^(?:Send (?:\d|the first)|Finish)/ });
}

/** Goes on from the columns of a file to its review, and sends it. */
export async function send(page: Page): Promise<void> {
  await review(page);
  await sendButton(page).click();
}

/** Uploads a file from the list of imports and sends it; gives when it is under way. */
export async function startImport(page: Page, text: string, name: string): Promise<void> {
  await chooseFile(page, text, name);
  await send(page);
  await page.getByRole('heading', { name: 'Send', level: 2 }).waitFor({ state: 'detached' });
}
